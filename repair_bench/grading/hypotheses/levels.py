"""A task of the suite `conventions` with its hypotheses."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from repair_bench.grading.hypotheses.hidden import Hidden, digits
from repair_bench.prompts import probe
from repair_bench.prompts.feedback import cases
from repair_bench.suites.checks import CircuitCheck, observation, order, questions
from repair_bench.suites.checks.judge import CaseResult
from repair_bench.suites.conventions.edition import Level
from repair_bench.suites.conventions.hypotheses import accepts, separates
from repair_bench.suites.conventions.loader import task_under
from repair_bench.suites.conventions.render import RENDERERS
from repair_bench.traces.record.records import Outcome, Verdict


@dataclass(frozen=True, eq=False)
class HiddenLevel(Hidden):
    """A task of the suite `conventions`. Results of calls are cached."""

    level: Level
    framework: str
    _findings: dict[tuple[int, Hashable], tuple[CaseResult, ...]] = field(default_factory=dict, repr=False)

    @property
    def family(self) -> str:
        return self.level.problem.family.name

    @property
    def calls(self) -> int:
        return len(self.level.problem.calls)

    @property
    def checks(self) -> tuple[CircuitCheck, ...]:
        return tuple(cast("CircuitCheck", task.check) for task in self.tasks)

    def outcome(self, mixture: Sequence[int]) -> Outcome:
        made = [self.level.hypotheses[h].answers[call] for call, h in enumerate(mixture)]
        kind = self.level.problem.family.kind
        return Outcome("returned", {"cases": [_observation(kind, answer, self.framework) for answer in made]})

    def program(self, mixture: Sequence[int]) -> str:
        circuits = [self.level.hypotheses[h].circuits[call] for call, h in enumerate(mixture)]
        calls = list(zip(self.level.problem.calls, circuits, strict=True))
        return RENDERERS[self.framework](self.level.problem.family, calls)

    @cached_property
    def separated(self) -> bool:
        kind = self.level.problem.family.kind
        answers = zip(*(hypothesis.answers for hypothesis in self.level.hypotheses), strict=True)
        return self.checks[0].rule == "exact" and all(separates(kind, under) for under in answers)

    def verdicts(self, outcome: Outcome | None) -> list[Verdict]:
        findings = self._results(outcome)
        if findings is None:
            return super().verdicts(outcome)
        return [check.verdict([call[h] for call in findings]) for h, check in enumerate(self.checks)]

    def mixes(self, outcome: Outcome | None) -> bool:
        findings = self._results(outcome)
        return findings is not None and all(any(found.problem is None for found in call) for call in findings)

    def questions(self) -> list[str]:
        """Return one question about each call in the task's check."""
        return [questions.written(args) for args in self.level.problem.calls]

    def answers(self, question: str) -> tuple[str | None, ...]:
        args = questions.arguments(question)
        if args is None:
            return super().answers(question)
        problem, kind = self.level.problem, self.level.problem.family.kind
        made: list[str | None] = []
        for hypothesis, under in zip(self.level.hypotheses, self.tasks, strict=True):
            try:
                seen = _observation(kind, getattr(problem.circuit(hypothesis.choice, args), kind)(), self.framework)
                made.append(cases.show(questions.answer(under, Outcome("returned", {"cases": [seen]}))))
            except Exception:  # noqa: BLE001 - a family draws a circuit for any input of a model
                made.append(None)
        return tuple(made)

    def understood(self, reply: str) -> bool:
        problem, truth = self.level.problem, self.level.hypotheses[self.truth]
        named = probe.choice(self.tasks[self.truth], reply)
        if len(named) < self.level.opened:
            return False
        chosen = next(one for one in problem.every if one.choice == {**problem.hidden, **named})
        pairs = zip(chosen.answers, truth.answers, strict=True)
        return all(accepts(problem.family.kind, one, other) for one, other in pairs)

    def _results(self, outcome: Outcome | None) -> list[tuple[CaseResult, ...]] | None:
        """Return the results of each call under each hypothesis, or None if the outcome contains no observations."""
        if outcome is None:
            return None
        try:
            seen = observation.observed(outcome, self.calls)
        except observation.Unreadable:
            return None
        made = []
        for call, case in enumerate(seen):
            key = (call, digits(case))
            if key not in self._findings:
                self._findings[key] = tuple(check.judge_case(call, case, self.framework) for check in self.checks)
            made.append(self._findings[key])
        return made


def hidden_at(level: Level, framework: str, *, suite: str, say: str = "listed", rule: str = "exact") -> HiddenLevel:
    family, calls = level.problem.family, level.problem.calls
    # the prompt is the same under all hypotheses, and takes the most time
    first = task_under(level, level.hypotheses[0], framework, suite=suite, say=say, rule=rule)
    tasks = [
        replace(
            first,
            check=replace(cast("CircuitCheck", first.check), cases=hypothesis.cases(calls)),
            reference=RENDERERS[framework](family, list(zip(calls, hypothesis.circuits, strict=True))),
            reference_on=None,  # that of the first hypothesis
        )
        for hypothesis in level.hypotheses
    ]
    return HiddenLevel(level, tuple(tasks), framework)


def _observation(kind: str, answer: Any, framework: str) -> dict[str, Any]:
    """Convert an answer, in which qubit 0 or bit 0 comes first, to the form that a framework's adapter reports."""
    if kind == "distribution":
        own = order.keys(answer, framework)
        return {"kind": kind, "bits": len(next(iter(own))), "probabilities": own, "shots": None, "gates": {}}
    array = order.state(answer, framework) if kind == "state" else order.unitary(answer, framework)
    name = "amplitudes" if kind == "state" else "matrix"
    pairs = np.stack([array.real, array.imag], axis=-1).tolist()
    return {"kind": kind, "qubits": len(array).bit_length() - 1, name: pairs, "gates": {}}
