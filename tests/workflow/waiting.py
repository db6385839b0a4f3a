"""For what other processes do."""

import time


def wait_for(condition, seconds: float = 30) -> None:
    until = time.time() + seconds
    while not condition():
        assert time.time() < until
        time.sleep(0.02)
