"""The page of a run. tests/report/browser opens it in a browser."""

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html import escape as escaped
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from horizon_runs import DEFAULT, VERDICT, arm
from typer.testing import CliRunner

from repair_bench.analysis.feedback_use.use import Observed, Reach, Seen
from repair_bench.analysis.rates import metrics
from repair_bench.cli import app
from repair_bench.report import page as html
from repair_bench.report import plots, sections
from repair_bench.report.page import episodes, figures
from repair_bench.report.table import Count, Table
from repair_bench.testing.made_up_runs import attempt, attempts_of, run, study, up_to, written
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Completion, ExceptionInfo, Feedback, Outcome, Query, Verdict
from repair_bench.traces.run import run_reader
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.study_lock import Comparison

EVERY = dict(plots.KINDS)


@pytest.fixture(autouse=True)
def no_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Omit plots, which are slow and irrelevant to most tests."""
    monkeypatch.setattr(plots, "KINDS", {})


@pytest.fixture
def one_plot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plots, "KINDS", {"repair-curve": EVERY["repair-curve"]})


class Page(HTMLParser):
    """A parsed page: its tags with their attributes, and the raw texts of elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[int, str] = {}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        self.tags.append((f"/{tag}", {}))

    def handle_data(self, data):
        last = len(self.tags) - 1
        self.texts[last] = self.texts.get(last, "") + data

    def elements(self, tag: str) -> Iterator[tuple[dict[str, str | None], str]]:
        for number, (name, attributes) in enumerate(self.tags):
            if name == tag:
                yield attributes, self.texts.get(number, "")


def page(attempts, manifest, notes=(), **asked) -> str:
    with TemporaryDirectory() as folder:
        place = Path(folder) / "page.html"
        html.write(manifest, attempts, place, notes, html.PageOptions(**asked))
        return place.read_text(encoding="utf-8")


def sheets(text: str) -> list[str]:
    """Return the names of the tables of a page in order."""
    return [str(a["id"]).removeprefix("sheet-") for a, _ in Page(text).elements("section") if a.get("class") == "sheet"]


def block(text: str, name: str):
    contents = {a["id"]: content for a, content in Page(text).elements("script") if "id" in a}
    return json.loads(gzip.decompress(base64.b64decode(contents[f"block-{name}"])))


def escape(text: str) -> str:
    """Return a text as it is escaped in markup."""
    return escaped(text).replace("&#x27;", "&#39;").replace("&quot;", "&#34;")


def words(text: str) -> str:
    return " ".join(re.sub(r"<script.*?</script>|<style.*?</style>|<[^>]*>", " ", text, flags=re.DOTALL).split())


@pytest.mark.slow
@pytest.mark.usefixtures("one_plot")
def test_page_loads_nothing_from_a_network():
    text = page(*run(tasks=3))
    found = Page(text)
    for tag, attributes in found.tags:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base"}
        assert not {"src", "srcset", "action", "ping"} & attributes.keys()
        assert not [name for name in attributes if name.startswith("on")]
        assert (attributes.get("href") or "#").startswith("#")
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text)


def test_policy_allows_only_this_style_and_script():
    found = Page(page(*run(tasks=3)))
    policy = next(a["content"] for a, _ in found.elements("meta") if a.get("http-equiv") == "Content-Security-Policy")
    (style,) = (content for _, content in found.elements("style"))
    (script,) = (content for a, content in found.elements("script") if a["type"] == "module")

    def sealed(content: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"

    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == sealed(script)
    assert rules["style-src-elem"] == sealed(style)
    assert rules["require-trusted-types-for"] == "'script'"
    assert "unsafe" not in rules["script-src"]


def test_scripts_create_no_markup_from_strings():
    (script,) = (c for a, c in Page(page([], Manifest.from_json({}))).elements("script") if a.get("type") == "module")
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "srcdoc"):
        assert way not in script


ATTACK = "</script><script>window.hacked=1</script><!--\x1b[31m\u2028\ud800\x00"


