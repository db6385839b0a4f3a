"""A page in a headless Chromium, asked through its debugging pipe; there is no other dependency."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATH: str | None = next(filter(None, map(shutil.which, NAMES)), None)
# Its documented descriptors: commands come in by the one, answers go out by the other.
COMMANDS, ANSWERS = 3, 4


class Page:
    """
    requests : the addresses that were asked for, its own included; not what the browser rejected.
    complaints : errors and warnings of the console.
    """

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._last = 0
        self._received = b""
        self._session: str | None = None
        self.requests: list[str] = []
        self._urls: dict[str, str] = {}
        self.complaints: list[str] = []
        self._loaded = False
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Network", "Runtime", "Log", "Page"):
            self.send(f"{domain}.enable")

    def open(self, file: Path, width: int, height: int = 900) -> None:
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        self._loaded = False
        self.send("Page.navigate", url=file.absolute().as_uri())
        while not self._loaded:
            self._receive()

    def value(self, expression: str) -> Any:
        """Of an expression in JavaScript."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._last:
                assert "error" not in answer, answer
                return answer["result"]

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._received:
            block = os.read(self._answers, 1 << 16)
            assert block, "Chromium has ended"
            self._received += block
        text, _, self._received = self._received.partition(b"\0")
        message = json.loads(text)
        self._note(message.get("method"), message.get("params", {}))
        return message

    def _note(self, event: str | None, details: dict[str, Any]) -> None:
        if event == "Page.loadEventFired":
            self._loaded = True
        elif event == "Network.requestWillBeSent":
            # What is in the page itself comes from nowhere.
            if not details["request"]["url"].startswith("data:"):
                self.requests.append(details["request"]["url"])
                self._urls[details["requestId"]] = details["request"]["url"]
        elif event == "Network.loadingFailed" and details.get("blockedReason"):
            self.requests.remove(self._urls[details["requestId"]])
        elif event in ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled"):
            self.complaints.append(json.dumps(details))


@contextmanager
def chromium(profile: Path) -> Iterator[Page]:
    """A browser that ends with the block; `profile` is a folder for what it keeps."""
    commands_in, commands_out = os.pipe()
    answers_in, answers_out = os.pipe()

    def descriptors() -> None:
        # Copies first: a pipe may have the number that the other has to get.
        one, other = os.dup(commands_in), os.dup(answers_out)
        os.dup2(one, COMMANDS)
        os.dup2(other, ANSWERS)

    process = subprocess.Popen(
        [
            PATH,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--remote-debugging-pipe",
            f"--user-data-dir={profile}",
        ],
        preexec_fn=descriptors,
        pass_fds=(COMMANDS, ANSWERS),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(commands_in)
    os.close(answers_out)
    try:
        yield Page(commands_out, answers_in)
    finally:
        process.terminate()
        process.wait(timeout=30)
        os.close(commands_out)
        os.close(answers_in)
