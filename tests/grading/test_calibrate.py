"""Calibration of the KL threshold, as in appendix E of QuanBench+."""

from pathlib import Path

import numpy as np
import pytest

from repair_bench import suites
from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.grading.audit.calibrate import PUBLISHED, Calibration, Null, calibrate, null_distances
from repair_bench.report.graders import calibration_sentences
from repair_bench.suites.checks import Case, DistributionCheck, StateCheck
from repair_bench.suites.task import Suite, Task

COIN = """
from qiskit import QuantumCircuit

def answer():
    qc = QuantumCircuit(1, 1)
    qc.h(0)
    qc.measure(0, 0)
    return qc
"""


def a_suite(**references: str | None) -> Suite:
    check = DistributionCheck(cases=(Case((), {"0": 0.5, "1": 0.5}),))
    tasks = [Task("by hand", id_, "qiskit", "answer", "", "", check, "", reference=r) for id_, r in references.items()]
    state = StateCheck(cases=(Case((), np.array([1, 0])),), qubits=1)
    return Suite("by hand", "1", "", (*tasks, Task("by hand", "S", "qiskit", "answer", "", "", state, "")))


@pytest.mark.parametrize(("outcomes", "mean"), [(2, 0.0005), (16, 0.0075), (64, 0.0315)])
def test_shot_noise_adds_half_a_degree_of_freedom_per_shot(outcomes: int, mean: float) -> None:
    """The mean of 2 n KL is k - 1 for k outcomes and n shots (Wilks)."""
    distances = null_distances(np.full(outcomes, 1 / outcomes), 2000, 1000, np.random.default_rng(0))
    assert len(distances) == 2000
    assert list(distances) == sorted(distances)
    assert np.mean(distances) == pytest.approx(mean, rel=0.1)


def test_an_answer_without_chance_has_no_distance() -> None:
    assert set(null_distances(np.array([1.0]), 100, 1000, np.random.default_rng(0))) == {0.0}


def test_more_shots_are_nearer() -> None:
    p = np.full(8, 1 / 8)
    few, many = (null_distances(p, 200, shots, np.random.default_rng(0)) for shots in (100, 10_000))
    assert max(many) < min(few) * 10
    assert np.mean(many) < np.mean(few) / 50


def test_every_task_is_drawn_or_says_why_not(executor: LocalExecutor) -> None:
    suite = a_suite(A=COIN, B=None, C="def answer():\n    raise ValueError('no')\n")
    found = run_to_end(calibrate(suite, executor, repetitions=400))
    assert [(task.id, task.outcomes, len(task.distances)) for task in found.tasks] == [("A", 2, 400)]
    assert found.left_out == {
        "B qiskit": "no reference",
        "C qiskit": "ValueError: no",
        "S qiskit": "the task's check does not compare distributions",
    }
    assert found.quantile == pytest.approx(0.0044, abs=0.0015)  # chi2.ppf(0.997, 1) / 2000


def test_the_same_seed_gives_the_same_calibration(executor: LocalExecutor) -> None:
    one, same, other = (
        run_to_end(calibrate(a_suite(A=COIN), executor, repetitions=20, seed=seed)) for seed in (1, 1, 2)
    )
    assert one == same != other


def test_the_quantile_is_that_of_all_tasks_together() -> None:
    tasks = (Null("A", "qiskit", 2, (0.0,) * 999), Null("B", "qiskit", 2, (0.1,)))
    found = Calibration("by hand", "1", 1000, 1000, 0, tasks, {})
    assert found.quantile == 0.0
    assert found.rows()[1]["quantile"] == 0.1
    assert found.rows()[1]["above_published"] == 1.0
    assert calibration_sentences(found.to_json()) == (
        "The 99.7% quantile of the null KL distances over 2 tasks is 0.0000; the paper reports 0.048."
    )
    empty = Calibration("by hand", "1", 1000, 1000, 0, (), {"A qiskit": "no reference"})
    assert empty.quantile is None
    assert (
        calibration_sentences(empty.to_json())
        == "None of the tasks in by hand can be sampled. 1 tasks cannot be sampled."
    )


@pytest.mark.slow
def test_quanbench_plus_comes_near_the_published_threshold(executor: LocalExecutor, datasets: Path) -> None:
    data = datasets / "quanbench-plus"
    suite = run_to_end(suites.load("quanbench-plus", data=data, frameworks=["qiskit"], run=executor.run))
    found = run_to_end(calibrate(suite, executor))
    assert len(found.tasks) == 41  # the reference of 03 needs undeclared packages
    assert PUBLISHED == 0.048
    assert found.quantile == pytest.approx(PUBLISHED, abs=0.006)
    largest = sorted(found.tasks, key=lambda task: -task.quantile)[:2]
    assert [task.id for task in largest] == ["04", "08"]
