"""Sites of several runs: their figures equal those of reports, and private data is omitted."""

import hashlib
import json
import re
from collections.abc import Sequence
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import yaml
from commands import exit_code
from typer.testing import CliRunner

from repair_bench.analysis.comparing.leaderboard import boards, standings
from repair_bench.analysis.feedback_use.use import Observed
from repair_bench.analysis.summary import summary
from repair_bench.cli import app
from repair_bench.report import plots, site
from repair_bench.report.site import layout, publishing
from repair_bench.report.site import run as publishing_of_a_run
from repair_bench.report.site.boards import table
from repair_bench.report.table import Rate
from repair_bench.testing.made_up_runs import attempts_of, run, study, up_to, written
from repair_bench.traces.faults import UsageError
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_reader import Run, load_rows

CONTENT = {"aligned": ["1.0", "a" * 64]}


def nothing(_: Run) -> Sequence[Observed]:
    return ()


TEXTS = site.Texts(nothing, {"aligned": "Apache-2.0"}, "CANARY")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Omit plots, which are slow, and use one process."""
    monkeypatch.setattr(plots, "AFTER_RUN", ())
    monkeypatch.setattr(publishing, "curves", lambda board, number: None)
    monkeypatch.setattr(publishing.os, "cpu_count", lambda: 1)


def made(folder: Path, model: str = "m/one", seed: int = 0, **stated: Any) -> Path:
    """Write a run of a few tasks in two frameworks. `stated`: fields of its manifest, and of its experiment."""
    experiment = stated.pop("experiment", {})
    attempts, manifest = run(models=(model,), frameworks=("qiskit", "cirq"), tasks=4, repairs=2, seed=seed)
    whole = {**manifest.experiment, "suite_contents": CONTENT, **experiment}
    fields: dict[str, Any] = {"name": folder.name, "experiment": whole, **stated}
    return written(folder, attempts, Manifest.from_json({**manifest.stated, **fields}))


def publish(directories: list[Path], out: Path, **options: Any) -> str:
    site.publish(directories, out, texts=TEXTS, **options)
    return (out / "index.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_index_shows_the_figures_of_the_report(tmp_path: Path, quick: None) -> None:
    labels = {"weak": [["aligned", "01"]]}
    directories = [made(tmp_path / name, f"m/{name}", n, labels=labels) for n, name in enumerate(("one", "two"))]
    text = publish(directories, tmp_path / "site")
    rows = json.loads((tmp_path / "site" / "site.json").read_text())["standings"]
    assert len(rows) == 4
    for directory in directories:
        read = load_rows(directory)
        figures = summary(read.manifest, read.rows)
        mine = [row for row in rows if row["run"] == directory.name]
        assert [row["row"] for row in mine] == figures["rows"]
        assert [row["sound"] for row in mine] == figures["rows_sound"]
        for row in figures["rows"]:
            for point in (row["fb"][0], row["fb"][-1]):
                assert f"{Rate(point['rate']).figure}<small>" in text
    assert "1 task weak: 01." in text


@pytest.mark.slow
def test_suites_and_rules_have_separate_tables(tmp_path: Path, quick: None) -> None:
    other = {"suite_contents": {"aligned": ["1.1", "b" * 64]}}
    directories = [made(tmp_path / "a"), made(tmp_path / "b"), made(tmp_path / "c", experiment=other)]
    text = publish(directories, tmp_path / "site")
    assert text.count('<section class="board"') == 2
    first, second = text.split('<section class="board"')[1:]
    assert "runs/a/index.html" in first
    assert "runs/b/index.html" in first
    assert "runs/c/index.html" not in first
    assert "runs/c/index.html" in second


@pytest.mark.slow
def test_index_starts_with_the_notice_on_simulated_models(tmp_path: Path, quick: None) -> None:
    for model, said in (("sim/one", True), ("m/one", False)):
        text = publish([made(tmp_path / model, model)], tmp_path / f"{model}-site")
        assert ("SIMULATED MODELS" in text.partition("<main")[0]) == said


@pytest.mark.slow
def test_runs_with_other_tasks_have_separate_tables(tmp_path: Path, quick: None) -> None:
    titles = [["aligned", f"{n:02}", "title"] for n in range(42)]
    whole, other = made(tmp_path / "whole", titles=titles), made(tmp_path / "other", titles=titles)
    text = publish([made(tmp_path / "few"), other, whole], tmp_path / "site")
    first, second = text.split('<section class="board"')[1:]
    assert ", 42 tasks" in first
    assert ", 4 tasks" in second
    assert "runs/few/index.html" not in first
    assert "runs/whole/index.html" in first
    assert "runs/other/index.html" in first
    assert "runs/whole/index.html" not in second.partition("<h2>Runs")[0]


def test_forks_are_in_no_table(tmp_path: Path, quick: None) -> None:
    fork = made(tmp_path / "fork", experiment={"origin": {"kind": "fork", "run": "whole", "episodes": 3}})
    text = publish([made(tmp_path / "whole"), fork], tmp_path / "site")
    tables, _, runs = text.partition("<h2>Runs")
    assert "runs/whole/index.html" in tables
    assert "runs/fork/index.html" not in tables
    assert "runs/fork/index.html" in runs


def test_differences_between_runs_are_listed() -> None:
    rows = []
    for name, settings, version in (("a", {"few_shot": 0}, "2.1"), ("b", {"few_shot": 2}, "2.2")):
        attempts, manifest = run(tasks=2)
        experiment: Any = {"conditions": {"default": settings}, "versions": {"qiskit": {"qiskit": version}}}
        manifest = manifest.replaced(experiment={**manifest.experiment, **experiment})
        rows += standings(name, manifest, attempts, summary(manifest, attempts), ())
    (board,) = boards(rows)
    assert board.notes == (
        "Condition default has different settings in a, b; see the runs' pages.",
        "The runs used qiskit 2.1, 2.2, so their verdicts may differ.",
    )
    assert board.repairs == [0, 5]


def test_rows_are_sorted_by_rate_and_unknown_rates_are_last() -> None:
    paths = {"unknown": ["f"], "zero": ["ww"], "half": ["wp", "ww"], "none": ["ww"], "all": ["p"]}
    attempts = [
        attempt
        for model, letters in paths.items()
        for number, path in enumerate(letters)
        for attempt in attempts_of(path, f"{model} {number}", model=model, task_id=f"{number:02}")
    ]
    (board,) = boards(standings("run", up_to(1), attempts, summary(up_to(1), attempts), ()))
    assert [one.row["model"] for one in board.standings] == ["all", "half", "none", "zero", "unknown"]


def test_levels_of_a_family_count_as_tasks() -> None:
    of = {"suite": "conventions"}
    attempts = [a for bits in range(3) for a in attempts_of("p", f"{bits}", task_id=f"adder-{bits}", **of)]
    (board,) = boards(standings("run", up_to(1), attempts, summary(up_to(1), attempts), ()))
    (cells,) = table(board, {}).texts
    assert cells["tasks"] == "3"
    assert "problems" not in cells


@pytest.mark.slow
def test_same_runs_replace_a_site_with_the_same_bytes(tmp_path: Path, quick: None) -> None:
    directories = [made(tmp_path / "a"), made(tmp_path / "b", "sim/b", simulated=["sim/b"], episodes=20)]
    publish(directories, tmp_path / "site")
    first = (tmp_path / "site" / "SHA256SUMS").read_text()
    text = publish(directories, tmp_path / "site")
    assert (tmp_path / "site" / "SHA256SUMS").read_text() == first
    sums = dict(reversed(line.split("  ", 1)) for line in first.splitlines())
    files = {p.relative_to(tmp_path / "site").as_posix() for p in (tmp_path / "site").rglob("*") if p.is_file()}
    assert files == {*sums, "SHA256SUMS"}
    assert all(hashlib.sha256((tmp_path / "site" / name).read_bytes()).hexdigest() == sums[name] for name in sums)
    assert "<small>partial</small>" in text
    assert "<small>simulated</small>" in text
    assert "PARTIAL: " in text
    assert list(tmp_path.glob(".site*")) == []


def test_settings_of_the_machine_are_not_published(tmp_path: Path, quick: None) -> None:
    private = str(tmp_path)
    directory = made(
        tmp_path / "a",
        data=private,
        resources={"pythons": {"qiskit": private}, "providers": {"m": {"api_base": private}}},
        experiment={"asked_with": {"m": {"parameters": {"user": private}}}},
        merged={"of": 1, "shards": [{"number": 1, "run": "s1", "nodes": [{"name": private}]}]},
        regraded_from={"run": f"{private}/before", "differs": []},
        resumed=[{"at": "now", "changed": {"resources.pythons.qiskit": [private, None]}}],
    )
    with (directory / "attempts.jsonl").open("a") as file:
        file.write('{"torn')
    publish([directory], tmp_path / "site")
    for path in (tmp_path / "site").rglob("*"):
        assert not path.is_file() or private.encode() not in path.read_bytes(), path
    assert Manifest.read(tmp_path / "site" / "runs" / "a").stated["regraded_from"]["run"] == "before"


@pytest.mark.slow
def test_private_settings_that_remain_are_printed(
    tmp_path: Path, quick: None, capfd: pytest.CaptureFixture[str]
) -> None:
    private = {
        "api_base": "http://y",
        "models": ["m/one", "replay//home/ann/r"],
        "conditions": {"default": {"critic": ["manual//srv/ann", {}]}},
        "asked_with": {"m": {"api_base": "http://x", "parameters": {"user": "ann"}}, "n": {"temperature": 1}},
    }
    runs = [made(tmp_path / "a", experiment=private), made(tmp_path / "b", experiment={"models": ["m/one"]})]
    assert exit_code("publish", *map(str, runs), "--out", str(tmp_path / "site")) == 0
    assert capfd.readouterr().err.splitlines() == [
        "The site shows addresses of servers (api_base): http://y",
        "The site shows names of models that contain a local folder or an address: replay//home/ann/r, manual//srv/ann",
        'The site shows parameters of requests: user="ann"',
    ]


def test_pages_link_only_to_each_other(tmp_path: Path, quick: None) -> None:
    text = publish([made(tmp_path / "a <b>")], tmp_path / "site")
    page = (tmp_path / "site" / "runs" / "a-b" / "index.html").read_text(encoding="utf-8")
    assert '<a href="../../index.html">All runs</a>' in page
    assert "default-src &#39;none&#39;" in text
    for found in text.split('href="')[1:]:
        address = unescape(found.partition('"')[0])
        assert address.startswith("#") or (tmp_path / "site" / address).is_file(), address


@pytest.mark.slow
def test_the_page_of_a_large_run_holds_some_of_its_texts(
    tmp_path: Path, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing_of_a_run, "TEXTS", 100)
    attempts, manifest = study(tasks=40, repairs=0, samples=2)
    publish([written(tmp_path / "large", attempts, manifest)], tmp_path / "site")
    page = (tmp_path / "site" / "runs" / "large" / "index.html").read_text(encoding="utf-8")
    assert len({a.episode for a in attempts}) == 240
    assert page.count('id="block-chunk-') == 2


def test_card_and_citation_describe_the_content(tmp_path: Path, quick: None) -> None:
    directory = made(tmp_path / "a", created_at="2026-01-02T03:04:05+00:00")
    publish([directory], tmp_path / "site", authors=["A. Author"])
    card = (tmp_path / "site" / "README.md").read_text(encoding="utf-8")
    assert 'license: ["apache-2.0"]' in card
    assert 'data_files: "runs/a/attempts.parquet"' in card
    assert "CANARY" in card
    assert "- `verdict.kind`: The kind of verdict." in card
    citation = (tmp_path / "site" / "CITATION.cff").read_text(encoding="utf-8")
    assert '- name: "A. Author"' in citation
    assert "date-released: 2026-01-02" in citation
    benchmark = yaml.safe_load((tmp_path / "site" / "eval.yaml").read_text(encoding="utf-8"))
    assert set(benchmark) == {"name", "description", "tasks"}
    assert benchmark["tasks"] == [{"id": "aligned", "config": "a", "split": "train"}]


def test_names_are_escaped_in_the_card(tmp_path: Path, quick: None) -> None:
    name = "m/<img src=x onerror=alert(1)>`<b>`[a](http://x.example/)\n# *head*"
    label = {"weak": [["<script>", "<i>"]]}
    directory = made(tmp_path / "a", name, created_at="2026\nx: 1", labels=label)
    publish([directory], tmp_path / "site")
    card = (tmp_path / "site" / "README.md").read_text(encoding="utf-8")
    (line,) = (line for line in card.splitlines() if line.startswith("- `a`"))
    assert "``m/<img src=x onerror=alert(1)>`<b>`[a](http://x.example/) # *head*``" in line
    without_code = re.sub(r"(`+).+?\1", "", card.replace("\\`", ""))
    assert not re.search(r"(?<!\\)<|\n# \*head", without_code.split("\n---\n")[1].partition("## Licence")[0])
    assert "x: 1" not in (tmp_path / "site" / "CITATION.cff").read_text(encoding="utf-8")


def test_names_of_runs_are_converted_to_folders() -> None:
    assert layout.folders(["a b", "a/b", "..", "", "A-B"]) == ["a-b", "a-b-2", "run", "run-2", "A-B-3"]


def test_unpublishable_runs_are_usage_errors(tmp_path: Path, quick: None) -> None:
    directory = made(tmp_path / "a")
    with pytest.raises(UsageError, match="listed twice"):
        publish([directory, directory], tmp_path / "site")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match=r"contains other files \(notes.txt\)"):
        publish([directory], tmp_path / "full")
    assert (tmp_path / "full" / "notes.txt").read_text() == "mine"
    with pytest.raises(UsageError, match="is not a run"):
        publish([tmp_path / "full"], tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_site_does_not_replace_the_working_directory(
    tmp_path: Path, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = made(tmp_path / "a")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    for out in (".", ".."):
        with pytest.raises(UsageError, match=r"contains other files|choose a new path as --out"):
            publish([directory], Path(out))
    assert list(Path().iterdir()) == []


@pytest.mark.slow
def test_several_runs_are_published_and_verified_by_command(tmp_path: Path) -> None:
    directories = [str(made(tmp_path / name, f"m/{name}")) for name in ("a", "b")]
    out = str(tmp_path / "site")
    done = CliRunner().invoke(app, ["publish", *directories, "--out", out])
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith(f"{out}/index.html\n2 runs, ")
    assert (tmp_path / "site" / "index.html").read_text().count("<svg") == 1
    page = tmp_path / "site" / "runs" / "a" / "index.html"
    page.write_text(page.read_text() + " ")
    checked = CliRunner().invoke(app, ["verify", out, "--sample", "0"])
    assert checked.exit_code == 1
    assert "runs/a/index.html: changed since publication" in checked.stdout
