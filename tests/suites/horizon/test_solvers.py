"""Solvers, executed on all instances of a task, and the verdicts and feedback on them."""

from dataclasses import replace

import pytest

from repair_bench.agent.studies.verifying import VerificationReport
from repair_bench.agent.studies.verifying.execution import execute
from repair_bench.agent.studies.verifying.settings import Plan
from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.grading.audit.trivial_baselines import trivial_baselines
from repair_bench.grading.judge import Judge
from repair_bench.prompts.feedback import POLICIES, make_feedback
from repair_bench.suites.horizon.edition import Edition, every_family
from repair_bench.suites.horizon.loader import solver, task_of
from repair_bench.suites.horizon.render import SUPPORTED
from repair_bench.suites.task import Task
from repair_bench.testing.made_up_runs import attempt
from repair_bench.traces.record.lazy_attempt import task_key
from repair_bench.traces.record.records import Completion, Verdict, VerdictKind

EDITION = Edition(sizes=(5,), instances=3, seconds=1.0, seed=8)
FAMILIES = sorted(every_family())


def task(family: str = "parity", framework: str = "qiskit", edition: Edition = EDITION) -> Task:
    return task_of(edition, every_family()[family], 5, framework)


def judged(executor: LocalExecutor, task: Task, code: str) -> Verdict:
    return run_to_end(Judge(executor).code(task, code)).verdict


def of_plants(*numbers: int) -> str:
    """Return a solver of the instances with these numbers; 0 to 2 are visible, 3 to 5 are hidden."""
    family = every_family()["parity"]
    instances = EDITION.instances_of(family, 5)
    return solver(EDITION, family, 5, "qiskit", {number: instances[number].plant for number in numbers})


@pytest.mark.slow
@pytest.mark.parametrize("framework", SUPPORTED)
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("slack", [1.0, 1.25])
def test_references_pass_at_every_slack(executor: LocalExecutor, family: str, framework: str, slack: float) -> None:
    one = task(family, framework, replace(EDITION, slack=slack))
    assert one.reference is not None
    verdict = judged(executor, one, one.reference)
    assert verdict.kind == "pass"
    assert verdict.rule == "budget"
    rows = verdict.evidence["instances"]
    assert [row["hidden"] for row in rows] == [False] * 3 + [True] * 3
    assert all(row["problem"] is None and row["cost"] == row["planted"] and row["cpu"] < 1 for row in rows)


@pytest.mark.slow
def test_hidden_instances_alone_decide(executor: LocalExecutor) -> None:
    assert judged(executor, task(), of_plants(3, 4, 5)).kind == "pass"
    verdict = judged(executor, task(), of_plants(0, 1, 2))
    assert verdict.kind == "wrong_answer"
    assert verdict.evidence["problem"] == "the answer is correct for the visible instances but not for hidden ones"


@pytest.mark.slow
def test_feedback_shows_visible_costs_and_no_hidden_ones(executor: LocalExecutor) -> None:
    verdict = judged(executor, task(), of_plants(0, 2, 3))
    text = make_feedback("default", task(), verdict).text
    assert "solved 2 of 3 visible instances" in text
    assert "- Instance 1: cost 8, budget 10\n- Instance 2: the circuit applies incorrect phases to 8 parities" in text
    assert "Instance 4" not in text
    assert "cost divided by budget: 0.800" in make_feedback("distance", task(), verdict).text
    assert "budget" not in make_feedback("verdict", task(), verdict).text


@pytest.mark.slow
def test_feedback_does_not_depend_on_hidden_instances(executor: LocalExecutor) -> None:
    one, other = (judged(executor, task(), of_plants(0, *more)) for more in ((3,), (4, 5)))
    for policy in POLICIES:
        if policy not in ("shuffled", "critic", "tool", "api"):
            assert make_feedback(policy, task(), one).text == make_feedback(policy, task(), other).text


def test_feedback_on_hidden_failures_is_one_sentence(executor: LocalExecutor) -> None:
    text = make_feedback("default", task(), judged(executor, task(), of_plants(0, 1, 2, 3))).text
    assert "solved all 3 visible instances within the budget, but not all hidden ones." in text