@pytest.mark.slow
@pytest.mark.usefixtures("one_plot")
def test_hostile_names_and_texts_are_escaped():
    names = dict.fromkeys(("model", "suite", "task_id", "framework", "category", "difficulty", "condition"), ATTACK)
    attempts = [
        attempt(letter, number, feedback=Feedback(ATTACK, ATTACK, redacted=2) if number else None, code=ATTACK,
                messages=[{"role": ATTACK, "content": ATTACK}], completion=Completion(ATTACK), **names)
        for number, letter in enumerate("ew")
    ]  # fmt: skip
    experiment = {"max_attempts": 1, "models": [ATTACK], "conditions": {ATTACK: {ATTACK: ATTACK}}}
    manifest = Manifest.from_json(
        {"name": ATTACK, "experiment": experiment, "simulated": [ATTACK], "excluded": [[ATTACK] * 4]}
    )
    text = page(attempts, manifest, notes=[ATTACK])
    text.encode()  # no lone surrogate is left
    assert not {"\x1b", "\u2028", "\0"} & set(text)
    outside = "".join(content for a, content in Page(text).elements("script") if a.get("type") != "module")
    assert re.fullmatch(r"[A-Za-z0-9+/=]*", outside)
    assert sum(1 for _ in Page(text).elements("script")) == 3
    body = block(text, "chunk-0")["episodes"][0]["attempts"][1]
    assert body["code"] == ATTACK
    assert body["feedback"]["text"] == ATTACK
    assert body["feedback"]["leaks"].startswith("2 redactions")
    assert "Redacted feedback: text from" in text
    expected = "".join(c if c.isprintable() else "\ufffd" for c in ATTACK)
    assert block(text, "index")["fields"]["model"]["names"] == [expected]


def test_the_index_agrees_with_the_metrics():
    attempts, manifest = study(models=("a", "sim/b"), tasks=8, policies=("default", "none"), samples=2)
    index = block(page(attempts, manifest), "index")
    rated = {e.first.episode: e for e in metrics.episodes(attempts)}
    assert set(index["id"]) == rated.keys()
    for place, name in enumerate(index["id"]):
        episode = rated[name]
        assert index["state"][place] == episode.state(5)
        assert index["solved"][place] == episode.solved_at
        for field in ("model", "framework", "condition", "category"):
            column = index["fields"][field]
            assert column["names"][column["column"][place]] == getattr(episode.first, field)
        kinds = [index["kinds"][kind][0] for kind in index["paths"][place]]
        assert (kinds[-1] == "pass") == (episode.solved_at is not None)
    firsts = {a.id for a in attempts if a.attempt == 0}
    assert len(set(index["root"])) == len(firsts) == len(rated) / 2  # two arms of each first answer


def test_tasks_have_titles_if_the_manifest_has_them():
    attempts, manifest = run(tasks=2)
    index = block(page(attempts, manifest.replaced(titles=[["aligned", "01", "Bell\u202e state"]])), "index")
    assert dict(zip(index["fields"]["task"]["names"], index["titles"], strict=True)) == {
        "aligned 00": None,
        "aligned 01": "Bell\ufffd state",
    }


