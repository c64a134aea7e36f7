"""Parts of an attempt as plain text, for the terminal and the page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from repair_bench.text import count
from repair_bench.traces.record import reasoning
from repair_bench.traces.record.records import Attempt, Feedback, Verdict

SEALED = {
    "data": "Only data was passed out of the candidate's process; the verdict was derived in another process.",
    "stub": "The test and the candidate ran in different processes.",
    "guarded": "The test ran in the candidate's process, protected by guards.",
    None: "No test was run, or the test was not isolated from the candidate.",
}
"""For each value of `Verdict.sealed`, a sentence that describes how the test was isolated from the candidate."""

OFF_POLICY = (
    "Off-policy: the model received feedback on a verdict that a regrade has changed. This attempt is not counted in "
    "any rate; the rates treat the episode as censored before this attempt."
)

_OUTCOMES = 64


def facts(attempt: Attempt) -> dict[str, str]:
    """Return the known costs and settings of an attempt, by name."""
    shown: dict[str, str] = {}
    if attempt.writer is not None:
        shown["written by"] = attempt.writer
    if (completion := attempt.completion) is not None:
        usage = completion.usage or {}
        details = usage.get("completion_tokens_details") or {}
        counts = {
            "input tokens": usage.get("prompt_tokens"),
            "output tokens": usage.get("completion_tokens"),
            "reasoning tokens": details.get("reasoning_tokens"),
        }
        shown |= {name: f"{value:,}" for name, value in counts.items() if isinstance(value, int | float)}
        if completion.cost_usd is not None:
            shown["cost"] = f"${completion.cost_usd:,.5f}"
        if completion.latency_seconds is not None:
            shown["latency"] = f"{completion.latency_seconds:,.2f} s"
        if completion.requests != 1:
            shown["requests"] = f"{completion.requests:,}"
        if completion.finish_reason:
            shown["finish reason"] = str(completion.finish_reason)
        if completion.reply not in (None, "text"):
            shown["reply"] = str(completion.reply).replace("_", " ")
        if completion.served_by:
            shown["served by"] = str(completion.served_by)
        shown |= {name: json.dumps(value) for name, value in completion.params.items() if name == "temperature"}
        if completion.cached:
            shown["completion"] = "reused from the run"
    if (outcome := attempt.outcome) is not None:
        for name, seconds in (("CPU", outcome.cpu_seconds), ("wall clock", outcome.wall_seconds)):
            if seconds is not None:
                shown[name] = f"{seconds:,.2f} s"
    return shown


def thought(attempt: Attempt) -> str:
    """Return the readable parts of the reasoning that precedes the answer."""
    return reasoning.readable(attempt.completion.parts) if attempt.completion is not None else ""


def tried(attempt: Attempt) -> list[dict[str, str]]:
    """Return the programs that the model ran before its answer, and the results.

    Each dict describes one program: `code` is the source code, and `shown` is the result that the model received.
    """
    return [
        {"code": run["code"] or "", "shown": run["shown"]} for step in attempt.steps for run in step.get("runs") or ()
    ]


def leaks(feedback: Feedback) -> str:
    """Return a note on text that was redacted from the feedback, or "" if nothing was redacted."""
    if not feedback.redacted:
        return ""
    return f"{count(feedback.redacted, 'redaction')}: text from a test, a reference or a hidden input was removed"


def extraction(attempt: Attempt) -> str:
    """Describe how the code was extracted and normalised; return "" if this was not recorded."""
    how = attempt.extraction or {}
    return ", ".join(map(str, filter(None, [how.get("method"), *(how.get("steps") or ())])))


def cases(verdict: Verdict) -> Iterator[dict[str, Any]]:
    """Yield the failed cases of a verdict as text, with the keys `inputs`, `hidden`, `expected`, `got` and `notes`.

    If the expected and the returned value are both probability distributions, `outcomes` contains [key, expected, got]
    for the most likely outcomes.
    """
    for case in verdict.evidence.get("cases") or ():
        if not {"inputs", "expected", "got"} & case.keys():
            continue
        expected, got = case.get("expected"), case.get("got")
        notes = [f"{name} {value:.4g}" for name, value in (case.get("distance") or {}).items()]
        if case.get("mismatch"):
            notes.append(f"wrong {case['mismatch']}")
        inputs = case.get("inputs")
        yield {
            "inputs": None if inputs is None else ", ".join(map(json.dumps, inputs)),
            "hidden": bool(case.get("hidden")),
            "expected": _plain(expected),
            "got": _plain(got),
            "notes": ", ".join(notes),
            "outcomes": _side_by_side(expected, got),
        }


def distance(verdict: Verdict) -> str:
    measured = verdict.evidence.get("distance")
    if isinstance(measured, Mapping):
        return ", ".join(f"{name} {value:.3g}" for name, value in measured.items())
    return "" if measured is None else str(measured)


def _plain(value: Any) -> str | None:
    """Convert an observation to text: a table of outcome probabilities, the repr of an object, or JSON."""
    if value is None or isinstance(value, str):
        return value
    if (rows := _probabilities(value)) is not None:
        return "\n".join(f"{key}: {probability:.4f}" for key, probability in list(rows.items())[:_OUTCOMES])
    if isinstance(value, dict) and "repr" in value:
        return str(value["repr"])
    return json.dumps(value, indent=1)


def _side_by_side(expected: Any, got: Any) -> list[tuple[str, float, float]] | None:
    left, right = _probabilities(expected), _probabilities(got)
    if left is None or right is None:
        return None
    rows = [(key, left.get(key, 0.0), right.get(key, 0.0)) for key in dict.fromkeys([*left, *right])]
    return sorted(rows, key=lambda row: (-max(row[1:]), row[0]))[:_OUTCOMES]


def _probabilities(value: Any) -> dict[str, float] | None:
    rows = value.get("probabilities") if isinstance(value, dict) else None
    return dict(sorted(rows.items(), key=lambda row: (-row[1], row[0]))) if isinstance(rows, dict) else None
