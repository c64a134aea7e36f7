"""A hostile run cannot change the page: it runs no script, sends no request, and appears as text only."""

import http.server
import json
import threading
import unicodedata

import browser_runs
import pytest

pytestmark = pytest.mark.slow


@pytest.fixture
def page(built):
    return built(browser_runs.hostile)


def requests(browser, page) -> list[str]:
    """Return every address that the browser requested, except the page itself."""
    asked = []
    for line in browser.log("performance"):
        message = json.loads(line["message"])["message"]
        if message["method"] in ("Network.requestWillBeSent", "Network.webSocketCreated"):
            url = message["params"].get("request", message["params"])["url"]
            # the last two are of the initial tab; no page can request them
            own = ("about:blank", "data:", "chrome://", "chrome-untrusted://")
            if not url.startswith((page.as_uri(), *own)):
                asked.append(url)
    return asked


def test_views_run_no_script_and_send_no_request(browser, page):
    attempts, _ = browser_runs.hostile()
    browser.open(page)
    for view in ("summary", "figures", "tables", "tasks", "episodes"):
        browser.go(f"view={view}")
        assert browser.js("return window.hacked") is None
    for episode in dict.fromkeys(a.episode for a in attempts):
        browser.go(f"view=episodes&episode={episode}")
        browser.js("for (const d of document.querySelectorAll('details')) d.open = true")
        browser.js("for (const a of document.querySelectorAll('.toggle')) a.click()")
        assert browser.js("return window.hacked") is None
        assert len(browser.all("#episode section.attempt")) == sum(a.episode == episode for a in attempts)
    assert requests(browser, page) == []
    foreign = "script, img, iframe, link, style, object, [onload], [onerror], [href^=javascript]"
    assert browser.js(f"return document.querySelectorAll('main :is({foreign})').length") == 0
    assert browser.js("return document.querySelectorAll('script:not([type=\"text/plain\"])').length") == 1
    assert browser.js("return document.getElementById('trouble').hidden")
    assert browser.text("title").endswith(": repair-bench report")


def test_texts_are_shown_verbatim(browser, page):
    attempts, _ = browser_runs.hostile()
    browser.open(page)
    for attempt in attempts:
        attack = browser_runs.ATTACKS[int(attempt.task_id[:2]) - 1]
        if attempt.attempt or not attack.isprintable():
            continue
        browser.go(f"view=episodes&episode={attempt.episode}")
        assert attack in browser.text("#attempt-0 .part:nth-of-type(1) details pre"), attack
        assert browser.texts("#attempt-0 .code .line:nth-child(2) > :last-child")[0].startswith(attack[:10])


def test_invisible_characters_are_shown(browser, page):
    attempts, _ = browser_runs.hostile()
    browser.open(page)
    for episode in dict.fromkeys(a.episode for a in attempts):
        browser.go(f"view=episodes&episode={episode}")
        shown = browser.text("body > main")
        hidden = {c for c in shown if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")} - {"\n", "\t"}
        assert hidden == set()
    escape = next(a for a in attempts if "\x1b" in a.code)
    browser.open(page, f"view=episodes&episode={escape.episode}")
    assert "␛[31mred" in browser.text("#attempt-0")


def test_line_of_a_megabyte_is_cut_with_a_note(browser, page):
    attempts, _ = browser_runs.hostile()
    long = next(a for a in attempts if len(a.code) > 1_000_000)
    browser.open(page, f"view=episodes&episode={long.episode}")
    text = browser.text("#attempt-0")
    assert "more characters in attempts.jsonl" in text
    assert len(text) < 1_000_000
    assert browser.js("return document.documentElement.scrollWidth") <= 1280
    assert page.stat().st_size < 10_000_000


def test_content_policy_blocks_unescaped_scripts(browser, built):
    """Scripts, markup from strings, and requests, which the policy of the page must block."""
    browser.open(built(browser_runs.small))
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            base = f"http://127.0.0.1:{server.server_port}"
            outcome = browser.driver.execute_async_script(
                """
                const [base, done] = arguments;
                const seen = {};
                const attempt = (name, act) => {
                  try { act(); seen[name] = "done"; } catch (error) { seen[name] = error.name; }
                };
                const add = (place, tag, fields) => place.append(Object.assign(document.createElement(tag), fields));
                setTimeout(() => {  // in the page's own time: the policy does not bind what the driver evaluates
                  attempt("innerHTML", () => { document.body.innerHTML = "<b>x</b>"; });
                  attempt("eval", () => { (0, eval)("window.hacked = 1"); });
                  attempt("script", () => add(document.body, "script", { text: "window.hacked = 2" }));
                  add(document.body, "img", { src: `${base}/image` });
                  add(document.body, "iframe", { src: `${base}/frame` });
                  add(document.head, "link", { rel: "stylesheet", href: `${base}/style` });
                  add(document.head, "style", { textContent: `@import url("${base}/import")` });
                  add(document.body, "form", { action: `${base}/form` });
                  document.body.lastChild.submit();
                  navigator.sendBeacon(`${base}/beacon`);
                  fetch(`${base}/fetch`).then(() => "sent", (error) => error.name).then((name) => {
                    seen.fetch = name;
                    setTimeout(() => done(seen), 500);
                  });
                });
                """,
                base,
            )
        finally:
            server.shutdown()
    assert outcome == {"innerHTML": "TypeError", "eval": "EvalError", "script": "TypeError", "fetch": "TypeError"}
    assert browser.js("return window.hacked") is None
    assert asked == []
