"""How each unit test is sealed: found by running the references, kept in a file, used by the loaders."""

import asyncio
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from repair_bench import suites
from repair_bench.agent import inspection
from repair_bench.executors import LocalExecutor
from repair_bench.executors.options import ExecutorOptions
from repair_bench.suites.checks import UnitTestCheck
from repair_bench.suites.quantum_katas.loader import SEALING
from repair_bench.suites.sealing import save, sealing, with_facts
from repair_bench.suites.sources import canary
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import UsageError

VALUE = "def answer(): return [1]"
OBJECT = "class Own:\n    n = 1\ndef answer(): return Own()"


def task(name: str, reference: str | None, test: str) -> Task:
    check = UnitTestCheck(test=test, function="test_answer", canary=canary(reference, "answer"))
    return Task("by hand", name, "python", "answer", "", "", check, "unsorted", reference=reference)


SUITE = Suite(
    "by hand",
    "1",
    "abc",
    (
        task("crosses", VALUE, "def test_answer(): assert answer() == [1]"),
        task("an object", OBJECT, "def test_answer(): assert answer().n == 1"),
        task("a file", VALUE, "def test_answer(): open('x', 'w').write('1'); assert answer() == [1]"),
        task("a wrong reference", VALUE, "def test_answer(): assert answer() == [2]"),
        task("passes anything", VALUE, "def test_answer(): answer()"),
        task("no reference", None, "def test_answer(): assert answer() == [1]"),
    ),
)
WAYS = {
    "crosses": "stub",
    "an object": "guarded",
    "a file": "guarded",
    "a wrong reference": "stub",
    "passes anything": "guarded",
}


def test_a_test_is_a_stub_where_the_reference_fares_as_by_the_published_rule(executor: LocalExecutor) -> None:
    assert asyncio.run(sealing(SUITE, executor.run)) == WAYS


def test_facts_are_used_for_the_content_that_they_were_found_for(tmp_path: Path) -> None:
    path = tmp_path / "sealing.json"
    save(path, SUITE, {"a file": "guarded"})
    ways = {task.id: task.check.sealing for task in with_facts(SUITE, path).tasks}  # type: ignore[attr-defined]
    assert ways == {task.id: "guarded" if task.id == "a file" else "stub" for task in SUITE.tasks}
    other = replace(SUITE, content_hash="def")
    assert with_facts(other, path) == other


@pytest.mark.parametrize(
    ("name", "folder", "stubs"),
    [
        ("quantum-katas", "quantum-katas", 330),
        ("qiskit-humaneval", "qiskit-humaneval", 126),
        ("qiskit-humaneval-hard", "qiskit-humaneval", 125),
    ],
)
def test_the_published_suites_come_with_their_facts(datasets: Path, name: str, folder: str, stubs: int) -> None:
    suite = asyncio.run(suites.load(name, data=datasets / folder))
    ways = Counter(task.check.sealing for task in suite.tasks if task.excluded is None)  # type: ignore[attr-defined]
    assert ways["stub"] == stubs


def test_the_vacuous_katas_are_not_stubs() -> None:
    facts = json.loads(SEALING.read_text(encoding="utf-8"))["tasks"]
    vacuous = {"CHSHGame/2.5", "DeutschJozsa/4.1", "KeyDistribution_BB84/3.2", "MagicSquareGame/2.5"}
    vacuous |= {"MagicSquareGame/2.6", "Measurements/2.2", "Teleportation/1.8"}
    assert {facts[task] for task in vacuous} == {"guarded"}


LINE = {"framework": "qiskit", "entry_point": "answer", "prompt": "Write answer() ...", "reference": VALUE}


@pytest.mark.slow
def test_the_facts_of_a_users_own_tasks_are_written_where_they_are_wanted(tmp_path: Path) -> None:
    tests = {"crosses": "def check(f): assert f() == [1]", "file": "def check(f): open('x', 'w'); assert f() == [1]"}
    lines = [{**LINE, "task_id": name, "check": {"kind": "unit_test", "test": test}} for name, test in tests.items()]
    data, out = tmp_path / "tasks.jsonl", tmp_path / "sealing.json"
    data.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = inspection.sealing("jsonl", data, out, executor=ExecutorOptions(2))
    assert found == {"file": str(out), "stub": 1, "guarded": 1, "changed": []}
    assert json.loads(out.read_text())["tasks"] == {"crosses": "stub", "file": "guarded"}


def test_facts_without_a_place_are_refused_before_anything_is_run() -> None:
    with pytest.raises(UsageError, match="pass --out FILE"):
        inspection.sealing("aligned", None, None, executor=ExecutorOptions(2))


@pytest.mark.parametrize("name", ["quantum-katas", "qiskit-humaneval", "qiskit-humaneval-hard"])
def test_a_published_suite_says_where_it_keeps_its_facts(datasets: Path, name: str) -> None:
    path = suites.facts_file(name)
    assert path is not None
    folder = datasets / name.removesuffix("-hard")
    assert json.loads(path.read_text())["content_hash"] == asyncio.run(suites.load(name, data=folder)).content_hash
