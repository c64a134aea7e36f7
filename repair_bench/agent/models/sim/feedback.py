"""What the feedback on a failed attempt tells the simulated model about that attempt.

Only what is its own helps it: the traceback, the exception's message, the values, the right values or the missing entry
point that a text shows count where they are those of the attempt it has just made, in the words that the policies use
for them. What belongs to another program is worth no more than hearing that it failed. So the arms of an experiment
separate by construction: `expected` shows all that `default` does and the right values too, `default` shows more than
`verdict`, and the placebo shows nothing of the attempt. Distances and supports mean nothing to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from repair_bench.prompts.feedback import cases
from repair_bench.traces.record.records import Verdict

_HEAD = "Traceback (most recent call last)"


@dataclass(frozen=True)
class FeedbackContent:
    """What a text shows of the attempt that `verdict` is on.

    `traceback`: where it failed. `message`: the exception without its place. `output`: the values it returned.
    `expected`: the right ones, or the assertion it failed. `mismatch`: what else is wrong with what it returned, in
    the words of its check. `missing`: that no program was found, or no entry point of the right name.
    """

    traceback: bool = False
    message: bool = False
    output: bool = False
    expected: bool = False
    mismatch: bool = False
    missing: bool = False


NOTHING = FeedbackContent()


def read_feedback(text: str, verdict: Verdict | None, entry_point: str) -> FeedbackContent:
    """What `text` tells of the verdict; nothing where there is none."""
    if verdict is None:
        return NOTHING
    evidence = verdict.evidence
    match verdict.kind:
        case "exception":
            own = _shows(text, evidence["traceback"])
            # a traceback that is not its own is another program's, whatever it has in common with it
            return FeedbackContent(traceback=own, message=not own and _HEAD not in text and _message(evidence) in text)
        case "wrong_answer":
            shown = cases.shown(verdict)
            return FeedbackContent(
                output=_shows_all(text, [case.get("got") for case in shown]),
                expected=_shows_all(text, [case.get("expected") for case in shown])
                or _shows(text, evidence.get("assertion", "")),
                mismatch=_shows(text, cases.problem(verdict)),
            )
        case "no_code":
            return FeedbackContent(missing=f"`{entry_point}`" in text)
        case _:
            return NOTHING


def _message(evidence: dict[str, Any]) -> str:
    """Of a process that died there is no exception to name."""
    named = f"{evidence['type']}: {evidence['message']}" if evidence["traceback"] else str(evidence["message"])
    return named.removesuffix(": ")


def _shows_all(text: str, values: Sequence[object]) -> bool:
    """Whether every value stands in the text, as policies write it: one alone may be another program's too."""
    shown = [cases.show(value) for value in values if value is not None]
    return bool(shown) and all(_shows(text, value) for value in shown)


def _shows(text: str, part: str) -> bool:
    """Whether these lines, if any, stand in the text as whole lines."""
    return bool(part.strip()) and f"\n{part.strip()}\n" in f"\n{text}\n"
