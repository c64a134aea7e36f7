"""Grade a line of stored answers, count graded lines, and compare the verdicts with published verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from repair_bench.analysis.comparing.agreement import kappa
from repair_bench.analysis.taxonomy import error_type
from repair_bench.grading.judge import Judge
from repair_bench.log import log
from repair_bench.suites.task import Task
from repair_bench.traces.faults import Fault
from repair_bench.traces.record.records import Verdict

OWN = frozenset({"verdict", "verdicts", "published", "error_type", "detail", "assertion", "sealed", "seconds"})
"""The fields that grading adds to a line; fields from an earlier grading are replaced."""
NAMED = 5
"""The maximum number of disagreements that are listed per class."""


async def grade_line(line: dict[str, Any], by_rule: Mapping[str, Task], judge: Judge, *, draw: str) -> dict[str, Any]:
    """Judge the answer in a line, and return the line with the fields of the verdict added.

    `by_rule`: maps each rule to the task as loaded for that rule. The field `verdict` is the verdict under the first
    rule. `draw`: a string that seeds the random shots of noisy rules, such as the line number.
    """
    first = next(iter(by_rule.values()))
    line = {name: value for name, value in line.items() if name not in OWN}
    if all(task.excluded is not None for task in by_rule.values()):
        return {**line, **_unjudged("excluded", first.excluded)}
    code = line.get("code")
    run_by = next((task for task in by_rule.values() if task.oracle is not None), first)  # also runs the published test
    answer = (
        judge.answer(run_by, line["completion"], draw=draw) if code is None else judge.code(run_by, code, draw=draw)
    )
    judged = await answer
    try:
        verdicts = {
            rule: judged.under(task) if task.excluded is None or judged.code is None else None
            for rule, task in by_rule.items()
        }
    except Fault as fault:
        log.warning("fault", task=first.id, framework=first.framework, boundary=fault.boundary)
        return {**line, **_unjudged("fault", f"{fault.boundary}: {fault}")}
    return {**line, **_fields(verdicts, judged.seconds, first.excluded)}


class Tally:
    """Counts graded lines. `column`: the field that contains another grader's verdict."""

    def __init__(self, rules: tuple[str, ...], column: str | None = None) -> None:
        self.rules = rules
        self._lines = 0
        self._published = None if column is None else PublishedVerdicts(column)
        self._counts: dict[str, Counter[str]] = {rule: Counter() for rule in rules}
        self._guarded: Counter[str] = Counter()
        self._excluded: Counter[str] = Counter()
        self._oracles: Counter[str] = Counter()
        self._dependent: Counter[tuple[str, str]] = Counter()
        self._faults: list[dict[str, str]] = []

    def add(self, line: dict[str, Any]) -> None:
        self._lines += 1
        if self._published is not None:
            self._published.add(self._lines, line)
        if line["error_type"] == "fault":
            self._faults.append({name: line[name] for name in ("task_id", "framework", "detail")})
            return
        verdicts = line.get("verdicts", {self.rules[0]: line["verdict"]})
        for rule, verdict in verdicts.items():
            self._counts[rule][verdict or "excluded"] += 1
        if line["verdict"] is None:
            self._excluded[line["detail"]] += 1
        elif line["sealed"] == "guarded":
            self._guarded[line["verdict"]] += 1
        if "published" in line:
            published, right = line["published"] == "pass", line["verdict"] == "pass"
            self._oracles["answers"] += 1
            self._oracles["fails_right"] += right and not published
            self._oracles["passes_wrong"] += published and not right
        if len(set(verdicts.values())) > 1:
            self._dependent[line["task_id"], line["framework"]] += 1

    @property
    def verdicts(self) -> dict[str, int]:
        """The number of lines with each verdict, where the verdict is that of the first rule in `rules`."""
        return dict(self._counts[self.rules[0]])

    def figures(self) -> dict[str, Any]:
        """Return the counts in the form that `grade.grade_file` returns."""
        dependent = [
            {"task_id": task_id, "framework": framework, "answers": answers}
            for (task_id, framework), answers in self._dependent.items()
        ]
        by_rule = {rule: dict(counts) for rule, counts in self._counts.items()}
        more: dict[str, Any] = {"rules": by_rule, "rule_dependent": dependent} if len(self.rules) > 1 else {}
        optional = {"guarded": dict(self._guarded), "excluded": dict(self._excluded), "not_judged": self._faults}
        optional["oracles"] = dict(self._oracles)
        more |= {name: counts for name, counts in optional.items() if counts}
        if self._published is not None:
            more["beside"] = self._published.figures()
        return {"verdicts": self.verdicts, **more, "faults": len(self._faults)}


class PublishedVerdicts:
    """Counts graded lines by our verdict and by a published verdict (true, false, or null if unknown)."""

    def __init__(self, column: str) -> None:
        self.column = column
        self._table: Counter[tuple[str, bool]] = Counter()
        self._differ: Counter[str] = Counter()
        self._named: dict[str, list[dict[str, Any]]] = {}
        self._unknown = self._unjudged = 0

    def add(self, number: int, line: dict[str, Any]) -> None:
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
        """Return the comparison with the published verdicts as JSON data; an undefined share or kappa is None.

        `answers`: the number of lines with both a published verdict and a verdict of repair-bench. `unknown`: the
        number of lines without a published verdict. `unjudged`: the number of lines with a published verdict that
        repair-bench did not judge. `agreement`: the share of lines with equal verdicts. `kappa`: see
        `analysis.agreement`. `table`: the numbers of published passes and failures, broken down by the verdict of
        repair-bench. `disagreements`: the lines on which the two verdicts differ, grouped by the `error_type` that
        repair-bench assigned, with the most frequent type first.
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


def _fields(verdicts: Mapping[str, Verdict | None], seconds: float | None, excluded: str | None) -> dict[str, Any]:
    """Return the fields that grading adds to a line.

    `excluded`: why the first rule gives no verdict; None if the rule gives a verdict.
    """
    first = next(iter(verdicts.values()))
    fields = _unjudged("excluded", excluded)
    if first is not None:
        evidence = first.evidence
        detail = evidence.get("problem") or (f"{evidence['type']}: {evidence['message']}" if "type" in evidence else "")
        fields = {
            "verdict": first.kind,
            "error_type": error_type(first),
            "detail": detail,
            "assertion": evidence.get("assertion") or None,
            "sealed": first.sealed,
        }
        if first.published is not None:
            fields["published"] = first.published
    if len(verdicts) > 1:
        fields["verdicts"] = {rule: verdict.kind if verdict else None for rule, verdict in verdicts.items()}
    return {**fields, "seconds": seconds}


def _unjudged(why: str, detail: str | None) -> dict[str, Any]:
    empty = dict.fromkeys(("assertion", "sealed", "seconds"))
    return {"verdict": None, "error_type": why, "detail": detail, **empty}
