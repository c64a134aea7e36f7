"""Use of the report by a reader, in a real browser."""

import json

import browser_runs
import pytest
from selenium_keys import Keys

from repair_bench.analysis.rates import metrics
from repair_bench.report import page, plots
from repair_bench.report.plots import KINDS

pytestmark = pytest.mark.slow


def paths(make):
    attempts, manifest = make()
    return {episode.first.episode: episode for episode in metrics.episodes(attempts)}, manifest.repairs


def ids(browser) -> list[str]:
    """Return all episodes of the list in order, regardless of the number of rows drawn at once."""
    seen = {}
    browser.js("document.getElementById('list').scrollTop = 0")
    for _ in range(100):
        rows = browser.js(
            "return [...document.querySelectorAll('#list li[aria-posinset]')].map((li) =>"
            " [+li.getAttribute('aria-posinset'), li.firstElementChild.dataset.id])"
        )
        seen.update(rows)
        total = browser.js("return +(document.querySelector('#list li')?.getAttribute('aria-setsize') ?? 0)")
        if len(seen) == total:
            break
        browser.js(
            "const list = document.getElementById('list'); list.scrollTop += list.clientHeight;"
            "list.dispatchEvent(new Event('scroll'))"
        )
    return [seen[place] for place in sorted(seen)]


def found(browser) -> int:
    return int(browser.text("#found").split()[0].replace(",", ""))


@pytest.fixture
def small(browser, built):
    browser.open(built(browser_runs.small), "view=episodes")
    return browser


def test_filters_show_matching_episodes(small):
    everything, _ = paths(browser_runs.small)
    assert found(small) == len(everything) == 90
    small.choose("model", "sim/novice")
    small.choose("framework", "cirq")
    wanted = {i for i, e in everything.items() if e.first.model == "sim/novice" and e.first.framework == "cirq"}
    assert set(ids(small)) == wanted
    small.choose("condition", "verdict")
    small.choose("category", "algorithm")
    wanted = {
        i for i in wanted
        if everything[i].first.condition == "verdict" and everything[i].first.category == "algorithm"
    }  # fmt: skip
    assert set(ids(small)) == wanted != set()
    small.click("#filters button[type=reset]")
    assert found(small) == 90
    assert small.address() == {"view": "episodes"}


def test_filters_by_error_class_and_by_when_it_was_solved(small):
    everything, repairs = paths(browser_runs.small)
    counted = {i: e for i, e in everything.items() if e.state(repairs) == "counted"}
    raised = {
        i: [a.verdict is not None and a.verdict.kind == "exception" for a in e.attempts] for i, e in everything.items()
    }
    small.choose("error", "exception")
    shown = set(ids(small))
    assert {i for i in raised if any(raised[i])} <= shown  # off-policy episodes are counted as such
    small.choose("at", "first")
    assert set(ids(small)) == {i for i in raised if raised[i][0]}
    small.click("#filters button[type=reset]")
    small.choose("solved", "2")
    assert set(ids(small)) == {i for i, e in counted.items() if e.solved_at == 2}
    small.choose("solved", "never")
    assert set(ids(small)) == {i for i, e in counted.items() if e.solved_at is None}
    small.choose("solved", "fault")
    assert set(ids(small)) == {i for i, e in everything.items() if e.state(repairs) == "fault"} != set()


def test_the_search_finds_tasks_error_types_and_ids(small):
    everything, _ = paths(browser_runs.small)
    some = next(iter(everything))
    small.one("input[name=q]").send_keys(some)
    assert ids(small) == [some]
    small.one("input[name=q]").clear()
    small.one("input[name=q]").send_keys("nameerror")
    small.until(lambda: 0 < found(small) < 90)
    small.one("input[name=q]").clear()
    small.one("input[name=q]").send_keys("no such thing")
    small.until(lambda: found(small) == 0)
    assert "No episode matches" in small.text("#list")


