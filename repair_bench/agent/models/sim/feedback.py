"""The evidence that feedback shows the simulated model of its own failed attempt.

Only evidence of that attempt helps it: a traceback, message, value, expected value or missing entry point counts if it
is that of the attempt, in the words that the policies use for it. Evidence of another program is worth no more than the
verdict. So the arms of an experiment separate by construction: `expected` shows all that `default` shows and the
expected values, `default` shows more than `verdict`, and the placebo shows nothing. Distances and supports have no
effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from repair_bench.prompts.feedback import cases
from repair_bench.traces.record.records import Verdict

Cue = Literal["traceback", "message", "output", "expected", "mismatch", "missing"]
"""The place where the program failed; its exception without the place; the values that it returned; the expected ones,
or the assertion that failed; another mistake in the values, in the words of the check; the missing program or entry
point."""

_HEAD = "Traceback (most recent call last)"


def read_feedback(text: str, verdict: Verdict | None, entry_point: str) -> set[Cue]:
    """Return what `text` shows of the attempt that `verdict` judges; nothing without a verdict."""
    found: dict[Cue, bool] = {}
    if verdict is None:
        return set()
    evidence = verdict.evidence
    match verdict.kind:
        case "exception":
            own = _shows(text, evidence["traceback"])
            # the traceback of another program counts for nothing, even if they have lines in common
            found = {"traceback": own, "message": not own and _HEAD not in text and _message(evidence) in text}
        case "wrong_answer":
            shown = cases.shown(verdict)
            found = {
                "output": _shows_all(text, [case.get("got") for case in shown]),
                "expected": _shows_all(text, [case.get("expected") for case in shown])
                or _shows(text, evidence.get("assertion", "")),
                "mismatch": _shows(text, cases.problem(verdict)),
            }
        case "no_code":
            found = {"missing": f"`{entry_point}`" in text}
    return {cue for cue, is_shown in found.items() if is_shown}


def _message(evidence: dict[str, Any]) -> str:
    named = f"{evidence['type']}: {evidence['message']}" if evidence["traceback"] else str(evidence["message"])
    return named.removesuffix(": ")


def _shows_all(text: str, values: Sequence[object]) -> bool:
    """Whether the text contains every value as policies write it: a single one may be another program's."""
    shown = [cases.show(value) for value in values if value is not None]
    return bool(shown) and all(_shows(text, value) for value in shown)


def _shows(text: str, part: str) -> bool:
    return bool(part.strip()) and f"\n{part.strip()}\n" in f"\n{text}\n"
