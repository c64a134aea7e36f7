"""The check that runs a unit test, as used by the published suites."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

from repair_bench.executors.program import Limits, Program, Sealing, UnitTest, UnitTestSource
from repair_bench.executors.sealed import isolation_mode
from repair_bench.suites.checks.judge import not_returned
from repair_bench.suites.checks.observation import bounded
from repair_bench.suites.task import Task
from repair_bench.traces.record.records import Outcome, Verdict

MAX_TEXT = 4_000
MAX_RETURNED = 8


@dataclass(frozen=True, eq=False, kw_only=True)
class UnitTestCheck(UnitTestSource):
    """Accepts an answer that passes the test program.

    If there is a preamble, code that begins with an indented line is used as the body of the preamble's last function.
    """

    limits: Limits = field(default_factory=Limits)
    rule: str = "exact"

    @property
    def sealed(self) -> Sealing | None:
        """The isolation mode of the test. If `sealing` is "stub" but the test inspects a function, the weaker mode
        "guarded" is used instead.
        """
        return isolation_mode(self.sealing, self.test)

    def program(self, task: Task, code: str, *, seed: int | None = None) -> Program:
        if self.preamble and code.lstrip("\n")[:1].isspace():
            code = f"{self.preamble.rstrip()}\n{code}"
        source = {field.name: getattr(self, field.name) for field in fields(UnitTestSource)}
        call = UnitTest(entry_point=task.entry_point, **source)
        return Program(task.framework, code, call, limits=self.limits, seed=task.seed if seed is None else seed)

    def judge(self, task: Task, outcome: Outcome) -> Verdict:
        """Return the verdict on an outcome. A passing verdict has a `note` if the test also accepts None as the result.

        In the evidence of a wrong answer, only `assertion` (the test's exception as text) and `test_traceback` can
        reveal the expected value.
        """
        if outcome.status != "returned":
            verdict = not_returned(outcome, task.entry_point)
        elif _passed(outcome.value):
            proves_nothing = "nothing" in task.weak or "vacuous" in outcome.value
            note = f"The test also accepts a {task.entry_point} that returns None."
            verdict = Verdict("pass", {"note": note} if proves_nothing else {})
        elif isinstance(outcome.value, dict) and outcome.value.get("test") == "tampered":
            changed = outcome.value.get("changed")
            names = ", ".join(bounded(name, MAX_TEXT) for name in changed) if isinstance(changed, list) else ""
            problem = f"The program modifies or accesses objects that the unit test depends on: {names}."
            verdict = Verdict("wrong_answer", {"problem": problem, "cases": [], "assertion": "", "test_traceback": ""})
        else:
            verdict = Verdict("wrong_answer", _evidence(outcome.value, task.entry_point))
        return replace(verdict, rule=self.rule, sealed=outcome.sealed)


def _passed(value: Any) -> bool:
    return isinstance(value, dict) and value.get("test") == "passed" and not set(value) - {"test", "vacuous", "changed"}


def _evidence(value: Any, entry_point: str) -> dict[str, Any]:
    value = value if isinstance(value, dict) else {}
    error = value["error"] if isinstance(value.get("error"), dict) else {}
    kind = bounded(error.get("type"), MAX_TEXT) or "an error"
    if kind == "AssertionError":
        problem = f"A unit test of {entry_point} failed."
    else:
        problem = f"A unit test of {entry_point} raised {kind} while processing the returned value."
    got = _returned(value.get("returned"), value.get("calls"))
    case = {"inputs": None, "hidden": False, "expected": None, "got": got, "distance": None, "mismatch": None}
    return {
        "problem": problem,
        "cases": [case] if got is not None else [],
        "assertion": f"{kind}: {bounded(error.get('message'), MAX_TEXT)}".removesuffix(": "),
        "test_traceback": bounded(error.get("traceback"), MAX_TEXT),
    }


def _returned(texts: Any, calls: Any) -> str | None:
    """Return the values that the candidate's function returned in the last `MAX_RETURNED` calls that the test made.

    Returns None if the test made no call.

    If the test made several calls, the values are numbered.
    """
    if not isinstance(texts, list) or not isinstance(calls, int) or not texts:
        return None
    shown = [bounded(text, MAX_TEXT) for text in texts[-MAX_RETURNED:]]
    if calls == 1:
        return shown[-1]
    first = calls - len(shown) + 1
    return "\n".join(f"call {number} of {calls}:\n{text}" for number, text in enumerate(shown, start=first))
