"""Count how often a correct answer is rejected if it is judged repeatedly.

An exact answer contains outcome probabilities. Only a noisy rule, which draws random shots from the probabilities, can
reject such an answer in one judgement and accept it in another. An answer that consists of samples is sampled again for
each judgement, with the number of shots that the noisy rules use.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np

from repair_bench.suites.checks import CircuitCheck, DistributionCheck, observation, order, samples
from repair_bench.suites.checks.observation import Unreadable
from repair_bench.suites.checks.rules.quanbench_plus import SHOTS
from repair_bench.suites.task import Task
from repair_bench.traces.record.records import Outcome


def exact_rejections(task: Task, outcome: Outcome | None, draws: int) -> int:
    """Judge the reference's answer `draws` times, and return the number of rejections.

    If the reference returns no answer, the expected probabilities are judged instead of the reference's answer.
    """
    check = task.check
    if outcome is None or outcome.status != "returned":
        outcome = _expected(task)
    if isinstance(check, DistributionCheck):
        judges = [replace(check, draw=str(number)) for number in range(draws)]
        return sum(judge.judge(task, outcome).kind != "pass" for judge in judges)
    if isinstance(check, CircuitCheck):  # states and unitaries are compared without random numbers
        return draws if check.judge(task, outcome).kind != "pass" else 0
    return sum(check.judge(task, outcome).kind != "pass" for _ in range(draws))


def sampled_rejections(task: Task, outcome: Outcome | None, draws: int, rng: np.random.Generator) -> tuple[int, int]:
    """Return the number of samples (`draws` per case), and the number of samples that the check's rule rejects.

    Samples are drawn from the reference's exact distribution or, if there is none, from the expected probabilities.
    """
    check = task.check
    if not isinstance(check, DistributionCheck) or check.circuit:  # no samples are judged there
        return 0, 0
    rejected = 0
    for i, case in enumerate(check.cases):
        expected = order.keys(case.expected, task.framework)
        truth = expected
        if outcome is not None:
            with suppress(Unreadable):
                truth = exact_probabilities(check, task.framework, outcome, i) or expected
        outcomes = sorted(expected.keys() | truth.keys())
        p, q = (np.array([given.get(x, 0.0) for x in outcomes]) for given in (expected, truth))
        rejected += int(samples.rejected(check.rule, p, samples.draw(q, SHOTS, draws, rng), SHOTS).sum())
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


def exact_probabilities(
    check: DistributionCheck, framework: str, outcome: Outcome, case: int
) -> dict[str, float] | None:
    """Return the exact distribution of the measured bits for a case, or None if it is unknown. Raises Unreadable."""
    full = observation.distribution(observation.observed(outcome, len(check.cases))[case])
    bits = len(next(iter(check.cases[case].expected)))
    parts = [part for part in (full, full.answer(framework)) if part is not None and part.bits == bits]
    return parts[0].probabilities if parts and parts[0].shots is None else None
