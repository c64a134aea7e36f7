"""Evidence about a wrong answer, formatted for feedback."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from repair_bench.frameworks import PYTHON, Language
from repair_bench.prompts.templates import render
from repair_bench.suites import inputs as program_inputs
from repair_bench.suites.task import Task
from repair_bench.traces.record.records import Verdict

MAX_CASES = 3
MAX_OUTCOMES = 32

_IN_PARENTHESES = re.compile(r" \(([^()]*+)\)")
_MEASURE = re.compile(r"\b(?:distance|divergence|fidelity)\b")
_COUNTED = re.compile(r"; (\d+) of (\d+) cases are incorrect\Z")


def shown(verdict: Verdict) -> list[dict[str, Any]]:
    return [case for case in verdict.evidence.get("cases", []) if not case.get("hidden")][:MAX_CASES]


def only_hidden(verdict: Verdict) -> bool:
    return bool(verdict.evidence.get("cases")) and not shown(verdict)


def instances(verdict: Verdict) -> list[dict[str, Any]]:
    """Return the visible instances that a solver was run on; empty if the task has no instances."""
    return [instance for instance in verdict.evidence.get("instances", []) if not instance["hidden"]]


def per_instance(task: Task, verdict: Verdict, lines: Sequence[str]) -> str:
    """Return the feedback for a task with instances, with one line per visible instance."""
    listed = instances(verdict)
    solved = sum(instance["problem"] is None for instance in listed)
    raised = traceback(verdict) if verdict.kind == "exception" else ""
    return render("feedback_instances", task.language, lines=lines, solved=solved, total=len(listed), traceback=raised)


def problem(verdict: Verdict) -> str:
    """Return a sentence about the error, such as an incorrect shape or type, a forbidden gate, or a failed test.

    The result is "" if the answer has only incorrect values, or fails only in hidden cases. The returned sentence never
    states the distance between the answer and the correct answer, or the number of incorrect cases.
    """
    if only_hidden(verdict):
        return ""
    text = _COUNTED.sub("", str(verdict.evidence.get("problem", "")))
    mismatched = any(case.get("mismatch") for case in shown(verdict)[:1])  # the text may be the candidate's
    measured = any(_MEASURE.search(inside[1]) for inside in _IN_PARENTHESES.finditer(text))
    return text if mismatched or not measured else ""


def incorrect(verdict: Verdict) -> tuple[int, int] | None:
    """Return the number of incorrect cases and the number of all cases; None for a check with only one case."""
    found = _COUNTED.search(str(verdict.evidence.get("problem", "")))
    return (int(found[1]), int(found[2])) if found else None


def wrong_answer(template: str, task: Task, verdict: Verdict, **values: Any) -> str:
    """Render a template for feedback on a wrong answer.

    `values`: the policy's own variables, in addition to the variables that all policies use.
    """
    return render(template, task.language, problem=problem(verdict), only_hidden=only_hidden(verdict), **values)


def traceback(verdict: Verdict) -> str:
    """Return the traceback of an exception. If the process died without a traceback, return the error message."""
    return str(verdict.evidence["traceback"] or verdict.evidence["message"])


def inputs(case: dict[str, Any], language: Language) -> str:
    """Return the arguments of a case, written as a call or in the form in which the prompt shows a program's inputs."""
    written = json.dumps if language is PYTHON else program_inputs.written
    return ", ".join(written(value) for value in case.get("inputs") or [])


def show(value: Any) -> str:
    """Return an observation as text: distributions as tables, all other values in plain form."""
    if value is None:
        return ""
    if isinstance(value, dict) and isinstance(value.get("probabilities"), dict):
        rows = sorted(value["probabilities"].items(), key=lambda row: (-row[1], row[0]))
        lines = [f"{key}: {probability:.4f}" for key, probability in rows[:MAX_OUTCOMES]]
        more = len(rows) - len(lines) + int(value.get("left_out") or 0)
        if more > 0:
            lines.append(f"... and {more} more outcomes")
        return "outcome: probability\n" + "\n".join(lines)
    if isinstance(value, str):
        return value
    return json.dumps(value)