def test_episode_shows_every_attempt_with_changes(small):
    everything, _ = paths(browser_runs.small)
    episode = next(e for e in everything.values() if len(e.attempts) > 3 and not e.off_policy)
    small.js("location.hash = arguments[0]", f"view=episodes&episode={episode.first.episode}")
    small.until(lambda: small.js("return document.getElementById('episode').dataset.id") == episode.first.episode)
    page = small.text("#episode")
    assert episode.first.messages[1]["content"] in page
    assert len(small.all("section.attempt")) == len(episode.attempts)

    def lines(selector):
        return [line.rstrip("\n") for line in small.texts(f"{selector} > :last-child")]

    for attempt in episode.attempts[1:]:
        section = f"#attempt-{attempt.attempt}"
        assert lines(f"{section} .line:not(.removed)") == attempt.code.split("\n")
        assert lines(f"{section} .line:not(.added)") == episode.attempts[attempt.attempt - 1].code.split("\n")
        if attempt.feedback.text:
            assert attempt.feedback.text in small.text(section)
        if attempt.verdict.kind == "exception":
            assert attempt.verdict.evidence["traceback"] in small.text(section)
        if attempt.verdict.kind == "wrong_answer":
            assert "hidden from the model" in small.text(section)
            assert small.all(f"{section} table.outcomes")
    small.keys("d")
    assert not small.all("#attempt-1 .removed")
    assert lines("#attempt-1 .line") == episode.attempts[1].code.split("\n")
    small.keys("d")
    assert small.all("#attempt-1 .removed")


def test_episodes_in_no_rate_show_the_reason(small):
    small.choose("solved", "fault")
    (faulty,) = ids(small)
    small.click(f"#list a[data-id='{faulty}']")
    small.until(lambda: "503 from the provider" in small.text("#episode"))
    small.choose("solved", "off policy")
    (off,) = ids(small)
    small.click(f"#list a[data-id='{off}']")
    small.until(lambda: "Off-policy" in small.text("#episode"))
    assert "Off-policy" in small.text(".attempt.off-policy .reason")
    assert float(small.js("return getComputedStyle(document.querySelector('.off-policy > .part')).opacity")) < 1
    small.choose("solved", "incomplete")
    assert found(small) == 1


def test_arms_with_one_first_answer_link_to_each_other(small):
    small.keys("j")
    small.until(lambda: len(small.all(".episode > .note a")) == 2)
    links = small.all(".episode > .note a")
    before = small.address()["episode"]
    root = small.text("#attempt-0 .code")
    links[0].click()
    small.until(lambda: small.js("return document.getElementById('episode').dataset.id") not in (None, before))
    assert small.text("#attempt-0 .code") == root


def test_link_restores_view_filters_episode_and_attempt(small, built):
    small.choose("model", "sim/journeyman")
    small.choose("error", "wrong answer")
    small.choose("at", "first")
    small.choose("sort", "late")
    small.keys("j", Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)  # immediately, while the texts are being unpacked
    small.until(lambda: small.address().get("attempt") == "1")
    address, listed, text = small.address(), ids(small), small.text("#episode")
    link = small.js("return location.hash.slice(1)")
    small.open(built(browser_runs.small), link)
    assert small.address() == address
    assert ids(small) == listed
    assert small.text("#episode") == text
    assert small.js("return document.querySelector('select[name=error]').value") == "wrong answer"
    assert small.js("return document.activeElement.id") == "attempt-1"
    top = small.js("return document.getElementById('attempt-1').getBoundingClientRect().top")
    assert 0 <= top < 450
    small.open(built(browser_runs.small), "view=episodes&episode=nothing")
    assert "no episode nothing" in small.text("#episode")


def test_back_button_restores_the_previous_view(small):
    first, second = ids(small)[:2]
    small.js("document.getElementById('list').scrollTop = 0")
    for episode in (first, second):
        small.until(
            lambda episode=episode: small.js(
                "return !!document.querySelector(arguments[0])", f"#list a[data-id='{episode}']"
            )
        )
        small.click(f"#list a[data-id='{episode}']")
    assert small.js("return document.getElementById('episode').dataset.id") == second
    small.driver.back()
    small.until(lambda: small.js("return document.getElementById('episode').dataset.id") == first)


