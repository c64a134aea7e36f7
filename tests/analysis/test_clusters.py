"""The problem of a task, as every interval, test, plan and lock uses it."""

import itertools
import random

import pytest

from repair_bench.agent.experiment.plan import plan
from repair_bench.agent.experiment.settings import experiment
from repair_bench.analysis.comparing.pairs import difference, differing, p_value, pair
from repair_bench.analysis.feedback_use.headroom import headroom
from repair_bench.analysis.planning.pilot import of_pilot
from repair_bench.analysis.planning.planned_comparisons import DECIDED_BY as COMPARISON
from repair_bench.analysis.rates.clusters import DECIDED_BY, problem_of
from repair_bench.analysis.rates.curves import problem, rate
from repair_bench.analysis.rates.metrics import episodes
from repair_bench.analysis.rates.pass_at_k import pass_at_k_interval
from repair_bench.analysis.runs.notices import interval_note
from repair_bench.testing.made_up_runs import attempts_of
from repair_bench.traces.run.manifest import Manifest

FAMILIES = ("adder", "fourier", "oracle", "walk", "readout", "syndrome")
LEVELS = range(5)


def made(letters, suite="conventions", condition="default", frameworks=("qiskit",)):
    """Return an episode per family, level and framework. `letters`: its path, by family."""
    return episodes(
        attempt
        for (family, path), bits, framework in itertools.product(letters.items(), LEVELS, frameworks)
        for attempt in attempts_of(
            path,
            f"{condition} {family} {bits} {framework}",
            suite=suite,
            condition=condition,
            framework=framework,
            task_id=f"{family}-{bits}",
        )
    )


@pytest.mark.parametrize("suite", ["conventions", "conventions?seed=7", "conventions?bits=2,3&say=silent"])
def test_levels_and_editions_of_a_family_are_one_problem(suite):
    assert {problem_of(suite, f"phase_estimation-{bits}") for bits in range(9)} == {("conventions", "phase_estimation")}


@pytest.mark.parametrize(
    ("suite", "task"), [("jsonl", "fourier-3"), ("other", "a-0"), ("quantum-katas", "BasicGates/1.1")]
)
def test_each_task_of_other_suites_is_a_separate_problem(suite, task):
    assert problem_of(suite, task) == (suite, task)


@pytest.mark.parametrize(
    ("one", "other", "task"),
    [("qiskit-humaneval", "qiskit-humaneval-hard", "qiskitHumanEval/7"), ("quanbench-plus", "aligned", "07")],
)
def test_suites_with_the_same_problems_share_clusters(one, other, task):
    assert problem_of(one, task) == problem_of(other, task)


def test_conventions_are_clustered_by_family():
    path = dict(zip(FAMILIES, ("p", "wp", "wwp", "www", "p", "www"), strict=True))
    before, after = made(path, condition="none"), made(dict.fromkeys(FAMILIES, "wp"), frameworks=("qiskit",))
    paired = pair(before, after)
    assert rate(after, 2).problems == difference(paired, 2).problems == len(FAMILIES)
    assert differing(paired, 2) == 2
    assert pass_at_k_interval(after, 1).problems == len(FAMILIES)
    assert len({problem(one) for one in after}) == len(FAMILIES)
    assert headroom(after, Manifest({}))[0].right.problems == len(FAMILIES)
    assert interval_note([after]) == "95% intervals clustered by problem"
    pilot = of_pilot(paired, 2)
    assert len(pilot.sums) == len(FAMILIES)


def test_a_plan_counts_families_as_problems():
    settings = {
        "models": ["sim/expert"],
        "suites": ["conventions?bits=0,1,2&families=fourier,walk&seed=1"],
        "frameworks": ["qiskit", "cirq"],
        "repair": {"feedback": ["default", "verdict"]},
    }
    made = plan(experiment(settings), None)
    assert {row["problems"] for row in made["power"]["comparisons"]} == {2}


def test_study_lock_states_the_definition_of_a_problem():
    assert COMPARISON["problem"] == DECIDED_BY
    assert "family" in DECIDED_BY


@pytest.mark.slow
def test_family_effects_do_not_inflate_the_error_rate():
    """The arms differ only by chance: each arm has random repair probabilities per family."""
    rng, rejected, studies = random.Random("favourite guesses"), 0, 200
    for _ in range(studies):
        arms = [{f"{n}": "wp" if rng.random() < 0.5 else "ww" for n in range(17)} for _ in range(2)]
        paired = pair(made(arms[0], condition="none"), made(arms[1]))
        rejected += p_value(paired, 1) < 0.05
    assert rejected / studies < 0.1  # tasks as clusters reject in more than half
