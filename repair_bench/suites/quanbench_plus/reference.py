"""The expected answers: the exact results of the Qiskit references.

A `CanonicalCheck` is a check whose expected answer has not been computed yet; `resolve` runs each reference once and
replaces the check with a `DistributionCheck`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from repair_bench.coroutines import map_bounded
from repair_bench.executors.program import Program
from repair_bench.suites.checks import Case, DistributionCheck
from repair_bench.suites.checks.observation import Unreadable, distribution, observed
from repair_bench.suites.quanbench_plus.errata import ERRATA, Erratum
from repair_bench.suites.task import Run, Suite, Task
from repair_bench.traces.faults import SuiteError
from repair_bench.traces.record.records import Outcome, Verdict

REFERENCES_IN = "qiskit"
"""The framework in which all reference solutions are written, even in the dataset files of the other two frameworks."""

Printed = Mapping[str, float]
"""A probability distribution over bit strings, each with its bits in the order in which Qiskit prints bits."""


@dataclass(frozen=True, eq=False)
class CanonicalCheck:
    """A check whose expected answer is the result of `canonical`.

    `ready`: the check, complete except for the expected answer.
    """

    canonical: Program
    ready: DistributionCheck

    @property
    def rule(self) -> str:
        return self.ready.rule

    def program(self, task: Task, code: str, *, seed: int | None = None) -> Program:
        return self.ready.program(task, code, seed=seed)

    def judge(self, task: Task, outcome: Outcome) -> Verdict:  # noqa: ARG002
        raise SuiteError(f"{task.suite}/{task.id}: the expected answer has not been computed; resolve the suite first")


async def resolve(suite: Suite, run: Run) -> Suite:
    """Run each reference once; exclude a problem, with the reason, if its reference fails."""
    canonicals = {
        task.id: task.check.canonical
        for task in suite.tasks
        if isinstance(task.check, CanonicalCheck) and task.excluded is None
    }

    async def answer(program: Program) -> list[Printed] | str:
        return _printed(await run(program))

    # the executor queues references that it cannot run yet
    printed = await map_bounded(canonicals.values(), answer, lambda: len(canonicals))
    answers = dict(zip(canonicals, printed, strict=True))
    return replace(suite, tasks=tuple(_answered(task, answers) for task in suite.tasks))


def expecting(
    check: DistributionCheck, answers: Sequence[Printed], framework: str, erratum: Erratum
) -> DistributionCheck:
    """Return a check that accepts each of `answers` in every correct bit order.

    The first element of `answers` is shown as the expected answer.
    """
    read = [neutral for printed in answers for neutral in _read(printed, framework, erratum)]
    first, *others = [answer for i, answer in enumerate(read) if answer not in read[:i]]
    (case,) = check.cases
    return replace(check, cases=(Case(case.args, first, also=tuple(others)),))


def _read(printed: Printed, framework: str, erratum: Erratum) -> list[dict[str, float]]:
    """Return the distribution in each possible bit order, the intended order first.

    Keys are converted to the neutral order (`suites.checks.order`).
    """
    by_qubit = {key[::-1]: p for key, p in printed.items()}
    reading = "qubits" if framework == REFERENCES_IN else erratum.reading
    answers = {"qubits": [by_qubit], "string": [dict(printed)], "either": [by_qubit, dict(printed)]}[reading]
    order = erratum.order
    if order is not None and len(next(iter(printed))) == len(order):
        answers += [{"".join(key[i] for i in order): p for key, p in answer.items()} for answer in answers]
    return answers


def _printed(outcome: Outcome) -> list[Printed] | str:
    """Return a list that ends with the distribution of all registers, or return the error message.

    If there are several registers, the first element of the list is the distribution of the last register.
    """
    try:
        (seen,) = observed(outcome, 1)
        full = distribution(seen)
    except Unreadable as error:
        return error.problem
    part = full.answer(REFERENCES_IN)
    return [full.probabilities] if part is None else [part.probabilities, full.probabilities]


def _answered(task: Task, given: dict[str, list[Printed] | str]) -> Task:
    if not isinstance(task.check, CanonicalCheck) or task.excluded is not None:
        return task
    answers = given[task.id]
    if isinstance(answers, str):
        reason = f"the expected answer cannot be computed from the reference solution: {answers}"
        return replace(task, excluded=reason[:500])
    return replace(task, check=expecting(task.check.ready, answers, task.framework, ERRATA[task.id]))
