"""For what other processes do."""

import time

# Nothing here takes that long, however busy the machine is.
PATIENCE = 300.0


def wait_for(condition, seconds: float = PATIENCE) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)
