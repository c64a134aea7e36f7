"""Validation of references: the command prints the results. `test_docs_followed` validates the built-in suite."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

ANSWER = "def answer():\n    return [{}]\n"


def write(path: Path, *lines: dict[str, object]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.mark.slow
def test_failures_come_first_and_what_passes_only_with_all(
    cli: Callable[..., tuple[int, str, str]], tmp_path: Path, lent: None
) -> None:
    check = {"kind": "unit_test", "test": "def check(f):\n    assert f() == [1], 'not [1]'\n"}
    task = {"framework": "qiskit", "entry_point": "answer", "prompt": "Write answer().", "check": check}
    fails = {**task, "task_id": "it-fails", "reference": ANSWER.format(2)}
    write(
        tmp_path / "tasks.jsonl",
        {**task, "task_id": "it-passes", "reference": ANSWER.format(1)},
        fails,
        {**task, "task_id": "no-answer"},
    )
    suite = ("jsonl", "--data", "tasks.jsonl")
    code, said, _ = cli("suites", "validate", *suite)
    assert code == 1
    assert "it-fails" in said
    assert "AssertionError: not [1]" in " ".join(said.split())
    assert "it-passes" not in said
    assert said.splitlines()[-1] == "3 tasks: pass 1  no reference 1  fails 1"
    assert not re.search(r"\d\.\d{4}", said)
    _, said, _ = cli("suites", "validate", *suite, "--all")
    places = [said.index(name) for name in ("it-fails", "it-passes", "no-answer")]
    assert places == sorted(places)
    assert said.splitlines()[-1] == "3 tasks: pass 1  no reference 1  fails 1"
    assert len(json.loads(cli("suites", "validate", *suite, "--json")[1])) == 3

    write(tmp_path / "in.jsonl", *({"task_id": "it-passes", "code": ANSWER.format(n)} for n in (1, 2)))
    assert cli("grade", "in.jsonl", "--suite", *suite, "--out", "out.jsonl")[0] == 0
    graded = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [line["assertion"] for line in graded] == [None, "AssertionError: not [1]"]