def test_page_works_with_keyboard_only(small):
    order = ids(small)
    small.keys("j")
    assert small.address()["episode"] == order[0]
    small.keys("j", "j", "k")
    assert small.address()["episode"] == order[1]
    small.one("#list").send_keys(Keys.ARROW_DOWN)
    assert small.address()["episode"] == order[2]
    small.keys("?")
    assert small.js("return document.getElementById('help').open")
    small.keys("j")
    assert small.address()["episode"] == order[2]
    small.keys(Keys.ESCAPE)
    small.until(lambda: not small.js("return document.getElementById('help').open"))
    small.keys("/")
    small.keys("j")
    assert small.js("return [document.activeElement.name, document.activeElement.value]") == ["q", "j"]
    small.js("document.activeElement.blur()")
    for key, view in zip("12345", ("summary", "figures", "tables", "tasks", "episodes"), strict=True):
        small.keys(key)
        assert small.address()["view"] == view
        assert small.one(f"#view-{view}").is_displayed()
    small.js("document.getElementById('keys-on').checked = false")
    small.keys("1")
    assert small.address()["view"] == "episodes"


def test_tables_sort_by_a_click_on_a_head(browser, built):
    browser.open(built(browser_runs.small), "view=summary")
    head = "#view-summary thead th:nth-child(4)"  # model, condition, framework, Pass@1
    assert browser.text(head).split() == ["Pass@1", "=", "FB@0"]

    def column() -> list[float]:
        return [
            float(v)
            for v in browser.js(
                "const cells = document.querySelectorAll('#view-summary tbody td:nth-child(4)');"
                "return [...cells].map((cell) => cell.dataset.sort)"
            )
        ]

    assert column() != sorted(column(), reverse=True)
    browser.click(f"{head} button")
    assert column() == sorted(column(), reverse=True)
    assert browser.one(head).get_attribute("aria-sort") == "descending"
    browser.click(f"{head} button")
    assert column() == sorted(column())
    assert browser.one(head).get_attribute("aria-sort") == "ascending"
    browser.click("#view-summary thead th:first-child button")
    names = browser.texts("#view-summary tbody th:first-child")
    assert names == sorted(names)
    assert browser.one(head).get_attribute("aria-sort") is None


def test_titles_are_next_to_ids(browser, built):
    browser.open(built(browser_runs.small), "view=tasks")
    assert [text.split("\n")[0] for text in browser.texts("#map tbody th .title")] == [
        f"An oracle for {n} qubits" for n in range(5)
    ]
    browser.open(built(browser_runs.small), "view=episodes")
    assert browser.texts("#list li:first-child .first > :first-child") == ["01 An oracle for 0 qubits"]
    browser.one("input[name=q]").send_keys("for 3 qubits")
    browser.until(lambda: found(browser) == 18)
    browser.one("#list li a").click()
    browser.settled()
    assert browser.text("#episode h2").startswith("Task 04: An oracle for 3 qubits ")


def test_a_cell_of_the_task_map_opens_its_episode(browser, built):
    everything, _ = paths(browser_runs.small)
    browser.open(built(browser_runs.small), "view=tasks")
    cells = browser.all("#map td a")
    assert len(cells) == len(everything)
    cell = next(c for c in cells if c.text.isdigit() and int(c.text) > 0)
    label, solved = cell.get_attribute("aria-label"), int(cell.text)
    cell.click()
    browser.settled()
    opened = everything[browser.address()["episode"]]
    assert browser.one("#episode h2").is_displayed()
    assert opened.solved_at == solved
    assert all(name in label for name in (opened.first.model, opened.first.framework, opened.first.condition))
    browser.open(built(browser_runs.small), "view=tasks")
    browser.js("document.querySelector('#map td a').focus()")
    browser.keys(Keys.ARROW_RIGHT)
    assert browser.js("return document.activeElement.closest('td').cellIndex") == 2
    assert len(browser.all("#map a[tabindex='0']")) == 1
    browser.keys(Keys.ENTER)
    browser.until(lambda: browser.address().get("episode"))


