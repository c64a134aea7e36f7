"""axe finds nothing serious on the documentation, the page of a run, and a published site."""

import functools
import html
import http.server
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import browser_runs
import pytest

from repair_bench.report import plots, site
from repair_bench.report.site import publishing
from repair_bench.testing.made_up_runs import run, written

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
SCREENS = ((1280, "light"), (390, "light"), (1280, "dark"))
PAGES = ("", "how-to/write-an-experiment/", "reference/record/", "results/", "404.html")
"""One page of each kind: lists of links, code, wide tables, pictures."""
REACHABLE = """return [...document.querySelectorAll("pre > code")].every(
    (code) => code.scrollWidth <= code.clientWidth || code.tabIndex === 0
)"""
"""Whether the script of the site has run: the keyboard can scroll all code."""


def serious(browser) -> list[str]:
    """Return the serious and critical findings on the open page.

    Contrast, the slowest rule by far, is not examined on the narrow screen, which has the colours of the wide one.
    """
    from selenium_axe_python import Axe

    browser.driver.set_script_timeout(300)  # a long page on a busy machine
    Axe(browser.driver).inject()
    found = browser.driver.execute_async_script(
        "const rules = { 'color-contrast': { enabled: innerWidth > 390 } };"
        "const options = { rules, resultTypes: ['violations'], preload: false };"
        "axe.run(options).then((found) => arguments[0](found.violations))"
    )
    return [
        f"{rule['id']}: {node['html'][:200]} {node['failureSummary']}"
        for rule in found
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]


def screens(browser) -> Iterator[str]:
    for width, scheme in SCREENS:
        browser.device(width, 900)
        browser.colours(scheme)
        yield f"{width} {scheme}"


@pytest.fixture(scope="module")
def documentation(tmp_path_factory) -> Iterator[str]:
    """Build the documentation and serve it under the path of its `site_url`; return its address."""
    for command in (
        [sys.executable, "docs/reference.py"],
        [sys.executable, "-m", "zensical", "build", "--strict", "--clean"],
    ):
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_) -> None:
            pass

    served = tmp_path_factory.mktemp("served")
    (served / "repair-bench").mkdir()
    (served / "repair-bench" / "latest").symlink_to(ROOT / "build" / "site")
    handler = functools.partial(Quiet, directory=str(served))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/repair-bench/latest/"
        server.shutdown()


def test_documentation_is_accessible(browser, documentation, tmp_path):
    found = {}
    for screen in screens(browser):
        for page in PAGES:
            browser.driver.get(documentation + page)
            browser.js("localStorage.clear()")  # the colours that the last screen chose
            browser.driver.refresh()
            scheme = "slate" if screen.endswith("dark") else "default"
            browser.until(lambda: browser.one("body").get_attribute("data-md-color-scheme") == scheme)  # noqa: B023
            browser.until(lambda: browser.js(REACHABLE))
            browser.driver.save_screenshot(str(tmp_path / f"{page.strip('/').replace('/', '-')}-{screen}.png"))
            assert browser.js("return document.documentElement.scrollWidth <= innerWidth"), (page, screen)
            found[page, screen] = serious(browser)
    assert {where: findings for where, findings in found.items() if findings} == {}


def test_links_and_pictures_of_the_documentation_have_targets(documentation):
    """The strict build examines links between pages, but not pictures, scripts or other files."""
    site_ = ROOT / "build" / "site"
    missing = []
    for path in site_.rglob("index.html"):
        address = documentation + str(path.relative_to(site_))
        links = re.findall(r'<[^<>]+ (?:href|src)="([^"]+)"', path.read_text(encoding="utf-8"))
        for link in {urldefrag(urljoin(address, html.unescape(link))).url for link in links}:
            target = site_ / link.removeprefix(documentation)
            if (
                link.startswith(documentation)
                and not (target / "index.html" if link.endswith("/") else target).is_file()
            ):
                missing.append((str(path.relative_to(site_)), link))
    assert missing == []


def test_page_of_a_run_is_accessible(browser, built, tmp_path):
    page = built(browser_runs.small)
    browser.open(page)
    links = browser.js("return [...document.querySelectorAll('a[href^=\"#view=\"]')].map((a) => a.hash.slice(1))")
    views = {link.split("&")[0]: link for link in links}  # one of each kind
    attempts, _ = browser_runs.small()
    views["view=episodes"] = f"view=episodes&episode={max(attempts, key=lambda a: a.attempt).episode}"
    assert len(views) == 5
    found = {}
    for screen in screens(browser):
        for number, view in enumerate(views.values()):
            browser.open(page, view)
            browser.driver.save_screenshot(str(tmp_path / f"run-{number}-{screen}.png"))
            found[view, screen] = serious(browser)
    assert {where: findings for where, findings in found.items() if findings} == {}


def test_published_site_is_accessible(browser, tmp_path, monkeypatch):
    monkeypatch.setattr(plots, "AFTER_RUN", ("repair-curve",))
    monkeypatch.setattr(publishing.os, "cpu_count", lambda: 1)
    directories = []
    for name, suite in (("one", "aligned"), ("two", "other")):
        attempts, manifest = run(models=(f"sim/{name}",), tasks=3, repairs=2)
        attempts = [a.replaced(suite=suite) for a in attempts]
        directories.append(written(tmp_path / name, attempts, manifest.replaced(name=name)))
    index = site.publish(directories, tmp_path / "site", texts=site.Texts(lambda _: (), {}, "")).index
    found = {}
    for screen in screens(browser):
        browser.open(index)
        browser.driver.save_screenshot(str(tmp_path / f"index-{screen}.png"))
        found[screen] = serious(browser)
    assert {where: findings for where, findings in found.items() if findings} == {}
