"""The index of several runs in a real browser: without a network, on a narrow screen, in dark colours."""

import json

import pytest

from repair_bench.report import plots, site
from repair_bench.report.site import publishing
from repair_bench.testing.made_up_runs import run, written

pytestmark = pytest.mark.slow


def made(folder, name, suite):
    attempts, manifest = run(models=(f"sim/{name}",), tasks=3, repairs=2)
    return written(folder / name, [a.replaced(suite=suite) for a in attempts], manifest.replaced(name=name))


def test_index_sends_no_request_and_fits(browser, tmp_path, monkeypatch):
    monkeypatch.setattr(plots, "AFTER_RUN", ())
    monkeypatch.setattr(publishing.os, "cpu_count", lambda: 1)
    directories = [made(tmp_path, "one", "aligned"), made(tmp_path, "two", "other")]
    index = site.publish(directories, tmp_path / "site", texts=site.Texts(lambda _: (), {}, "")).index
    browser.log("performance")
    browser.open(index)
    shown = "return [...document.querySelectorAll('.board')].filter((b) => !b.hidden).map((b) => b.dataset.suite)"
    assert browser.js(shown) == ["aligned", "other"]
    browser.js("const s = document.getElementById('suite'); s.value = 'other'; s.dispatchEvent(new Event('change'))")
    browser.until(lambda: browser.js(shown) == ["other"])
    for width, scheme in ((1280, "light"), (390, "dark")):
        browser.device(width, 844)
        browser.colours(scheme)
        browser.open(index)
        browser.driver.save_screenshot(str(tmp_path / f"index-{width}-{scheme}.png"))
        assert browser.js("return document.documentElement.scrollWidth") <= width
    browser.device(1280, 900)
    browser.js("document.querySelector('#sheet-runs tbody a').click()")
    browser.until(lambda: browser.js("return document.querySelector('.top h1 a')?.textContent") == "All runs")
    browser.until(lambda: browser.js("return document.documentElement.dataset.ready"))
    events = [json.loads(entry["message"])["message"] for entry in browser.log("performance")]
    asked = {e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"}
    assert all(url.startswith(("file:", "about:", "data:", "chrome:")) for url in asked)
    assert [entry for entry in browser.log("browser") if entry["level"] == "SEVERE"] == []