def test_theme_is_light_dark_or_system(browser, built):
    page = built(browser_runs.small)

    def dark() -> bool:
        red = browser.js("return getComputedStyle(document.body).backgroundColor.match(/[0-9.]+/g).map(Number)")[0]
        return red < (128 if red > 1 else 0.5)

    browser.colours("dark")
    browser.open(page)
    browser.js("localStorage.clear()")
    browser.open(page)
    assert dark()
    browser.click("#theme")  # system -> light
    assert not dark()
    browser.open(page)
    assert not dark()  # kept
    browser.keys("t")
    browser.colours("light")
    assert dark()
    browser.keys("t")
    assert not dark()
    assert browser.one("#theme").get_attribute("aria-label") == "Colours: as the system"
    browser.js("localStorage.clear()")


@pytest.mark.parametrize("make", [browser_runs.empty, browser_runs.faults])
def test_empty_run_has_a_note_in_every_view(browser, built, make):
    for view in ("summary", "figures", "tables", "tasks", "episodes"):
        browser.open(built(make), f"view={view}")
        shown = browser.one(f"#view-{view}").text
        if make is browser_runs.empty and view in ("summary", "tasks", "episodes"):
            assert "No attempts have been recorded yet." in shown
    assert ("PARTIAL" if make is browser_runs.empty else "INFRASTRUCTURE ERRORS") in browser.text(".notices")
    assert not browser.js("return !document.getElementById('trouble').hidden")


