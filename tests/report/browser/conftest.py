"""A headless Chromium, and report pages for it."""

import functools
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from repair_bench.report import page, plots

WAIT = 30  # seconds until a test gives up on the page


def absent(reason: str) -> NoReturn:
    if os.environ.get("REPAIR_BENCH_CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def chromium() -> Iterator["Browser"]:
    try:
        from selenium import webdriver
    except ImportError:
        absent("selenium is absent: install the extra `dev`")
    binary = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        absent("no browser: put chromium and chromedriver on the PATH (Debian: chromium, chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    profile = tempfile.mkdtemp()
    for argument in (
        "--headless=new",
        "--no-sandbox",  # refuses to run as root otherwise
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        f"--user-data-dir={profile}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        started.set_script_timeout(WAIT)
        started.set_page_load_timeout(4 * WAIT)
        yield Browser(started)
    finally:
        started.quit()
        shutil.rmtree(profile, ignore_errors=True)


@pytest.fixture
def browser(chromium: "Browser") -> "Browser":
    """Return a desktop window in light colours, without the logs of earlier tests."""
    chromium.device(1280, 900)
    chromium.colours("light")
    chromium.log("performance")
    chromium.log("browser")
    return chromium


FEW = ("repair-curve",)
"""The kinds of plots on most pages; drawing all of them would take longer than the tests."""


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return a function that writes the report of a made-up run, once per function that creates one."""

    @functools.cache
    def build(make: Callable[[], tuple], *, every_plot: bool = False) -> Path:
        attempts, manifest = make()
        path = tmp_path_factory.mktemp("report") / "page.html"
        with pytest.MonkeyPatch.context() as patch:
            if not every_plot:
                patch.setattr(plots, "KINDS", {kind: plots.KINDS[kind] for kind in FEW})
            begun = time.perf_counter()
            page.write(manifest, attempts, path)
        size, took = path.stat().st_size / 1e6, time.perf_counter() - begun
        print(f"\n{make.__name__}: {size:.1f} MB written in {took:.1f} s")  # noqa: T201 - measured, not asserted
        return path

    return build


class Browser:
    """Actions and queries on a page. Every wait fails after `WAIT` seconds."""

    def __init__(self, driver) -> None:
        self.driver = driver
        self.js = driver.execute_script

    def open(self, page: Path, address: str = "") -> None:
        self.driver.get("about:blank")
        self.driver.get(f"{page.as_uri()}#{address}")
        self.until(lambda: self.js("return document.documentElement.dataset.ready"))
        self.settled()

    def go(self, address: str) -> None:
        """Follow a link within the page."""
        self.js("location.hash = arguments[0]", address)
        self.until(
            lambda: self.js(
                "const a = new URLSearchParams(arguments[0]);"
                "return document.documentElement.dataset.view === a.get('view')",
                address,
            )
        )
        self.settled()

    def until(self, done: Callable[[], object]) -> object:
        end = time.monotonic() + WAIT
        while not (found := done()):
            assert time.monotonic() < end, f"timeout: {self.trouble()}"
            time.sleep(0.02)
        return found

    def trouble(self) -> object:
        return [self.js("return document.getElementById('trouble')?.textContent"), self.log("browser")]

    def settled(self) -> None:
        """Wait until the page shows the episode in its address."""
        self.until(
            lambda: self.js(
                "const id = new URLSearchParams(location.hash.slice(1)).get('episode');"
                "const place = document.getElementById('episode');"
                "return document.documentElement.dataset.view !== 'episodes' || !id || place.dataset.id === id"
                " || place.querySelector(':scope > .empty') !== null"
            )
        )

    def one(self, selector: str):
        return self.driver.find_element("css selector", selector)

    def all(self, selector: str) -> list:
        return self.driver.find_elements("css selector", selector)

    def text(self, selector: str) -> str:
        return self.js("return document.querySelector(arguments[0]).textContent.toWellFormed()", selector)

    def texts(self, selector: str) -> list[str]:
        return self.js(
            "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent.toWellFormed())", selector
        )

    def click(self, selector: str) -> None:
        self.one(selector).click()
        self.settled()

    def choose(self, name: str, value: str) -> None:
        """Choose an option as a reader does; the driver itself would not send the `input` event."""
        self.js(
            "const [name, value] = arguments; const select = document.querySelector(`select[name=${name}]`);"
            "if (![...select.options].some((o) => o.value === value)) throw new Error(`no ${value} in ${name}`);"
            "select.value = value; select.dispatchEvent(new Event('input', { bubbles: true }))",
            name,
            value,
        )

    def keys(self, *keys: str) -> None:
        from selenium.webdriver.common.action_chains import ActionChains

        self.js(
            "if (window.pressed === undefined)"
            " addEventListener('keyup', () => setTimeout(() => { window.pressed += 1; }), true);"
            "window.pressed = 0"
        )
        ActionChains(self.driver).send_keys(*keys).perform()
        self.until(lambda: self.js("return window.pressed") == sum(map(len, keys)))  # the driver does not wait
        self.settled()

    def address(self) -> dict[str, str]:
        return self.js("return Object.fromEntries(new URLSearchParams(location.hash.slice(1)))")

    def device(self, width: int, height: int) -> None:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def colours(self, scheme: str) -> None:
        still = {"name": "prefers-reduced-motion", "value": "reduce"}  # no transitions
        features = [{"name": "prefers-color-scheme", "value": scheme}, still]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def log(self, kind: str) -> list[dict]:
        return self.driver.get_log(kind)
