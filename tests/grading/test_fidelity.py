"""Process fidelity, appendix F of QuanBench+: reported, never scored."""

import asyncio

import numpy as np
import pytest

from repair_bench.executors import LocalExecutor
from repair_bench.grading.fidelity import Fidelities
from repair_bench.grading.judge import Judge
from repair_bench.suites.checks import Case, DistributionCheck, UnitTestCheck
from repair_bench.suites.task import Check, Task

COIN = "from qiskit import QuantumCircuit\n\ndef answer(*_):\n    qc = QuantumCircuit(1, 1)\n    {}\n    return qc\n"
H = COIN.format("qc.h(0); qc.measure(0, 0)")


def a_task(reference: str | None = H, check: Check | None = None) -> Task:
    check = check or DistributionCheck(cases=(Case((), {"0": 0.5, "1": 0.5}),))
    return Task("by hand", "01", "qiskit", "answer", "", "", check, "", reference=reference)


def fidelity(executor: LocalExecutor, task: Task, body: str) -> float | None:
    return asyncio.run(Fidelities(Judge(executor)).of(task, COIN.format(body)))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("qc.h(0); qc.measure(0, 0)", 1.0),
        ("qc.h(0)", 1.0),
        ("qc.h(0); qc.global_phase = 1; qc.measure(0, 0)", 1.0),
        ("qc.h(0); qc.s(0); qc.measure(0, 0)", 0.5),  # |(1 + i) / 2|^2, and the very same outcomes
        ("qc.x(0)", 0.5),
        ("pass", 0.0),  # the trace of H
        ("qc.rx(0.6, 0); qc.h(0)", np.cos(0.3) ** 2),
    ],
)
def test_it_is_the_overlap_of_the_two_unitaries(executor: LocalExecutor, body: str, expected: float) -> None:
    assert fidelity(executor, a_task(), body) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "body",
    ["qc.h(0); qc.measure(0, 0); qc.h(0)", "qc.reset(0)", "qc = QuantumCircuit(2)", "qc = None", "raise ValueError"],
)
def test_there_is_none_where_one_of_them_is_no_unitary_of_the_same_size(executor: LocalExecutor, body: str) -> None:
    assert fidelity(executor, a_task(), body) is None


def test_there_is_none_without_a_reference_or_for_a_unit_test(executor: LocalExecutor) -> None:
    assert fidelity(executor, a_task(None), "qc.h(0)") is None
    assert fidelity(executor, a_task(check=UnitTestCheck(test="", function=None)), "qc.h(0)") is None


def test_the_worst_case_counts(executor: LocalExecutor) -> None:
    source = COIN.format("qc.{}(t, 0)").replace("*_", "t")
    check = DistributionCheck(cases=(Case((0.0,), {"0": 1.0}), Case((np.pi,), {"1": 1.0})))
    task = a_task(source.format("rx"), check)
    found = asyncio.run(Fidelities(Judge(executor)).of(task, source.format("ry")))
    assert found == pytest.approx(0.0, abs=1e-12)
