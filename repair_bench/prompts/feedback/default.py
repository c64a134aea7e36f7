"""QuanBench+'s feedback: the traceback for an exception, the program's own output for a wrong answer.

Reveals nothing of the answer beyond its shape: a wrong number of bits or qubits is named, as the task's text does.
Inputs that are hidden stay hidden: a case that failed on them is mentioned, never shown.
"""

from __future__ import annotations

import json
from typing import Any

from repair_bench.prompts.templates import render
from repair_bench.suites.task import Task
from repair_bench.traces.records import Verdict

MOST_CASES = 3
MOST_OUTCOMES = 32


def feedback(task: Task, verdict: Verdict) -> str:
    """The text shown to the model. Raises ValueError for a verdict that needs none."""
    evidence = verdict.evidence
    match verdict.kind:
        case "exception":
            return render("feedback_exception", traceback=evidence["traceback"])
        case "wrong_answer":
            return _wrong_answer(evidence)
        case "no_code":
            return render("feedback_no_code", missing=evidence["missing"], entry_point=task.entry_point)
        case "limit":
            return render("feedback_limit", problem=evidence["problem"])
    raise ValueError(f"no feedback for a verdict of kind {verdict.kind}")


def _wrong_answer(evidence: dict[str, Any]) -> str:
    failed = evidence.get("cases", [])
    shown = [case for case in failed if not case.get("hidden")]
    return render(
        "feedback_wrong_answer",
        problem=evidence.get("problem", "") if shown or not failed else "",
        cases=[{"inputs": _inputs(case), "got": show(case.get("got"))} for case in shown[:MOST_CASES]],
        only_hidden=bool(failed) and not shown,
    )


def _inputs(case: dict[str, Any]) -> str:
    return ", ".join(json.dumps(value) for value in case.get("inputs") or [])


def show(got: Any) -> str:
    """An observation as a model reads it: a table of outcome probabilities, else its plain form."""
    if got is None:
        return ""
    if isinstance(got, dict) and isinstance(got.get("probabilities"), dict):
        rows = sorted(got["probabilities"].items(), key=lambda row: (-row[1], row[0]))
        lines = [f"{key}: {probability:.4f}" for key, probability in rows[:MOST_OUTCOMES]]
        if len(rows) > MOST_OUTCOMES:
            lines.append(f"... and {len(rows) - MOST_OUTCOMES} more outcomes")
        return "outcome: probability\n" + "\n".join(lines)
    if isinstance(got, str):
        return got
    return json.dumps(got)
