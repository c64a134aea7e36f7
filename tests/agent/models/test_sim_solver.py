"""The simulated solver has the stated horizon, and its programs return the circuits that it claims to know."""

import re
from dataclasses import replace

import pytest

from repair_bench.agent.models import Request, create
from repair_bench.agent.models.sim.solver import Solver
from repair_bench.analysis.rates.horizon_fit import Program, estimate
from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.grading.judge import Judge
from repair_bench.prompts.extraction.extract import extract
from repair_bench.suites.horizon.edition import Edition, every_family
from repair_bench.suites.horizon.loader import task_of
from repair_bench.suites.task import Task
from repair_bench.traces.faults import UsageError

EDITION = Edition(sizes=(4, 5, 6), instances=5, seed=3)


def task(size: int = 5, edition: Edition = EDITION) -> Task:
    return task_of(edition, every_family()["parity"], size, "qiskit")


def request(one: Task, attempt: int = 0, sample: int = 0, policy: str = "default") -> Request:
    return Request([{"role": "user", "content": "solve"}], 0.8, None, attempt, one, sample, attempt, policy=policy)


def of(options: str) -> Solver:
    return Solver.of(f"sim/solver?{options}", options)


def test_chance_is_one_half_at_the_horizon_apart_from_lapses() -> None:
    assert of("horizon=5").chance(5, request(task())) == pytest.approx(0.5)
    assert of("horizon=5&lapse=0.1").chance(5, request(task())) == pytest.approx(0.45)
    assert of("horizon=5&slope=20").chance(4, request(task())) > of("horizon=5").chance(4, request(task())) > 0.95


def test_informative_feedback_multiplies_the_horizon() -> None:
    solver = of("horizon=4&repair=1.25")
    assert solver.chance(5, request(task(), attempt=1)) == pytest.approx(0.5)
    for control in ("none", "verdict", "shuffled"):
        assert solver.chance(4, request(task(), attempt=3, policy=control)) == pytest.approx(0.5)


def test_programs_differ_if_there_is_spread() -> None:
    chances = {of("horizon=5&spread=0.3").chance(5, request(task(), sample=n)) for n in range(5)}
    assert len(chances) == 5
    assert len({of("horizon=5").chance(5, request(task(), sample=n)) for n in range(5)}) == 1


def test_analysis_recovers_the_horizon() -> None:
    solver = of("horizon=11&spread=0.1")
    programs = [
        Program(size, round(40 * solver.chance(size, request(task(), sample=100 * size + n))), 40, (size, n))
        for size in (6, 8, 10, 12, 14, 16)
        for n in range(10)
    ]
    assert estimate(tuple(programs)).value == pytest.approx(11, rel=0.05)


INVALID = (
    *("", "repair=2", "horizon=0", "horizon=x", "horizon=nan", "horizon=5&repair=0.5", "horizon=5&lapse=2"),
    *("horizon=5&a=1", "horizon=5&horizon=6", "horizon=5&slope=0", "horizon=5&spread=-1", "horizon=5&name=1"),
)


@pytest.mark.parametrize("options", INVALID)
def test_invalid_options_are_a_usage_error(options: str) -> None:
    with pytest.raises(UsageError, match="only H is required"):
        create(f"sim/solver?{options}")


def test_other_suites_are_a_usage_error() -> None:
    other = replace(task(), check=None, suite="aligned")
    with pytest.raises(UsageError, match="answers only tasks of the suite 'horizon'"):
        run_to_end(create("sim/solver?horizon=5").complete(request(other)))


@pytest.mark.slow
def test_a_repaired_program_solves_what_its_predecessor_solved(executor: LocalExecutor) -> None:
    model, one = create("sim/solver?horizon=4.5&repair=1.1"), task()
    solved = []
    for attempt in (0, 1, 2, 20):
        text = run_to_end(model.complete(request(one, attempt))).text
        assert re.search("# simulated model$", text, re.MULTILINE)
        code = extract(text, entry_point=one.entry_point, starter=one.starter).code
        assert code is not None
        verdict = run_to_end(Judge(executor).code(one, code)).verdict
        rows = verdict.evidence["instances"]
        solved.append({n for n, row in enumerate(rows) if row["problem"] is None})
    assert solved[0] <= solved[1] <= solved[2] <= solved[3] == set(range(10))
    assert verdict.kind == "pass"
    assert len(solved[0]) < 10
