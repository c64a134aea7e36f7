"""Find the evidence in feedback that helps a simulated model.

Only evidence about the model's own failed attempt counts. A traceback, message, value, expected value or missing entry
point counts if it belongs to that attempt and matches the wording of the feedback policies. Evidence about a different
program has the same effect as the verdict alone. The arms of an experiment therefore differ by construction. The policy
`expected` shows the evidence of `default` and the expected values, `default` shows more than `verdict`, and the placebo
shows nothing. The evidence that `count`, `distance` and `support` add has no effect on the models.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from repair_bench.prompts.feedback import cases
from repair_bench.traces.record.records import Verdict

Cue = Literal["traceback", "message", "output", "expected", "mismatch", "missing"]
"""Kinds of evidence. For exceptions: the location (`traceback`), or only the text (`message`). For wrong answers: the
returned values (`output`), the expected values or the failed assertion (`expected`), and the check's description of the
values (`mismatch`). For answers without code: the lack of a program or entry point (`missing`)."""

_HEAD = "Traceback (most recent call last)"


def read_feedback(text: str, verdict: Verdict | None, entry_point: str) -> set[Cue]:
    """Return the kinds of evidence in `text` about the attempt with this verdict; an empty set without a verdict."""
    found: dict[Cue, bool] = {}
    if verdict is None:
        return set()
    evidence = verdict.evidence
    match verdict.kind:
        case "exception":
            own = _shows(text, evidence["traceback"])
            # the traceback of another program does not count, even if they have common lines
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
    """Whether the text contains all values as policies print them.

    A single match is not enough, because another program may have caused it.
    """
    shown = [cases.show(value) for value in values if value is not None]
    return bool(shown) and all(_shows(text, value) for value in shown)


def _shows(text: str, part: str) -> bool:
    return bool(part.strip()) and f"\n{part.strip()}\n" in f"\n{text}\n"
