"""The page of small models, served by a thread; and a Chromium that looks at it."""

import shutil
import socket
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, Optional
from urllib.parse import urlencode

import uvicorn
from selenium.webdriver import Chrome
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

from attention_explain.explore.app import make_app

PATIENCE = 30


@contextmanager
def served(*models, **options) -> Iterator[str]:
    """The address of their page."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        config = uvicorn.Config(
            make_app(models, **options), log_config=None, access_log=False, lifespan="off"
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        finally:
            server.should_exit = True
            thread.join(PATIENCE)


def missing() -> Optional[str]:
    """Why no browser can be had."""
    lacking = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    return f"{' and '.join(lacking)} cannot be found" if lacking else None


def chromium(profile: Path) -> Chrome:
    options = Options()
    options.binary_location = shutil.which("chromium")
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={profile}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return Chrome(options=options, service=Service(shutil.which("chromedriver")))


class Page:
    """What a person does on the page, and sees."""

    def __init__(self, browser: Chrome, address: str) -> None:
        self.browser = browser
        self.address = address

    def open(self, **state: str) -> "Page":
        # A page whose address differs in the fragment alone would not be loaded again.
        self.browser.get("about:blank")
        self.browser.get(f"{self.address}#{urlencode(state)}" if state else self.address)
        return self.settled()

    def settled(self) -> "Page":
        """Waits until all that was asked for is there, or rejected."""
        self.until(lambda: self.one("main").get_attribute("aria-busy") == "false")
        return self

    def until(self, condition) -> None:
        WebDriverWait(self.browser, PATIENCE, 0.05).until(lambda _: condition())

    def one(self, selector: str) -> WebElement:
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list:
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def script(self, code: str, *arguments):
        return self.browser.execute_script(f"return {code}", *arguments)

    def text(self, selector: str) -> str:
        return self.script("document.querySelector(arguments[0]).textContent", selector)

    def texts(self, selector: str) -> list:
        code = "[...document.querySelectorAll(arguments[0])].map((each) => each.textContent)"
        return self.script(code, selector)

    @property
    def said(self) -> str:
        return self.text("#said")

    @property
    def words(self) -> list:
        return self.texts("#words button")

    def type(self, text: str) -> "Page":
        self.script("document.getElementById('text').value = arguments[0]", text)
        self.one("#asking button[type=submit]").click()
        return self.settled()

    def probabilities(self, within: str = ".prediction-now") -> dict:
        labels = self.texts(f"{within} .chances b")
        numbers = self.texts(f"{within} .chances .number")
        return {label: float(number.split()[0]) for label, number in zip(labels, numbers)}
