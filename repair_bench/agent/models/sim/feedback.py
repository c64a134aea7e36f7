"""Find evidence about a failure in a feedback text. Evidence makes a simulated model's repair more likely to succeed.

Evidence is a traceback, a message, a value, an expected value, or the name of a missing entry point. The model uses
only evidence about its own failed attempt. This module recognizes evidence only if the evidence has the wording that
the feedback policies use. Feedback about a different program has the same effect as feedback that contains only the
verdict. Arms with different feedback policies therefore show different evidence to simulated models. The policy
`expected` shows the evidence of `default` and also the expected values; `default` shows more evidence than `verdict`;
and the placebo shows no evidence. The additional evidence in the policies `count`, `distance` and `support` has no
effect on simulated models.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from repair_bench.prompts.feedback import cases
from repair_bench.traces.record.records import Verdict

Cue = Literal["traceback", "message", "output", "expected", "mismatch", "missing"]
"""Kinds of evidence. `traceback`: the location of an exception. `message`: only the text of an exception. `output`: the
values that a wrong answer returned. `expected`: the values that the check expects, or the failed assertion. `mismatch`:
the check's message about a wrong answer. `missing`: the name of the missing entry point, if an answer has no code."""

_HEAD = "Traceback (most recent call last)"


def read_feedback(text: str, verdict: Verdict | None, entry_point: str) -> set[Cue]:
    """Return the kinds of evidence that `text` contains about the verdict of an attempt.

    Without a verdict, return an empty set.
    """
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
    """Whether the text contains all `values`, formatted as in feedback.

    All values must match, because a feedback text about a different program may contain one of the values by chance.
    """
    shown = [cases.show(value) for value in values if value is not None]
    return bool(shown) and all(_shows(text, value) for value in shown)


def _shows(text: str, part: str) -> bool:
    return bool(part.strip()) and f"\n{part.strip()}\n" in f"\n{text}\n"
