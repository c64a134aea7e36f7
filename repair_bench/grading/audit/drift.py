"""Drift: the same solutions graded twice, under two versions of a framework for one, and which verdicts changed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from repair_bench.traces.faults import UsageError

_FIELDS = ("task_id", "framework", "verdict", "error_type", "detail")
"""What is read of a line, all of it text or null."""
UNJUDGED = ("excluded", "fault")
"""What stands in the place of a verdict where there is none."""


def read(path: Path) -> list[dict[str, Any]]:
    """The lines of a file that `repair-bench grade` wrote. Raises UsageError naming the line that is none."""
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            rows = list(file)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {error}") from None
    lines = []
    for number, row in enumerate(rows, start=1):
        try:
            line = json.loads(row)
        except (ValueError, RecursionError):
            line = None
        if not isinstance(line, dict) or not all(isinstance(line.get(name, 0), str | None) for name in _FIELDS):
            raise UsageError(f"{path}:{number}: not a graded solution, as `repair-bench grade` writes them")
        lines.append(line)
    return lines


def drift(before: Sequence[dict[str, Any]], after: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What became of each verdict, as JSON data. Both are the graded lines of the same solutions in the same order.

    `solutions`: how many; `judged`: with a verdict in both; `passed_before`, `passed_after`: of those judged.
    `pairs`: a row for each framework and pair of verdicts, with how many solutions have it; "excluded" or "fault" is in
    the place of a verdict that there is not. `changed`: a row for each solution whose two differ, with its number among
    the lines, from 1, and why it failed. Raises UsageError when the solutions are not the same.
    """
    if len(before) != len(after):
        raise UsageError(f"these are not the same solutions: {len(before)} against {len(after)}")
    pairs: Counter[tuple[str, str, str]] = Counter()
    changed = []
    for number, (old, new) in enumerate(zip(before, after, strict=True), start=1):
        if _solution(old) != _solution(new):
            raise UsageError(f"these are not the same solutions: line {number} differs in its task or its answer")
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