def test_every_kind_of_plot_is_on_the_page_and_all_of_it_fits(browser, built, tmp_path_factory):
    page = built(browser_runs.small, every_plot=True)
    pictures = tmp_path_factory.mktemp("screenshots")
    browser.open(page, "view=figures")
    assert browser.js("return [...document.querySelectorAll('figure')].map((f) => f.id)") == [
        f"figure-{kind}" for kind in KINDS
    ]
    ids = browser.js("return [...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))
    used = browser.js("return [...document.querySelectorAll('svg use')].map((u) => u.getAttribute('href').slice(1))")
    assert set(used) <= set(ids)
    episode = next(i for i, e in paths(browser_runs.small)[0].items() if len(e.attempts) > 3)
    views = {
        **{view: f"view={view}" for view in ("summary", "figures", "tables", "tasks", "episodes")},
        "prompt": f"view=episodes&episode={episode}",
        "attempt": f"view=episodes&episode={episode}&attempt=2",
    }
    for width, height in ((1280, 900), (390, 844)):
        browser.device(width, height)
        for scheme in ("light", "dark"):
            browser.colours(scheme)
            for name, address in views.items():
                browser.open(page, address)
                browser.driver.save_screenshot(str(pictures / f"{name}-{width}-{scheme}.png"))
                assert browser.js("return document.documentElement.scrollWidth") <= width, name
    print(f"\nscreenshots: {pictures}")  # noqa: T201 - to be looked at


def test_figures_follow_the_dark_theme(browser, built):
    browser.colours("dark")
    browser.open(built(browser_runs.small), "view=summary")
    look = "const look = (s, what) => getComputedStyle(document.querySelector(s))[what]; "
    assert browser.js(f"{look} return look('.paper', 'backgroundColor') === look('body', 'backgroundColor')")
    assert browser.js(f"{look} return look('.paper svg', 'fill') === look('body', 'color')")
    fills = "[...document.querySelectorAll('.paper svg :is(path, rect)')].map((e) => getComputedStyle(e).fill)"
    assert "rgb(255, 255, 255)" not in browser.js(f"return {fills}")


def test_a_narrow_screen_shows_every_rate_of_the_summary(browser, built):
    browser.device(390, 844)
    browser.open(built(browser_runs.small), "view=summary")
    places = browser.js(
        "return [...document.querySelectorAll('#sheet-rates td')].map((td) => td.getBoundingClientRect().right)"
    )
    assert places
    assert max(places) <= 390
    named = "getComputedStyle(document.querySelector('#sheet-rates td'), '::before').content"
    assert "Pass@1" in browser.js(f"return {named}")
    assert "scroll sideways" in browser.js(
        "return getComputedStyle(document.querySelector('figcaption'), '::after').content"
    )


def test_everything_has_a_name_and_every_head_a_scope(small):
    small.keys("j")
    nameless = small.js(
        "const named = (e) =>"
        " e.textContent.trim() || e.ariaLabel || e.getAttribute('aria-labelledby') || e.labels?.length;"
        "const all = document.querySelectorAll('button, a[href], input, select, [role=region], [role=img]');"
        "return [...all].filter((e) => !named(e)).map((e) => e.outerHTML.slice(0, 100))"
    )
    assert nameless == []
    assert small.js("return [...document.querySelectorAll('th')].filter((e) => !e.scope).length") == 0


def test_page_handles_ten_thousand_episodes(browser, built):
    page = built(browser_runs.many)
    browser.open(page, "view=episodes")
    ready = int(browser.js("return document.documentElement.dataset.ready"))
    paint = browser.js("return performance.getEntriesByType('paint').map((p) => [p.name, Math.round(p.startTime)])")
    assert found(browser) == 10_080
    assert len(browser.all("#list li")) < 100
    times = {"ready": ready, **dict(paint)}
    for name, value in (
        ("model", browser_runs.MODELS[2]),
        ("condition", "none"),
        ("error", "exception"),
        ("solved", "never"),
    ):
        times[f"filter by {name}"] = browser.js(
            "const s = document.querySelector(`select[name=${arguments[0]}]`); s.value = arguments[1];"
            "const begun = performance.now(); s.dispatchEvent(new Event('input', { bubbles: true }));"
            "document.body.offsetHeight; return Math.round(performance.now() - begun)",
            name, value,
        )  # fmt: skip
    everything, _ = paths(browser_runs.many)
    wanted = {
        i for i, e in everything.items()
        if e.first.model == browser_runs.MODELS[2] and e.first.condition == "none" and e.solved_at is None
        and any(a.verdict.kind == "exception" for a in e.attempts)
    }  # fmt: skip
    assert found(browser) == len(wanted)
    assert set(ids(browser)) == wanted
    browser.click("#filters button[type=reset]")
    browser.js("const l = document.getElementById('list'); l.scrollTop = l.scrollHeight")
    last = browser.until(
        lambda: browser.js("return document.querySelector('#list li[aria-posinset=\"10080\"] a')?.dataset.id")
    )
    times["open"] = browser.driver.execute_async_script(
        TIMED, f"view=episodes&episode={last}", f"#episode[data-id='{last}'] .attempt"
    )
    assert everything[last].first.code.split("\n")[3] in browser.text("#attempt-0")
    times["task map"] = browser.driver.execute_async_script(TIMED, "view=tasks", "#map td a")
    assert len(browser.all("#map td a")) == 42 * 4 * 3 * 5
    size = page.stat().st_size / 1e6
    print(f"\n10,080 episodes, {size:.1f} MB; milliseconds: {json.dumps(times)}")  # noqa: T201 - measured


TIMED = """
const [address, selector, done] = arguments;
const begun = performance.now();
const wait = () => {
  if (document.querySelector(selector)) done(Math.round(performance.now() - begun));
  else setTimeout(wait, 1);
};
location.hash = address;
wait();
"""


def test_page_of_an_active_run_reloads_in_place(browser, tmp_path, monkeypatch):
    monkeypatch.setattr(plots, "KINDS", {"repair-curve": plots.KINDS["repair-curve"]})
    attempts, manifest = browser_runs.small()
    half = [a for a in attempts if a.framework != "cirq"]
    path = tmp_path / "page.html"
    page.write(manifest, half, path, extra=page.PageOptions(refresh=2))
    browser.open(path, "view=tables")
    browser.js("scrollTo(0, 300)")
    page.write(manifest, attempts, path)
    browser.until(lambda: browser.js("return !document.body.dataset.refresh && document.documentElement.dataset.ready"))
    assert browser.address() == {"view": "tables"}
    assert browser.js("return [scrollY, document.documentElement.dataset.view]") == [300, "tables"]
    assert "cirq" in browser.text("#view-tables")
    assert browser.js("return sessionStorage.length") == 0
