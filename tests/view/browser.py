"""A headless Chromium, driven without a package: two pipes (`--remote-debugging-pipe`) of JSON ended by zero bytes."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.conftest import missing

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
    "--disable-sync", "--disable-extensions", "--disable-component-update", "--no-first-run", "--hide-scrollbars",
    "--force-device-scale-factor=1", "--remote-debugging-pipe",
)  # fmt: skip
# Chromium reads commands from file 3 and answers on file 4.
LAUNCH = """
import fcntl, os, sys
hear, tell = (fcntl.fcntl(int(file), fcntl.F_DUPFD, 10) for file in sys.argv[1:3])
os.dup2(hear, 3)
os.dup2(tell, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


def find_chromium() -> str:
    """Return the path of a Chromium; without one the test is skipped, or fails where CI must have it."""
    program = next((path for path in map(shutil.which, NAMES) if path), None)
    if program is None:
        missing(f"no Chromium on the PATH (looked for {', '.join(NAMES)}); on Debian: apt-get install chromium")
    assert program is not None
    return program


class Browser:
    """One page of one Chromium; use it in a `with`."""

    def __init__(self, program: str, profile: Path, width: int = 1280, height: int = 800) -> None:
        """Start the browser with a fresh profile folder."""
        hear, self._to = os.pipe()
        self._from, tell = os.pipe()
        words = [program, *FLAGS, f"--user-data-dir={profile}", f"--window-size={width},{height}", "about:blank"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", LAUNCH, str(hear), str(tell), *words],
            pass_fds=(hear, tell),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(hear)
        os.close(tell)
        self._rest, self._count = b"", 0
        self.events: list[dict[str, Any]] = []
        self._session: str | None = None
        try:
            page = next(t for t in self._ask("Target.getTargets")["targetInfos"] if t["type"] == "page")
            self._session = self._ask("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log", "Network"):
                self.ask(f"{domain}.enable")
            self.resize(width, height)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Browser:
        """Return the browser."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the browser."""
        self.close()

    def close(self) -> None:
        """End the browser."""
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._to)
        os.close(self._from)

    def ask(self, method: str, **parameters: Any) -> Any:
        """Send the page a command of the DevTools protocol and return its result."""
        return self._ask(method, self._session, **parameters)

    def open(self, page: Path) -> None:
        """Load a file and wait until its scripts have run."""
        self.visit(page.resolve().as_uri())

    def visit(self, address: str) -> None:
        """Load a page by its address and wait until its scripts have run."""
        self.events.clear()
        self.ask("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def run(self, script: str) -> Any:
        """Return the value of a JavaScript expression, awaited where it is a promise; an exception fails."""
        told = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in told:
            raise AssertionError(told["exceptionDetails"].get("exception", {}).get("description", told))
        return told["result"].get("value")

    def wait(self, condition: str, seconds: float = 20) -> None:
        """Wait until a JavaScript expression is true."""
        end = time.monotonic() + seconds
        while not self.run(f"Boolean({condition})"):
            if time.monotonic() > end:
                raise AssertionError(f"not true within {seconds} s: {condition}; {self.complaints()}")
            time.sleep(0.03)

    def complaints(self) -> list[str]:
        """Return errors and warnings that the page has caused since it was opened."""
        self.run("0")  # so that what was said before has arrived
        said = []
        for event in self.events:
            about = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                said.append(str(about["exceptionDetails"].get("exception", {}).get("description", about)))
            elif event["method"] == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning", "assert"):
                said.append(str(about["args"]))
            elif event["method"] == "Log.entryAdded" and about["entry"]["level"] in ("error", "warning"):
                said.append(about["entry"]["text"])
        return said

    def requests(self) -> list[str]:
        """Return the addresses, other than data, that the page has asked for since it was opened."""
        sent = [e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"]
        return [address for address in sent if not address.startswith("data:")]

    def resize(self, width: int, height: int, ratio: float = 1) -> None:
        """Set the size of the window's inside, in CSS pixels."""
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=ratio, mobile=False
        )

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        """Send a mouse event such as `mouseMoved`."""
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def touch(self, kind: str, fingers: Mapping[int, tuple[float, float]]) -> None:
        """Send a touch event such as `touchMove`, with the place of each finger; `touchEnd` names those that leave."""
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in fingers.items()]
        self.ask("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    def click(self, x: float, y: float) -> None:
        """Click with the left button."""
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def key(self, name: str, code: int = 0, text: str = "") -> None:
        """Press a key, named as in `KeyboardEvent.key`."""
        more = {"text": text} if text else {}
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=name, windowsVirtualKeyCode=code, **more)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=name, windowsVirtualKeyCode=code)

    def press(self, selector: str) -> None:
        """Click the middle of an element, which has to be visible."""
        box = "(({ left, top, width, height }) => [left + width / 2, top + height / 2])"
        self.click(*self.run(f"{box}(document.querySelector({json.dumps(selector)}).getBoundingClientRect())"))

    def write(self, text: str) -> None:
        """Type into the focused field, as one input."""
        self.ask("Input.insertText", text=text)

    def screenshot(self, path: Path) -> None:
        """Write a PNG of the window."""
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))

    def _ask(self, method: str, session: str | None = None, **parameters: Any) -> Any:
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._count:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def _read(self, seconds: float = 60) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._from], [], [], seconds)
            part = os.read(self._from, 1 << 20) if ready else b""
            if not part:
                raise AssertionError("Chromium ended or does not answer")
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        return message
