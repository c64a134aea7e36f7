"""The comparisons of a study, its lock, and its minimum detectable effects."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from commands import exit_code

import repair_bench
from repair_bench.agent import session
from repair_bench.agent.experiment import settings, study
from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.experiment.minimum_detectable_effect import Pilot, Rates, detectable
from repair_bench.agent.experiment.plan import plan
from repair_bench.analysis.comparing.effects import effects_of_arms
from repair_bench.analysis.rates.metrics import episodes
from repair_bench.report.sections.planned import power as section
from repair_bench.suites.task import Suite
from repair_bench.testing import made_up_runs
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Attempt
from repair_bench.traces.run.run_files import ATTEMPTS
from repair_bench.traces.run.study_lock import Comparison, StudyLock

GIVEN = {
    "models": ["sim/novice", "sim/expert"],
    "frameworks": ["qiskit"],
    "limit": 2,
    "max_attempts": 1,
    "repair": {"feedback": ["default", "verdict", "none"]},
}


def made(**given: object) -> Experiment:
    return settings.experiment({**GIVEN, **given})


def asked(suite: Suite, **given: object) -> list[Comparison]:
    experiment = made(**given)
    return study.comparisons(experiment, experiment.episodes([suite]))


def test_default_study_compares_all_arms_and_models(suite: Suite) -> None:
    found = asked(suite)
    arms = [(c.within, c.baseline, c.other, c.k) for c in found if c.by == "condition"]
    assert arms == [
        (model, control, "default", 1) for model in ("sim/novice", "sim/expert") for control in ("none", "verdict")
    ]
    models = [(c.within, c.k) for c in found if c.by == "model"]
    assert models == [(condition, k) for condition in ("default", "verdict", "none") for k in (0, 1)]


def test_planned_comparisons_are_those_of_the_report(suite: Suite) -> None:
    """Return the pilot of a synthetic run with the same arms, in any order."""
    for policies in (["default", "none"], ["none", "verdict"], ["expected", "default", "shuffled", "none"]):
        attempts, manifest = made_up_runs.study(["sim/novice"], ("qiskit",), 2, 1, policies)
        reported = {effect.asks(1) for effect in effects_of_arms(episodes(attempts), manifest, 1)}
        planned = asked(suite, models=["sim/novice"], repair={"feedback": policies})
        assert reported == set(planned)


def test_study_can_name_its_comparisons(suite: Suite) -> None:
    found = asked(suite, comparisons=[{"arms": ["none", "default"]}, {"models": ["sim/expert", "sim/novice"], "k": 0}])
    assert found == [
        *(Comparison("condition", suite.name, m, "none", "default", 1) for m in ("sim/novice", "sim/expert")),
        *(
            Comparison("model", suite.name, c, "sim/expert", "sim/novice", 0)
            for c in ("default", "verdict", "none")
        ),
    ]  # fmt: skip


def test_lock_has_the_number_of_pairs_of_each_comparison(suite: Suite) -> None:
    """Pairs are tasks times samples; with adaptive stopping, only those of control episodes."""

    def pairs(**given: object) -> set[int]:
        experiment = made(temperature={"first": 0.8}, **given)
        return set(study.lock(experiment, [suite], experiment.episodes([suite])).comparisons.values())

    assert pairs(limit=7, samples=3) == {21}
    assert pairs(limit=7, frameworks=["qiskit", "cirq"]) == {14}
    stops = {"feedback": ["default", "none"], "stop": "value", "controls": 0.5}
    assert pairs(limit=8, samples=3, repair=stops) == {4}


@pytest.mark.parametrize(
    ("named", "why"),
    [
        ({"arms": ["none", "nonesuch"]}, "no 'nonesuch': choose from default, verdict, none"),
        ({"models": ["sim/novice", "sim/x"]}, "no 'sim/x'"),
        ({"arms": ["none", "none"]}, "with itself"),
        ({"arms": ["none", "default"], "k": 2}, "exceeds the 1 repairs"),
        ({"arms": ["none", "default"], "k": 0}, "have the same first answers"),
        ({"k": 1}, "set either arms = "),
        ({"arms": ["none", "default"], "models": ["a", "b"]}, "set either arms = "),
    ],
)
def test_impossible_comparison_is_refused(suite: Suite, named: dict[str, object], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        asked(suite, comparisons=[named])


def test_omitted_rates_have_defaults() -> None:
    assert Rates.parse("first=0.2, icc=0.1") == Rates(first=0.2, icc=0.1)
    assert Rates.parse("correlation=1") == Rates(correlation=1.0)
    values = "correlation=1.1", "correlation=-0.1", "first=1", "repaired=x", "nonesuch=0.1", "first=-0.1"
    for wrong in (*values, "", "first", "first=0.1,first=0.2"):
        with pytest.raises(UsageError, match="--rates"):
            Rates.parse(wrong)


@pytest.mark.slow
def test_plan_reports_minimum_detectable_effects() -> None:
    given = made(limit=None, samples=2, temperature={"first": 0.8}, models=["sim/novice"])
    found = plan(given, None, rates=Rates(first=0.4))
    power = found["power"]
    rates = {"first": 0.4, "repaired": 0.4, "icc": 0.3, "correlation": 0.9}
    assert power["supposes"] == {"rates": rates, "stated": ["first"]}
    assert power["more"] == pytest.approx(2.2)
    first, second = power["comparisons"]
    assert (first["problems"], first["pairs"], first["tests"]) == (42, 84, 2)
    assert 0 < first["more"] < first["detectable"] < first["holm"]
    assert second["detectable"] == first["detectable"]
    at_zero = plan(made(models=["sim/novice"]), None)["power"]
    assert at_zero["more"] is None, "samples at temperature 0 are copies"


@pytest.mark.slow
def test_plan_of_a_small_study_reports_its_low_power() -> None:
    given = made(limit=20, models=["sim/novice"], temperature={"first": 0.8})
    planned = plan(given, None, rates=Rates(first=0.9, repaired=0.8))
    row = planned["power"]["comparisons"][0]
    assert (row["detectable"], row["holm"], row["more"], row["unknown"]) == (None, None, None, None)
    assert row["most"]["difference"] == pytest.approx(0.02)
    assert row["most"]["power"] < 0.05
    notes = " ".join(section(planned).notes)
    assert "No difference is detectable for default - none (FB@1), default - verdict (FB@1): the largest" in notes
    enough = plan(made(limit=None, models=["sim/novice"]), None)
    assert enough["power"]["comparisons"][0]["most"] is None


@pytest.mark.slow
def test_pilot_estimates_detectable_effects(suite: Suite, tmp_path: Path) -> None:
    attempts, _ = made_up_runs.study(["sim/novice"], ("qiskit",), 30, 5, ("default", "none"))
    found = by_pilot(tmp_path, suite, attempts, temperature={"first": 0.8})
    assert found["supposes"] == {"pilot": str(tmp_path / "pilot"), "episodes": 60, "problems": 30, "without": []}
    by = {(row["within"], row["baseline"]): row for row in found["comparisons"]}
    known = by["sim/novice", "none"]
    assert 0 < known["detectable"] < 0.5
    assert known["more"] is None
    assert "the effect of more samples is unknown" in known["unknown"]
    assert "lacks an arm or a model" in by["sim/novice", "verdict"]["unknown"]
    assert by["sim/novice", "verdict"]["detectable"] is None


def by_pilot(tmp_path: Path, suite: Suite, attempts: list[Attempt | str], **given: object) -> dict[str, Any]:
    """Return the row of a plan based on a pilot with these attempts, for five repairs."""
    _, manifest = made_up_runs.study(tasks=1)
    pilot = Pilot.read(made_up_runs.written(tmp_path / "pilot", attempts, manifest))
    experiment = made(limit=None, max_attempts=5, **given)
    planned = experiment.episodes([suite])
    return detectable(experiment, planned, study.comparisons(experiment, planned), pilot=pilot, rates=None)


ARMS = {"models": ["sim/one"], "repair": {"feedback": ["default", "none"]}}


@pytest.mark.slow
def test_pilot_estimates_only_for_its_frameworks(suite: Suite, tmp_path: Path) -> None:
    attempts, _ = made_up_runs.study(frameworks=("qiskit", "pennylane"), tasks=12, policies=("default", "none"))
    found = by_pilot(tmp_path, suite, attempts, frameworks=["qiskit", "pennylane", "cirq"], **ARMS)
    assert found["supposes"]["without"] == ["cirq"]
    with pytest.raises(UsageError, match=r"has too little data for .* pennylane, qiskit; .* 12 problems"):
        by_pilot(tmp_path, suite, attempts, frameworks=["cirq"], **ARMS)
    of_one = by_pilot(tmp_path, suite, attempts, frameworks=["qiskit"], **ARMS)
    one, _ = made_up_runs.study(frameworks=("qiskit",), tasks=12, policies=("default", "none"))
    alone = by_pilot(tmp_path, suite, one, frameworks=["qiskit"], **ARMS)
    assert of_one["comparisons"][0]["detectable"] == alone["comparisons"][0]["detectable"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda attempts: [*attempts[:9], "{", *attempts[9:]], "line 10: not a JSON object"),
        (lambda _: [], "has no attempts"),
        (lambda attempts: [replace(a, suite="quantum-katas") for a in attempts], "too little data .* quantum-katas"),
        (
            lambda attempts: [a for a in attempts if a.task_id == "00"],
            "has too little data .* 1 problem, up to 5 repairs",
        ),
        (lambda attempts: [*attempts, *(replace(a, episode=f"{a.episode}, again") for a in attempts)], "two episodes"),
    ],
)
def test_unusable_pilot_is_refused_in_one_line(suite: Suite, tmp_path: Path, change, why) -> None:
    attempts, _ = made_up_runs.study(frameworks=("qiskit",), tasks=6, policies=("default", "none"))
    with pytest.raises(UsageError, match=why) as refused:
        by_pilot(tmp_path, suite, change(attempts), **ARMS)
    assert "\n" not in str(refused.value)
    assert "--pilot" in str(refused.value)


@pytest.mark.slow
def test_pilot_plans_only_the_first_of_many_comparisons(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repair_bench.agent.experiment.minimum_detectable_effect.MAX_BY_PILOT", 1)
    attempts, _ = made_up_runs.study(
        ["sim/one", "sim/two"], frameworks=("qiskit",), tasks=6, policies=("default", "none")
    )
    found = by_pilot(tmp_path, suite, attempts, **{**ARMS, "models": ["sim/one", "sim/two"]})["comparisons"]
    assert found[0]["unknown"] is None
    assert {row["detectable"] for row in found[1:]} == {None}
    assert all("[[comparisons]]" in row["unknown"] for row in found[1:])


def test_plan_states_its_assumptions_about_both_sides(suite: Suite) -> None:
    notes = " ".join(section(plan(made(), None, rates=Rates(correlation=0.5))).notes)
    assert "the repair rates of the two sides have a correlation of 0.5" in notes
    assert "correlation: give --rates" not in notes
    assert "first, repaired, icc. Set them with --rates" in notes


@pytest.mark.slow
@pytest.mark.parametrize(("problems", "warns"), [(19, True), (20, False)])
def test_a_plan_of_few_problems_warns_of_skewed_effects(suite: Suite, problems: int, warns: bool) -> None:
    """The plan and the report give the same warning."""
    notes = " ".join(section(plan(made(limit=problems, models=["sim/novice"]), None)).notes)
    assert ("2 comparisons with fewer than 20 problems: p assumes symmetric effects" in notes) is warns


@pytest.mark.slow
def test_plan_reports_missing_data_of_a_pilot(suite: Suite) -> None:
    planned = plan(made(), None, rates=Rates())
    supposes = {"pilot": "runs/pilot", "episodes": 60, "problems": 20, "without": []}
    power = {**planned["power"], "supposes": supposes}
    said = "\n".join(section({**planned, "power": power}).notes)
    assert "runs/pilot" in said
    assert "pilots with 20 problems" in said
    assert "not been validated" not in said
    rough = {**planned["power"], "supposes": {**supposes, "problems": 19, "without": ["cirq"]}}
    said = "\n".join(section({**planned, "power": rough}).notes)
    assert "Power is untested for fewer than 20 problems" in said
    assert "The pilot does not contain cirq." in said


def test_pilot_and_rates_require_a_plan(capsys: pytest.CaptureFixture[str]) -> None:
    for options, why in (
        (["--rates", "first=0.5"], "only with --plan"),
        (["--plan", "--rates", "first=0.5", "--pilot", "x"], "either --pilot or --rates"),
    ):
        assert exit_code("run", *options) == 2
        assert why in capsys.readouterr().err


@pytest.mark.slow
def test_run_starts_with_the_planned_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock exists before the first request, with the planned content."""
    comparisons = [{"arms": ["none", "default"]}, {"arms": ["none", "verdict"]}]  # the second: between two controls
    given = {**GIVEN, "models": ["sim/novice"], "comparisons": comparisons}
    planned = plan(settings.experiment(given), None)["study_lock"]
    directory = tmp_path / "run"
    drive = session.drive

    def begins(opened, **options):
        assert StudyLock.read(directory).hash == planned
        assert not (directory / ATTEMPTS).exists() or not (directory / ATTEMPTS).stat().st_size
        return drive(opened, **options)

    monkeypatch.setattr("repair_bench.agent.session.drive", begins)
    run = repair_bench.run(given, out=directory)
    monkeypatch.undo()
    effects = effects_of_arms(episodes(run.rows), run.manifest, 1)
    by = {(c.arm, c.control): run.manifest.exploratory(c.asks(1), c.effect.finished) for c in effects}
    assert by == {("default", "none"): False, ("default", "verdict"): True, ("verdict", "none"): False}