def test_chunks_follow_the_order_of_the_index():
    attempts, manifest = run(tasks=40)
    text = page(attempts, manifest)
    index = block(text, "index")
    chunks = -(-len(index["id"]) // index["chunk"])
    bodies = [body for n in range(chunks) for body in block(text, f"chunk-{n}")["episodes"]]
    firsts = {a.episode: a.id for a in attempts if a.attempt == 0}
    assert [body["attempts"][0]["id"] for body in bodies] == [firsts[name] for name in index["id"]]
    tasks = index["fields"]["task"]
    assert [tasks["names"][n] for n in dict.fromkeys(tasks["column"])] == [f"aligned {n:02}" for n in range(40)]


def test_tasks_are_sorted_by_number():
    names = ["BasicGates/1.10", "BasicGates/1.2", "BasicGates/1.9", "10", "9", "\u00b2"]
    found = episodes.traces([attempt("p", episode=name, task_id=name) for name in names], 0)
    assert [t.first.task_id for t in found] == [names[n] for n in (4, 3, 1, 2, 0, 5)]


def test_traceback_of_a_candidate_is_on_the_page():
    raised = ExceptionInfo("NameError", "no", "Traceback\nNameError: no")
    outcome = Outcome("exception", stdout="begun", exception=raised)
    made = [attempt("e", outcome=outcome), attempt("w", 1, outcome=Outcome("returned"))]
    first, second = block(page(made, up_to(1)), "chunk-0")["episodes"][0]["attempts"]
    assert first["outcome"] == {"status": "exception", "stdout": "begun", "traceback": "Traceback\nNameError: no"}
    assert "traceback" not in second["outcome"]


def test_long_text_is_cut_with_a_note():
    text = page([attempt("p", code="x" * 1_000_000)], Manifest.from_json({}))
    code = block(text, "chunk-0")["episodes"][0]["attempts"][0]["code"]
    assert code.startswith("x" * episodes.MAX_LENGTH)
    assert "950,000 more characters in attempts.jsonl" in code


def test_off_policy_attempts_are_shown_and_marked():
    attempts = [attempt("e"), attempt("w", 1), attempt("p", 2, off_policy=True)]
    text = page(attempts, up_to(2))
    index = block(text, "index")
    assert index["state"] == ["off policy"]
    assert index["solved"] == [None]
    assert [index["kinds"][kind][0] for kind in index["paths"][0]] == ["exception", "wrong answer", "off policy"]
    assert (
        "This attempt is not counted in any rate;" in block(text, "chunk-0")["episodes"][0]["attempts"][2]["off_policy"]
    )


@pytest.mark.parametrize(
    ("letters", "stated", "said"),
    [
        ("", {}, "No attempts have been recorded yet."),
        ("ef", {"experiment": {"max_attempts": 5}}, "INFRASTRUCTURE ERRORS: 1 episode censored"),
        ("e", {"experiment": {"max_attempts": 5}, "episodes": 9}, "PARTIAL: 9 of 9 episodes not finished"),
        ("p", {"simulated": ["sim/one"]}, "SIMULATED MODEL. These figures are not evidence about real models."),
    ],
    ids=["empty", "faults", "partial", "simulated"],
)
def test_page_has_the_notices_of_the_run(letters, stated, said):
    notes = ["attempts.jsonl: ignored an incomplete last line"]
    text = words(page(attempts_of(letters), Manifest.from_json(stated), notes=notes))
    assert said in text
    assert "ignored an incomplete last line" in text


def test_rates_are_shown_with_intervals():
    attempts = [a for n in range(350) for a in attempts_of("p" if n < 291 else "e", f"{n:03}", task_id=str(n))]
    text = words(page(attempts, up_to(0)))
    assert "83.1 78.9-86.7" in text  # QuantumKatas, section 5: 83.1% of 350


@pytest.mark.slow
@pytest.mark.usefixtures("one_plot")
def test_the_same_run_gives_the_same_page_in_any_order():
    attempts, manifest = run(tasks=6)
    assert page(attempts, manifest) == page(list(reversed(attempts)), manifest)


def runs_of_every_section():
    """Return runs that together have all sections."""
    made = [study(tasks=6, repairs=2, samples=2, starters=(True, False), policies=("default", "none", "shuffled"))]
    made.append(([*attempts_of("e", "a"), attempt("p", 1, "a", off_policy=True)], up_to(1)))
    noisy = [attempt("w", verdict=Verdict("wrong_answer", rule="released")), *attempts_of("p", "b", task_id="2")]
    made.append((noisy, up_to(1)))
    critic = Query("other/model", [], Completion("x", {}, 0.5))
    made.append(([attempt("w"), attempt("p", 1, feedback=Feedback("critic", "it failed", critic=critic))], up_to(1)))
    leak = Feedback("default", "it failed", redacted=2)
    made.append(([attempt("w"), attempt("p", 1, feedback=leak)], up_to(1)))
    published = attempt("p", verdict=Verdict("pass", rule="semantic", published="wrong_answer"))
    made.append(([published], up_to(1)))
    alike = [a for model in ("x", "y") for a in attempts_of("p", model, model=model, code="f = 1")]
    made.append((alike, up_to(1)))
    attempts, manifest = run(tasks=3)
    guarded = replace(attempts[0], verdict=replace(attempts[0].verdict, sealed="guarded"))
    doubted = {"labels": {"wrong": [["aligned", "01"]], "underspecified": [["aligned", "02"]]}}
    made.append(([guarded, *attempts[1:]], manifest.replaced(**doubted)))
    reasoned = {"reasoning_tokens": 5}
    usage = Completion("x", {"prompt_tokens": 100, "completion_tokens": 10, "completion_tokens_details": reasoned})
    tried = [
        a
        for arm in ("0-tries", "2-tries")
        for a in attempts_of("p", arm, condition=arm, completion=usage, executions=int(arm[0]))
    ]
    settings = {"0-tries": {}, "2-tries": {"tools": 2}}
    made.append((tried, Manifest.from_json({"experiment": {"max_attempts": 0, "conditions": settings}})))
    cut = attempt("n", completion=Completion("", finish_reason="length", reply="cut"))
    made.append(([cut, *attempts_of("f", "fault")], manifest))
    made.append(([*attempts_of("wp", "a"), *attempts_of("w", "b", task_id="2", stoppable=True)], manifest))
    return made


REACH = Reach(4, (0.25, 0.75, 1.0), exact=True, consistent=(0.25, 0.75, 1.0))


def hiding(letters: str, kept: tuple[int, ...], name: str = "ep") -> Observed:
    """Return an episode with one of four hidden conventions. `kept`: those open after each attempt, as bits."""
    seen = tuple(Seen(number, mixed=False, kept=left, solved=1 << number, cells=()) for number, left in enumerate(kept))
    path = tuple(attempts_of(letters, name, suite="conventions", task_id=f"fourier-{2 * len(name) - 4}"))
    return Observed(
        metrics.Episode(path), "fourier", 2 * len(name) - 4, REACH, seen, REACH.best, ("a+", "a-", "b+", "b-")
    )


OBSERVED = [
    replace(hiding("wp", (0b1010, 0b0010), "abc"), understood=(None, True)),
    hiding("p", (0b1,), "ab"),
]


@pytest.mark.slow
def test_an_episode_shows_what_feedback_leaves_open():
    text = page([a for one in OBSERVED for a in one.episode.attempts], up_to(2), observed=OBSERVED)
    assert "Figure: Information" in text
    first, second = block(text, "chunk-0")["episodes"]
    left = {len(body["attempts"]): [a.get("left") for a in body["attempts"]] for body in (first, second)}
    assert left[2] == [{"bits": 1.0, "open": ["a-", "b-"]}, {"bits": 0.0, "open": ["a-"]}]
    assert left[1] == [None]  # nothing was open


@pytest.mark.slow
def test_the_page_has_every_section_that_the_terminal_has():
    met = set()
    hidden = [a for one in OBSERVED for a in one.episode.attempts]
    runs = [(*made, ()) for made in runs_of_every_section()]
    conditions = {name: {"feedback": name} for name in ("default", "verdict")}
    arms = [*arm("default", DEFAULT), *arm("verdict", VERDICT)]
    runs.append((arms, Manifest({"experiment": {"max_attempts": 1, "conditions": conditions}}), ()))
    for attempts, manifest, seen in [*runs, (hidden, up_to(2), OBSERVED)]:
        data = sections.run_data(manifest, attempts, observed=seen)
        printed = sections.tables(data, {**sections.SUMMARY, **sections.SECTIONS})
        text = page(attempts, manifest, observed=seen)
        assert set(printed) <= set(sheets(text))
        read = words(text)
        for table in printed.values():
            for said in (table.title, *table.notes, *table.lines):
                assert " ".join(escape(said).split()) in read
            for cell in (cell for row in table.rows for cell in row if cell.role == "figure"):
                assert escape(cell.figure) in read
        met |= printed.keys()
    assert met == {**sections.SUMMARY, **sections.SECTIONS}.keys()


def toy(run_data):
    return Table.of("How many toys", [{"toys": 1_234}], lambda row: {"toys": Count(row["toys"])}, "A note of toys.")


@pytest.mark.slow
def test_a_new_section_is_seen_in_terminal_page_and_json(monkeypatch, tmp_path):
    monkeypatch.setitem(sections.SECTIONS, "toy", f"{__name__}:toy")
    written(tmp_path / "run", *run(tasks=2))
    printed = CliRunner().invoke(app, ["report", str(tmp_path / "run"), "--full"]).stdout
    assert "How many toys\n toys\n1,234\nA note of toys." in "\n".join(map(str.rstrip, printed.splitlines()))
    found = json.loads(CliRunner().invoke(app, ["report", str(tmp_path / "run"), "--json"]).stdout)
    assert found["sections"]["toy"] == {
        "title": "How many toys",
        "note": "A note of toys.",
        "rows": [{"toys": 1234}],
        "shown": [{"toys": "1,234"}],
    }
    CliRunner().invoke(app, ["report", str(tmp_path / "run"), "--html"])
    text = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "toy" in sheets(text)
    assert "How many toys A note of toys. toys 1,234" in words(text)


@pytest.mark.slow
def test_the_first_tab_shows_the_repair_curve_and_the_errors(monkeypatch):
    kinds = ("repair-curve", "errors", "survival")
    monkeypatch.setattr(plots, "KINDS", {kind: EVERY[kind] for kind in kinds})
    text = page(*run(tasks=3))
    summary, others = text.split('id="view-figures"')
    assert 'id="sheet-rates"' in summary
    assert [kind for kind in kinds if f'id="figure-{kind}"' in summary] == ["repair-curve", "errors"]
    assert [kind for kind in kinds if f'id="figure-{kind}"' in others] == ["survival"]
    assert all(f"figure={kind}" in others for kind in kinds)


@pytest.mark.slow
def test_page_shows_published_figures_certificate_and_comparison(tmp_path):
    judged = [Verdict("wrong_answer", rule="released"), Verdict("pass", rule="released")]
    attempts = [attempt("w", n, verdict=verdict) for n, verdict in enumerate(judged)]
    written(tmp_path / "noisy", attempts, up_to(1))
    written(tmp_path / "exact", attempts_of("p", "other"), up_to(1))
    tasks = [{"id": "01", "framework": "qiskit", "accepted": 0.9}]
    (tmp_path / "c.json").write_text(json.dumps({"suite": "aligned", "rule": "released", "tasks": tasks}))
    noisy, exact, certificate = (str(tmp_path / name) for name in ("noisy", "exact", "c.json"))

    def made(*arguments):
        done = CliRunner().invoke(app, [*arguments, "--html"], catch_exceptions=False)
        return Path(done.stdout.strip()).read_text(encoding="utf-8")

    text = made("report", noisy, "--published", "quanbench-plus", "--certificate", certificate)
    assert {"published", "published-1", "net_gain"} <= set(sheets(text))
    assert "not ranked among the published results" in words(text)
    printed = CliRunner().invoke(app, ["report", noisy, "--published", "quanbench-plus"], catch_exceptions=False).stdout
    assert [name for name in sheets(text) if name.startswith("published")][-1] == "published-caveats"
    assert all(
        title in printed and title in words(text)
        for title in ("Comparison with published figures", "Limits of the comparison")
    )
    assert "+100.0" in words(text)
    assert "9.0" in words(text), "the spurious repair is known"
    text = made("compare", noisy, exact, "--by", "rule", "--out", str(tmp_path / "page.html"))
    assert sheets(text)[1:6] == ["compared", "comparison", "comparison-won", "comparison-lost", "comparison-noise"]
    assert "1 pair, by rule; 0 unpaired" in words(text)
    assert "Only B solves: 0 pairs" in words(text)
    written(tmp_path / "both", *run(models=("a", "b"), tasks=2))
    assert "comparison" in sheets(made("compare", "a", "b", "--by", "model", "--in", str(tmp_path / "both")))
    assert (tmp_path / "both" / "compare.html").exists()
    plain = page(attempts, Manifest.from_json({}))
    assert not [name for name in sheets(plain) if name.startswith(("compar", "published"))]


def test_ids_of_several_figures_do_not_collide():
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="720pt" height="9pt">'
        '<metadata>x</metadata><style>*{fill:red}</style><defs><path id="m1"/></defs><!-- <script> -->'
        '<use xlink:href="#m1" style="clip-path: url(#m1)"/><g clip-path="url(#m1)"/></svg>'
    )
    found = str(figures.embeddable(svg, "errors", 'a "label"'))
    assert found.count('"errors-m1"') == 1
    assert 'href="#errors-m1"' in found
    assert found.count("url(#errors-m1)") == 2
    for dropped in ("metadata", "<style", "script", "xlink", "ns0"):
        assert dropped not in found
    assert 'width="960"' in found