def test_an_expensive_circuit_exceeds_the_budget(executor: LocalExecutor) -> None:
    code = str(task().reference) + NAIVE
    rows = judged(executor, task(), code).evidence["instances"]
    assert all(row["cost"] > row["budget"] for row in rows)
    assert rows[0]["problem"] == f"cost {rows[0]['cost']} exceeds the budget 10"


def test_visible_exceptions_decide_the_kind_of_verdict(executor: LocalExecutor) -> None:
    verdict = judged(executor, task(), "def solve(instance):\n    raise ValueError(instance['qubits'])")
    assert verdict.kind == "exception"
    assert verdict.evidence["type"] == "ValueError"
    hidden = verdict.evidence["instances"][3]
    assert hidden["problem"] == "not run, because no visible instance returned a circuit"
    assert hidden["cpu"] is None
    assert "ValueError: 5" in make_feedback("default", task(), verdict).text


def test_a_program_without_the_function_has_no_code(executor: LocalExecutor) -> None:
    verdict = judged(executor, task(), "def other(instance):\n    return None")
    assert verdict.kind == "no_code"
    assert verdict.rule == "budget"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("return None", "returned None"),
        ("return 3", "a circuit was expected"),
        ("return QuantumCircuit(4)", "5 qubits were expected"),
        ("c = QuantumCircuit(5); c.h(0); return c", "not allowed: h"),
        ("c = QuantumCircuit(5, 1); c.measure(0, 0); return c", "not allowed: measure"),
        ("c = QuantumCircuit(5); c.rz(float('nan'), 0); return c", ""),
    ],
)
def test_other_values_are_wrong_answers(executor: LocalExecutor, body: str, problem: str) -> None:
    code = f"from qiskit import QuantumCircuit\n\ndef solve(instance):\n    {body}"
    verdict = judged(executor, task(), code)
    assert verdict.kind == "wrong_answer"
    assert all(problem in (row["problem"] or "") and row["cost"] is None for row in verdict.evidence["instances"])


@pytest.mark.slow
def test_a_slow_solver_is_stopped_and_costs_are_unknown(executor: LocalExecutor) -> None:
    one = task(edition=replace(EDITION, seconds=0.2, instances=2))
    verdict = judged(executor, one, "def solve(instance):\n    while True:\n        pass")
    assert verdict.kind == "limit"
    assert verdict.evidence["limit"] == "cpu_timeout"
    assert [row["cost"] for row in verdict.evidence["instances"]] == [None] * 4
    assert "CPU time limit exceeded" in make_feedback("default", one, verdict).text


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["wrong_answer", "pass"])
def test_a_verdict_is_verified_even_if_costs_differ(executor: LocalExecutor, kind: VerdictKind) -> None:
    code = str(task().reference) + WASTEFUL
    verdict = judged(executor, task(), code)
    old = attempt(
        "w",
        suite=EDITION.name,
        task_id=task().id,
        completion=Completion(f"```python\n{code}\n```", {}, 0.0),
        verdict=Verdict(kind, verdict.evidence),
    )
    found = VerificationReport("run")
    run_to_end(execute([[old]], {old.id}, Plan({task_key(old): task()}), found, executor))
    expected = (0, 0, "contradicted") if kind == "pass" else (1, 1, "consistent")
    found.answers = 1
    assert (found.agree, found.costs_differ, found.result) == expected


@pytest.mark.slow
@pytest.mark.parametrize("framework", SUPPORTED)
def test_trivial_baselines_do_not_pass(executor: LocalExecutor, framework: str) -> None:
    for family in FAMILIES:
        one = task(family, framework)
        programs = trivial_baselines(one)
        assert len(programs) > 5
        for name, program in programs.items():
            assert judged(executor, one, program).kind != "pass", (family, name)


NAIVE = """

def solve(instance):
    steps = []
    for qubits, angle in instance["rotations"]:
        *others, last = qubits
        up = [("cx", (qubit, last), None) for qubit in others]
        steps += [*up, ("p", (last,), angle), *up[::-1]]
    return build(instance["qubits"], steps)
"""

WASTEFUL = (
    NAIVE
    + """

import time
_naive = solve

def solve(instance):
    circuit = _naive(instance)
    for _ in range(time.perf_counter_ns() % 997):
        circuit.cx(0, 1)
        circuit.cx(0, 1)
    return circuit
"""
)
"""A solver whose costs depend on the time."""
