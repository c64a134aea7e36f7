"""Coarse error classes and their subclasses."""

from __future__ import annotations

from repair_bench.traces.record.records import Verdict

PASS = "pass"  # noqa: S105 - not a password
WRONG_ANSWER = "wrong answer"
EXCEPTION = "exception"
NO_CODE = "no code"
LIMIT = "limit"

ERROR_CLASSES = (WRONG_ANSWER, EXCEPTION, NO_CODE, LIMIT)
"""The classes of failed attempts, in the order in which they are printed."""


def error_class(verdict: Verdict) -> str:
    """Return "pass" or one of `ERROR_CLASSES`."""
    return LIMIT if verdict.kind == "context" else verdict.kind.replace("_", " ")


def error_type(verdict: Verdict) -> str:
    """Return the subclass of a failure: the name of an exception or, for example, "wrong answer: shape" or "limit: cpu
    timeout".
    """
    name = error_class(verdict)
    evidence = verdict.evidence
    if verdict.kind == "exception":
        return str(evidence.get("type") or name)
    if verdict.kind == "wrong_answer":
        cases = evidence.get("cases") or []
        named = (case["mismatch"] for case in cases if case.get("mismatch"))
        detail = next(named, "value" if cases else None)
    elif verdict.kind == "no_code":
        detail = evidence.get("missing")
    elif verdict.kind == "limit":
        detail = evidence.get("limit")
    elif verdict.kind == "context":
        detail = "context window"
    else:
        detail = None
    return f"{name}: {str(detail).replace('_', ' ')}" if detail else name