def test_figure_takes_the_colours_of_the_page_except_for_data():
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="720pt" height="9pt"><path style="fill: #ffffff"/>'
        '<path style="fill: #56b4e9; stroke: #000000"/><pattern id="h1"><rect fill="#ffffff"/></pattern></svg>'
    )
    found = str(figures.embeddable(svg, "errors", "label"))
    assert 'style="fill: var(--page)"' in found
    assert 'style="fill: #56b4e9; stroke: var(--ink)"' in found
    assert '<rect fill="#ffffff" />' in found


@pytest.mark.slow
def test_every_kind_of_plot_is_on_the_page(monkeypatch):
    monkeypatch.setattr(plots, "KINDS", EVERY)
    attempts, manifest = run(models=("a", "b"), tasks=6)
    found = Page(page(attempts, manifest))
    assert [a["id"] for a, _ in found.elements("figure")] == [f"figure-{k}" for k in plots.KINDS]
    without = run(models=("a",), tasks=3, repairs=0)
    assert "Not drawn: Survival: This run contains no repairs" in words(page(*without))
    ids = [a["id"] for _, a in found.tags if "id" in a]
    assert len(ids) == len(set(ids))


@pytest.mark.slow
def test_command_writes_the_page_and_prints_its_path(tmp_path):
    attempts, manifest = run(tasks=3)
    written(tmp_path / "run", attempts, manifest)
    done = CliRunner().invoke(app, ["report", str(tmp_path / "run"), "--html"])
    assert done.exit_code == 0
    assert done.stdout == f"{tmp_path / 'run' / 'report.html'}\n"
    text = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert text == page(attempts, manifest)  # rows on disk and attempts in memory give the same page
    other = tmp_path / "new" / "p.html"
    done = CliRunner().invoke(app, ["report", str(tmp_path / "run"), "--html", "--out", str(other)])
    assert done.stdout == f"{other}\n"
    assert other.read_text(encoding="utf-8") == text


