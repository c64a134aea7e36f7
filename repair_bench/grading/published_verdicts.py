"""Our verdicts beside those that somebody else published: where both agree, and on which answers they do not."""

from __future__ import annotations

from collections import Counter
from typing import Any

from repair_bench.analysis.comparing.agreement import kappa

NAMED = 5
"""Disagreements of each class that are named."""


class Beside:
    """Counts graded lines by our verdict and by that of a column: true for passed, false for failed, null for none."""

    def __init__(self, column: str) -> None:
        self.column = column
        self._table: Counter[tuple[str, bool]] = Counter()
        self._differ: Counter[str] = Counter()
        self._named: dict[str, list[dict[str, Any]]] = {}
        self._unknown = self._unjudged = 0

    def add(self, number: int, line: dict[str, Any]) -> None:
        """Count a line. `number`: its place among all, from 1."""
        ours, theirs = line["verdict"], line.get(self.column)
        if theirs is None:
            self._unknown += 1
        elif ours is None:
            self._unjudged += 1
        else:
            self._table[ours, theirs] += 1
            if (ours == "pass") != theirs:
                self._differ[line["error_type"]] += 1
                named = self._named.setdefault(line["error_type"], [])
                if len(named) < NAMED:
                    named.append({"line": number, "task_id": line["task_id"], "framework": line["framework"]})

    def figures(self) -> dict[str, Any]:
        """As JSON data; a share or a kappa that is not defined is None.

        `answers`: how many have both verdicts; `unknown`: those without theirs; `unjudged`: those with theirs and
        without ours. `agree`, `agreement` (their share) and `kappa` (see `analysis.agreement`). `table`: for each kind
        of ours, how many passed and failed there. `disagreements`: by our `error_type`, the most frequent first, with
        what the verdict is there and the first `NAMED` by their `line`, from 1.
        """
        answers = self._table.total()
        both, ours = self._table["pass", True], self._table["pass", False]
        theirs = sum(n for (kind, there), n in self._table.items() if kind != "pass" and there)
        agree = answers - ours - theirs
        return {
            "column": self.column,
            "answers": answers,
            "unknown": self._unknown,
            "unjudged": self._unjudged,
            "agree": agree,
            "agreement": agree / answers if answers else None,
            "kappa": kappa(both, ours, theirs, agree - both),
            "table": [
                {"ours": kind, "theirs_pass": self._table[kind, True], "theirs_fail": self._table[kind, False]}
                for kind in dict.fromkeys(kind for kind, _ in self._table)
            ],
            "disagreements": [
                {"ours": kind, "theirs": "fail" if kind == "pass" else "pass", "answers": n, "named": self._named[kind]}
                for kind, n in self._differ.most_common()
            ],
        }
