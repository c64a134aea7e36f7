"""Comparisons of a partial run are exploratory in every view until the run is complete."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from commands import called

from repair_bench.report import page, plots
from repair_bench.report.site.run import publish_page, publish_record
from repair_bench.testing.made_up_runs import attempt, study, written
from repair_bench.text import count
from repair_bench.traces.record.records import Attempt
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_reader import load_rows
from repair_bench.traces.run.study_lock import Comparison, StudyLock

TASKS, REPAIRS = 10, 2
ARMS = Comparison("condition", "aligned", "a", "none", "default", REPAIRS)
MODELS = Comparison("model", "aligned", "default", "a", "b", REPAIRS)
FIRST = Comparison("model", "aligned", "default", "a", "b", 0)
ATTEMPTS, MANIFEST = study(("a", "b"), ("qiskit", "cirq"), TASKS, REPAIRS, ("default", "none"))
UNFINISHED = "Unfinished: 1 planned comparison of 20 pairs."

Cut = Callable[[Sequence[Attempt]], list[Attempt]]


def made(folder: Path, cut: Cut = list, manifest: Manifest = MANIFEST) -> str:
    """Return the run of a study of three comparisons with 20 pairs each, of which `cut` keeps some attempts."""
    directory = written(folder, cut(ATTEMPTS), manifest)
    asked = dict.fromkeys((ARMS, MODELS, FIRST), 2 * TASKS)
    StudyLock.of(asked, conditions={}, suites={}, experiment={}, analysis={}).write(directory)
    return str(directory)


def of_arms(*arguments: str) -> bool:
    """Whether `report` marks the planned comparison of arms as exploratory."""
    (row,) = (
        row
        for row in json.loads(called("report", *arguments, "--json"))["sections"]["effects"]["rows"]
        if (row["model"], row["arm"], row["control"]) == ("a", "default", "none")
    )
    return row["exploratory"]


def compared(*arguments: str) -> dict[int, bool]:
    """Return whether `compare` marks the comparisons over all frameworks as exploratory, by k."""
    rows = json.loads(called("compare", *arguments, "--json"))["rows"]
    return {row["k"]: row["exploratory"] for row in rows if row["framework"] == "all"}


def of_models(directory: str) -> dict[int, bool]:
    return compared("a", "b", "--by", "model", "--only", "condition=default", "--in", directory)


def problems(n: int) -> Cut:
    return lambda attempts: [a for a in attempts if int(a.task_id) < n]


def one_answer_less(attempts: Sequence[Attempt]) -> list[Attempt]:
    """Remove the last attempt of one episode per condition that received all its repairs."""
    last = {a.condition: a.id for a in attempts if a.model == "a" and a.attempt == REPAIRS}
    return [a for a in attempts if a.id not in last.values()]


def one_fault(attempts: Sequence[Attempt]) -> list[Attempt]:
    """Replace the same attempts by faults."""
    left = one_answer_less(attempts)
    kept = {a.id for a in left}
    lost = (a for a in attempts if a.id not in kept)
    names = ("id", "model", "task_id", "framework", "condition")
    return left + [attempt("f", a.attempt, a.episode, **{name: getattr(a, name) for name in names}) for a in lost]


@pytest.mark.slow
def test_complete_run_is_planned(tmp_path: Path) -> None:
    directory = made(tmp_path / "run")
    assert of_arms(directory) is False
    assert of_models(directory) == {0: False, REPAIRS: False}
    assert "Unfinished" not in " ".join(called("report", directory).split())


def first_answers(attempts: Sequence[Attempt]) -> list[Attempt]:
    return [a for a in attempts if a.attempt == 0]


def one_framework(attempts: Sequence[Attempt]) -> list[Attempt]:
    return [a for a in attempts if a.framework == "cirq"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "cut",
    [problems(1), problems(6), problems(9), one_framework, first_answers, one_answer_less, one_fault],
    ids=["1 problem", "6 problems", "9 problems", "one framework", "first answers", "one answer less", "one fault"],
)
def test_partial_run_is_exploratory(tmp_path: Path, cut: Cut) -> None:
    directory = made(tmp_path / "run", cut)
    assert of_arms(directory) is True
    assert of_arms(directory, "--only", "model=a") is True
    rows = json.loads(
        called("compare", "a", "b", "--by", "model", "--in", directory, "--only", "condition=default", "--json")
    )
    assert {row["exploratory"] for row in rows["rows"] if row["k"] == REPAIRS} == {True}


def test_first_answers_are_planned_before_repairs_finish(tmp_path: Path) -> None:
    assert of_models(made(tmp_path / "run", one_answer_less)) == {0: False, REPAIRS: True}


def test_partial_run_is_reported_with_the_remedy(tmp_path: Path) -> None:
    directory = made(tmp_path / "run", problems(6))
    for text in (
        called("report", directory),
        called("compare", "a", "b", "--by", "model", "--only", "condition=default", "--in", directory, "--k", "2"),
    ):
        said = " ".join(text.split())
        assert re.search(r"Unfinished: \d planned comparisons? of 20 pairs", said)
        assert "--resume" in said


def test_short_report_marks_only_complete_comparisons_as_planned(tmp_path: Path) -> None:
    """So does its table of models, which the study plans."""
    stated = {**MANIFEST.experiment, "comparisons": [{"models": ["a", "b"]}]}
    manifest = Manifest.from_json({**MANIFEST.stated, "experiment": stated})
    texts = {
        name: " ".join(called("report", made(tmp_path / name, cut, manifest)).split())
        for name, cut in (("whole", list), ("part", problems(6)), ("first", first_answers))
    }
    assert "Unfinished" not in texts["whole"]
    assert texts["whole"].count(" planned") >= 2
    assert "exploratory" not in texts["whole"].partition("Planned comparisons of models")[2]
    for name, cut in (("part", 2), ("first", 1)):
        models = texts[name].partition("Planned comparisons of models")[2]
        assert f"Unfinished: {count(cut, 'planned comparison')} of 20 pairs." in models
        assert models.count(" exploratory") == cut + 1, "and once in the note"
        assert UNFINISHED in texts[name].partition("Planned comparisons of models")[0]
    assert "10 problems differ" not in texts["whole"]
    assert "fewer than 20 problems differ" in texts["whole"]


@pytest.mark.slow
def test_page_and_site_mark_comparisons_like_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plots, "AFTER_RUN", ())
    for name, cut, mark in (("whole", list, "planned"), ("part", problems(6), "exploratory")):
        directory = made(tmp_path / name, cut)
        run = load_rows(Path(directory))
        page.write(run.manifest, run.rows, tmp_path / f"{name}.html", [], page.PageOptions(kinds=()))
        place = tmp_path / "site" / name
        place.mkdir(parents=True)
        publish_page(name, place, publish_record(Path(directory), name, place), lambda _: ())
        for file in (tmp_path / f"{name}.html", place / "index.html"):
            text = file.read_text(encoding="utf-8")
            assert re.findall(r"<td[^>]*>(planned|exploratory)", text)[0] == mark
            assert (UNFINISHED in text) is (name == "part")


@pytest.mark.slow
def test_shards_and_pooled_runs_are_exploratory(tmp_path: Path) -> None:
    """The lock of a combined study differs from those of its frameworks, which were run separately."""
    halves = [
        made(tmp_path / name, lambda attempts, name=name: [a for a in attempts if a.framework == name])
        for name in ("qiskit", "cirq")
    ]
    assert [of_arms(half) for half in halves] == [True, True]
    assert of_arms(*halves) is True
    by_model = [
        made(tmp_path / name, lambda attempts, name=name: [a for a in attempts if a.model == name]) for name in "ab"
    ]
    assert of_arms(by_model[0]) is False
    assert of_arms(*by_model) is False, "the other run has no episode of it"


def test_additional_pairs_are_exploratory(tmp_path: Path) -> None:
    more, _ = study(("a", "b"), ("qiskit", "cirq"), TASKS + 2, REPAIRS, ("default", "none"))
    directory = made(tmp_path / "run", lambda _: more)
    assert of_arms(directory) is True
    assert of_models(directory) == {0: True, REPAIRS: True}