def test_unwritable_page_is_a_usage_error_without_files(tmp_path):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "page.html").mkdir()
    for place in (tmp_path / "file" / "page.html", tmp_path / "page.html"):
        with pytest.raises(UsageError, match="cannot be written"):
            html.write(Manifest.from_json({}), [], place)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "page.html"]


def test_hostile_names_in_rows_are_replaced(tmp_path):
    written(tmp_path / "run", [attempt("p", model="a\x1b[31m\ud800", task_id="\u202e1")], Manifest.from_json({}))
    found = run_reader.load_rows(tmp_path / "run")
    text = page(found.rows, found.manifest)
    assert block(text, "index")["fields"]["model"]["names"] == ["a\ufffd[31m\ufffd"]


def test_comparisons_are_marked_as_planned_or_exploratory() -> None:
    """The marks also work for a model with an unprintable name."""
    attempts, manifest = study(["sim/\x1bone"], ("qiskit",), 6, 2, ("default", "verdict", "none"))
    asked = Comparison("condition", attempts[0].suite, "sim/\x1bone", "none", "default", 2)
    marks = re.findall(r"<td[^>]*>(planned|exploratory)", page(attempts, replace(manifest, planned={asked: 6})))
    assert marks == ["planned", "exploratory"]
    assert not re.search(r"<td[^>]*>(planned|exploratory)", page(attempts, manifest)), "of a run without a lock"
