"""The base class of all checks. A check builds a program and derives the verdict from the program's outcome.

Each kind of check adds a method that compares a case with an observation. All cases must be correct.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from repair_bench.executors.program import Call, Limits, Observe, Program
from repair_bench.suites.checks import observation
from repair_bench.suites.checks.observation import Mismatch, Unreadable
from repair_bench.suites.task import Task
from repair_bench.traces.record.records import Outcome, Verdict

UNREADABLE = "the result of the program could not be decoded"

MAX_CASES = 8
"""Maximum number of incorrect cases in the evidence; visible cases come first."""

MAX_TEXT = 20_000

FREE_GATES = frozenset({"barrier", "id", "measure", "gphase"})
"""Operations that are always allowed, because restrictions to a gate set do not apply to them."""

LIMITS = {
    "cpu_timeout": "CPU time limit exceeded",
    "wall_timeout": "time limit exceeded",
    "memory": "memory limit exceeded",
    "output_limit": "output limit exceeded",
    "disk": "disk limit exceeded",
}


@dataclass(frozen=True, eq=False)
class Case:
    """A call and its correct answer. Qubits and bits are in the neutral order that `checks.order` defines.

    `expected`: for a distribution, the probability of each outcome; for a state, 2^n amplitudes; for a unitary, a 2^n x
    2^n matrix. `hidden`: whether the case is judged but never shown. `also`: further correct answers.
    """

    args: tuple[Any, ...]
    expected: Any
    hidden: bool = False
    also: tuple[Any, ...] = ()


@dataclass(frozen=True)
class CaseResult:
    """The result of comparing an observation with the expected answer. `problem`: the error; None if there is none."""

    problem: str | None = None
    distance: dict[str, float] | None = None
    expected: Any = None
    got: Any = None
    mismatch: Mismatch | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class CircuitCheck:
    """A check that compares the distribution, the state or the unitary of a circuit with the correct answer. `gates`:
    the allowed gates; None if all gates are allowed.
    """

    observe: ClassVar[Observe]
    tolerance: ClassVar[float]
    """The largest distance from the correct answer at which an answer passes. For a distribution (without sampling),
    the distance is the total variation distance; for a state or a unitary, the infidelity."""

    cases: tuple[Case, ...]
    setup: str = ""
    gates: frozenset[str] | None = None
    limits: Limits = field(default_factory=Limits)
    rule: str = "exact"
    qubits: int | None = None

    def program(self, task: Task, code: str, *, seed: int | None = None) -> Program:
        """Return the program that calls the entry point of `code` once per case."""
        arguments = tuple(case.args for case in self.cases)
        call = Call(task.entry_point, self.observe, cases=arguments, setup=self.setup, qubits=self.qubits)
        return Program(task.framework, code, call, limits=self.limits, seed=task.seed if seed is None else seed)

    def judge(self, task: Task, outcome: Outcome) -> Verdict:
        """Return the verdict on an outcome from an untrusted process; a malformed outcome is a wrong answer."""
        if outcome.status != "returned":
            return replace(not_returned(outcome, task.entry_point), rule=self.rule)
        try:
            seen = observation.cases(outcome.value, len(self.cases))
        except Unreadable as error:
            return self.verdict([CaseResult(error.problem, mismatch="type")] * len(self.cases))
        return self.verdict([self.judge_case(number, observed, task.framework) for number, observed in enumerate(seen)])

    def verdict(self, findings: Sequence[CaseResult]) -> Verdict:
        return replace(_gather(self.cases, findings), rule=self.rule)

    def judge_case(self, number: int, seen: dict[str, Any], framework: str) -> CaseResult:
        try:
            finding = self.compare(self.cases[number], seen, framework)
            forbidden = self._forbidden(seen)
        except Unreadable as error:
            return CaseResult(problem=error.problem, got=error.got, mismatch=error.mismatch)
        return replace(finding, problem=forbidden) if forbidden else finding

    def compare(self, case: Case, seen: dict[str, Any], framework: str) -> CaseResult:
        """Compare a case with its observation. Raises `Unreadable` for an observation that violates the schema."""
        raise NotImplementedError

    def shown(self, seen: dict[str, Any], framework: str) -> Any:
        """Return an observation in the form used in a verdict's evidence. Raises `Unreadable`."""
        raise NotImplementedError

    def _forbidden(self, seen: dict[str, Any]) -> str | None:
        if self.gates is None:
            return None
        used = observation.gates(seen)
        allowed = f"(allowed: {', '.join(sorted(self.gates))})"
        if used is None:
            return f"the gates of the circuit could not be determined {allowed}"
        wrong = sorted(name for name, count in used.items() if count and name not in self.gates | FREE_GATES)
        if not wrong:
            return None
        return f"the circuit uses gates that are not allowed: {', '.join(wrong[:5])} {allowed}"


def _gather(cases: Sequence[Case], findings: Sequence[CaseResult]) -> Verdict:
    pairs = list(zip(cases, findings, strict=True))
    wrong = sorted((pair for pair in pairs if pair[1].problem), key=lambda pair: pair[0].hidden)
    if not wrong:
        measured = [finding.distance for finding in findings if finding.distance]
        names = measured[0] if measured else {}
        return Verdict("pass", {"distance": {name: max(distance[name] for distance in measured) for name in names}})
    case, first = wrong[0]
    if case.hidden:
        problem = "the answer is correct for the visible cases but incorrect for other inputs"
    else:
        problem = first.problem or ""
        if len(cases) > 1:
            problem += f"; {len(wrong)} of {len(cases)} cases are incorrect"
    return Verdict("wrong_answer", {"cases": [_evidence(*pair) for pair in wrong[:MAX_CASES]], "problem": problem})


def _evidence(case: Case, finding: CaseResult) -> dict[str, Any]:
    return {
        "inputs": list(case.args),
        "hidden": case.hidden,
        "expected": finding.expected,
        "got": finding.got,
        "distance": finding.distance,
        "mismatch": finding.mismatch,
    }


def not_returned(outcome: Outcome, entry_point: str) -> Verdict:
    """Return the verdict on an outcome without a return value. The verdict does not depend on the kind of check."""
    if outcome.status == "no_entry":
        problem = f"the code does not define a function {entry_point}"
        return Verdict("no_code", {"missing": "entry_point", "problem": problem})
    if outcome.status in LIMITS:
        return Verdict("limit", {"limit": outcome.status, "problem": LIMITS[outcome.status]})
    if outcome.status == "exception" and outcome.exception is not None:
        raised = outcome.exception
        evidence = {"type": raised.type, "message": raised.message, "traceback": raised.traceback}
        return Verdict("exception", {name: text[-MAX_TEXT:] for name, text in evidence.items()})
    if outcome.status == "malformed":
        return Verdict(
            "wrong_answer", {"cases": [_evidence(Case((), None), CaseResult(mismatch="type"))], "problem": UNREADABLE}
        )
    message = "the process terminated before returning a result"
    return Verdict("exception", {"type": "ProcessDied", "message": message, "traceback": ""})
