"""Comparison of our verdicts with published ones."""

from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from repair_bench.grading.graded_lines import NAMED, PublishedVerdicts

KINDS = {"pass": "pass", "wrong_answer": "wrong answer: value", "exception": "TypeError", None: "excluded"}


def line(kind: str | None, theirs: bool | None, task: str = "1") -> dict[str, Any]:
    return {"task_id": task, "framework": "qiskit", "verdict": kind, "error_type": KINDS[kind], "theirs": theirs}


@given(st.lists(st.tuples(st.sampled_from(list(KINDS)), st.sampled_from([True, False, None])), max_size=60))
def test_every_line_is_in_one_place(pairs: list[tuple[str | None, bool | None]]) -> None:
    verdicts = PublishedVerdicts("theirs")
    for number, (kind, theirs) in enumerate(pairs, start=1):
        verdicts.add(number, line(kind, theirs, f"task {number}"))
    found = verdicts.figures()
    both = [(kind, theirs) for kind, theirs in pairs if kind is not None and theirs is not None]
    differ = [KINDS[kind] for kind, theirs in both if (kind == "pass") != theirs]
    assert found["answers"] + found["unknown"] + found["unjudged"] == len(pairs)
    assert (found["answers"], found["agree"]) == (len(both), len(both) - len(differ))
    columns = {"theirs_pass": True, "theirs_fail": False}
    table = {(row["ours"], there): row[name] for row in found["table"] for name, there in columns.items() if row[name]}
    assert table == Counter(both)
    assert {row["ours"]: row["answers"] for row in found["disagreements"]} == Counter(differ)
    for row in found["disagreements"]:
        assert len(row["named"]) == min(row["answers"], NAMED)
        for one in row["named"]:
            kind, theirs = pairs[one["line"] - 1]
            assert (KINDS[kind], one["task_id"]) == (row["ours"], f"task {one['line']}")
            assert theirs is (row["theirs"] == "pass")


def test_only_the_first_disagreements_of_a_kind_are_named() -> None:
    verdicts = PublishedVerdicts("theirs")
    for number in range(1, NAMED + 3):
        verdicts.add(number, line("wrong_answer", True, f"task {number}"))
    (row,) = verdicts.figures()["disagreements"]
    assert row["answers"] == NAMED + 2
    assert [one["line"] for one in row["named"]] == list(range(1, NAMED + 1))


def test_without_a_verdict_in_common_there_is_no_share() -> None:
    verdicts = PublishedVerdicts("theirs")
    verdicts.add(1, line(None, True))
    found = verdicts.figures()
    assert (found["answers"], found["unjudged"], found["agreement"], found["kappa"]) == (0, 1, None, None)
