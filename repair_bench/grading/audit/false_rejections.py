"""How often a correct answer is rejected when it is drawn again.

An exact answer has outcome probabilities: what varies is the draw of the rules that draw shots. A
sampled answer is as many shots as those rules draw, anew each time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from repair_bench.suites.checks import DistributionCheck, observation, order, samples
from repair_bench.suites.checks.observation import Unreadable
from repair_bench.suites.checks.rules.quanbench_plus import SHOTS
from repair_bench.suites.task import Task
from repair_bench.traces.record.records import Outcome


def exact_rejections(task: Task, outcome: Outcome | None, draws: int) -> int:
    """How many of `draws` judgements of one answer, each of another draw, do not accept it.

    The answer is what the reference gave; the expected probabilities where it does not run.
    """
    check = task.check
    if outcome is None or outcome.status != "returned":
        outcome = _expected(task)
    if isinstance(check, DistributionCheck):
        judges = [replace(check, draw=str(number)) for number in range(draws)]
        return sum(judge.judge(task, outcome).kind != "pass" for judge in judges)
    return sum(check.judge(task, outcome).kind != "pass" for _ in range(draws))


def sampled_rejections(task: Task, outcome: Outcome | None, draws: int, rng: np.random.Generator) -> tuple[int, int]:
    """How many samples were drawn, `draws` for each case, and how many of them the check's rule rejects.

    They are drawn from what the reference gave where `outcome` tells it, else from the expected probabilities.
    """
    check = task.check
    if not isinstance(check, DistributionCheck) or check.circuit:  # no samples are judged there
        return 0, 0
    rejected = 0
    for i, case in enumerate(check.cases):
        expected = order.keys(case.expected, task.framework)
        truth = _given(task, outcome, i, len(next(iter(expected)))) or expected
        outcomes = sorted(expected.keys() | truth.keys())
        p, q = (np.array([given.get(x, 0.0) for x in outcomes]) for given in (expected, truth))
        rejected += int(samples.rejected(check.rule, p, samples.drawn(q, SHOTS, draws, rng), SHOTS).sum())
    return draws * len(check.cases), rejected


def _expected(task: Task) -> Outcome:
    if not isinstance(task.check, DistributionCheck):
        return Outcome("killed")
    answers = [order.keys(case.expected, task.framework) for case in task.check.cases]
    seen = [
        {"kind": "distribution", "bits": len(next(iter(answer))), "probabilities": answer, "shots": None, "gates": {}}
        for answer in answers
    ]
    return Outcome("returned", value={"cases": seen})


def _given(task: Task, outcome: Outcome | None, case: int, bits: int) -> Mapping[str, float] | None:
    """The exact distribution over `bits` bits that the reference gave in a case, if it did."""
    assert isinstance(task.check, DistributionCheck)
    if outcome is None:
        return None
    try:
        whole = observation.distribution(observation.observed(outcome, len(task.check.cases))[case])
    except Unreadable:
        return None
    parts = [part for part in (whole, whole.answer(task.framework)) if part is not None and part.bits == bits]
    return parts[0].probabilities if parts and parts[0].shots is None else None
