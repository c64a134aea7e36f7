"""Drift: verdicts that changed between two gradings of the same solutions, for example with two framework versions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from repair_bench.traces.faults import UsageError

_FIELDS = ("task_id", "framework", "verdict", "error_type", "detail")
"""The fields that are read from each line; their values are text or null."""
UNJUDGED = ("excluded", "fault")
"""The reasons why a solution has no verdict. A solution without a verdict is counted under one of these reasons."""


def read(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a file that `repair-bench grade` wrote. Raises UsageError for an invalid line."""
    try:
        text = path.read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {error}") from None
    lines = []
    for number, row in enumerate(text.removesuffix("\n").split("\n") if text else (), start=1):
        try:
            line = json.loads(row)
        except (ValueError, RecursionError):
            line = None
        if not isinstance(line, dict) or not all(isinstance(line.get(name, 0), str | None) for name in _FIELDS):
            raise UsageError(f"{path}:{number}: expected a graded answer in the format of `repair-bench grade`")
        lines.append(line)
    return lines


def drift(before: Sequence[dict[str, Any]], after: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the changed verdicts as JSON data.

    Raises UsageError unless both files list the same solutions in the same order.

    `judged`: the number of solutions with a verdict in both files. `passed_before`, `passed_after`: the numbers of
    judged solutions that passed. `pairs`: the number of solutions for each framework and combination of old and new
    verdict. A solution that has no verdict is counted under "excluded" or "fault". `changed`: the solutions whose
    verdict changed, with the line (counted from 1) and the reason for the failure.
    """
    if len(before) != len(after):
        raise UsageError(f"the files contain different solutions: they have {len(before)} and {len(after)} lines")
    pairs: Counter[tuple[str, str, str]] = Counter()
    changed = []
    for number, (old, new) in enumerate(zip(before, after, strict=True), start=1):
        if _solution(old) != _solution(new):
            raise UsageError(f"the files contain different solutions: the tasks or answers on line {number} differ")
        kinds = _kind(old), _kind(new)
        pairs[(str(old["framework"]), *kinds)] += 1
        if kinds[0] != kinds[1]:
            changed.append(
                {
                    "line": number,
                    "task_id": old["task_id"],
                    "framework": old["framework"],
                    "before": kinds[0],
                    "after": kinds[1],
                    "detail": new["detail"] or old["detail"],
                }
            )
    judged = [(old, new, n) for (_, old, new), n in pairs.items() if old not in UNJUDGED and new not in UNJUDGED]
    return {
        "solutions": len(before),
        "judged": sum(n for _, _, n in judged),
        "passed_before": sum(n for old, _, n in judged if old == "pass"),
        "passed_after": sum(n for _, new, n in judged if new == "pass"),
        "pairs": [
            {"framework": framework, "before": old, "after": new, "solutions": n}
            for (framework, old, new), n in sorted(pairs.items())
        ],
        "changed": changed,
    }


def _solution(line: dict[str, Any]) -> tuple[Any, ...]:
    return line["task_id"], line["framework"], line.get("code"), line.get("completion")


def _kind(line: dict[str, Any]) -> str:
    return str(line["verdict"] or line["error_type"])
