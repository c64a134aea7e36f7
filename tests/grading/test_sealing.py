"""How each unit test is sealed: found by running the references, kept in a file, used by the loaders."""

import asyncio
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from repair_bench import suites
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.options import ExecutorOptions
from repair_bench.grading.audit.sealing import seal_suite, sealing
from repair_bench.suites.checks import UnitTestCheck
from repair_bench.suites.quantum_katas import SEALING
from repair_bench.suites.sealing import Facts, save, with_facts
from repair_bench.suites.sources import canary
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import UsageError

VALUE = "def answer(): return [1]"
OBJECT = (
    "class Own:\n    def __init__(self): self.n = 1\n    def twice(self, n): return 2 * n\ndef answer(): return Own()"
)


def task(name: str, reference: str | None, test: str) -> Task:
    check = UnitTestCheck(test=test, function="test_answer", canary=canary(reference or "", "answer"))
    return Task("by hand", name, "python", "answer", "", "", check, "unsorted", reference=reference)


CHANGES = "def answer(a, b): b.clear()"
LUCK = "import random\ndef answer(): return random.random() < 0.5"
SUITE = Suite(
    "by hand",
    "1",
    "abc",
    (
        task("crosses", VALUE, "def test_answer(): assert answer() == [1]"),
        task("an object", OBJECT, "def test_answer(): assert answer().n == 1"),
        task("a method", OBJECT, "def test_answer(): assert answer().twice(2) == 4"),
        task("a file", VALUE, "def test_answer(): open('x', 'w').write('1'); assert answer() == [1]"),
        task("a wrong reference", VALUE, "def test_answer(): assert answer() == [2]"),
        task("passes anything", VALUE, "def test_answer(): answer()"),
        task("passes anything, with a file", VALUE, "def test_answer(): answer(), open('x', 'w')"),
        task("luck", LUCK, "def test_answer(): assert answer()"),
        task(
            "in place",
            CHANGES,
            "def test_answer():\n    a, b = [1], [2]\n    answer(a, b)\n    assert a == [1] and not b",
        ),
        task("by name", CHANGES, "def test_answer():\n    b = [2]\n    answer([1], b=b)\n    assert not b"),
        task("no reference", None, "def test_answer(): assert answer() == [1]"),
    ),
)
FACTS = Facts(
    {
        "crosses": "stub",
        "an object": "stub",
        "a method": "guarded",
        "a file": "guarded",
        "a wrong reference": "stub",
        "passes anything": "stub",
        "passes anything, with a file": "guarded",
        "luck": "stub",
        "in place": "stub",
        "by name": "stub",
    },
    frozenset({"passes anything", "passes anything, with a file"}),
    {"a wrong reference": None, "a method": None, "in place": ("1",), "by name": ("b",)},
)


@pytest.mark.slow
def test_a_test_is_a_stub_where_the_reference_fares_as_by_the_published_rule(executor: LocalExecutor) -> None:
    assert asyncio.run(sealing(SUITE, executor)) == FACTS


def test_a_pass_of_a_test_that_passes_its_canary_says_so(executor: LocalExecutor, tmp_path: Path) -> None:
    path = tmp_path / "sealing.json"
    save(path, SUITE, FACTS)
    noted = set()
    for one in with_facts(SUITE, path).tasks:
        if one.reference is not None:
            outcome = asyncio.run(executor.run(one.check.program(one, one.reference)))
            noted |= {one.id} if "note" in one.check.judge(one, outcome).evidence else set()
    assert noted == FACTS.vacuous


@pytest.mark.parametrize(
    ("changes", "kept"), [({}, ()), ({"a file": None}, None), ({"a file": ("0", "x")}, ("0", "x"))]
)
def test_what_a_reference_changes_is_kept(
    tmp_path: Path, changes: dict[str, tuple[str, ...] | None], kept: tuple[str, ...] | None
) -> None:
    path = tmp_path / "sealing.json"
    save(path, SUITE, Facts({"a file": "guarded"}, changes=changes))
    found = {task.id: task.check.changes for task in with_facts(SUITE, path).tasks}  # type: ignore[attr-defined]
    assert found == {task.id: kept if task.id == "a file" else None for task in SUITE.tasks}


def test_facts_are_used_for_the_content_that_they_were_found_for(tmp_path: Path) -> None:
    path = tmp_path / "sealing.json"
    save(path, SUITE, Facts({"a file": "guarded"}))
    ways = {task.id: task.check.sealing for task in with_facts(SUITE, path).tasks}  # type: ignore[attr-defined]
    assert ways == {task.id: "guarded" if task.id == "a file" else "stub" for task in SUITE.tasks}
    other = replace(SUITE, content_hash="def")
    assert with_facts(other, path) == other


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "folder", "stubs"),
    [
        ("quantum-katas", "quantum-katas", 350),
        ("qiskit-humaneval", "qiskit-humaneval", 140),
        ("qiskit-humaneval-hard", "qiskit-humaneval", 139),
    ],
)
def test_the_published_suites_come_with_their_facts(datasets: Path, name: str, folder: str, stubs: int) -> None:
    suite = asyncio.run(suites.load(name, data=datasets / folder))
    ways = Counter(task.check.sealing for task in suite.tasks if task.excluded is None)  # type: ignore[attr-defined]
    assert ways["stub"] == stubs


def test_the_katas_that_pass_anything_are_known() -> None:
    facts = json.loads(SEALING.read_text(encoding="utf-8"))
    vacuous = {"CHSHGame/2.5", "DeutschJozsa/4.1", "KeyDistribution_BB84/3.2", "MagicSquareGame/2.5"}
    vacuous |= {"MagicSquareGame/2.6", "Measurements/2.2", "Teleportation/1.8"}
    assert vacuous == set(facts["vacuous"])


LINE = {"framework": "qiskit", "entry_point": "answer", "prompt": "Write answer() ...", "reference": VALUE}


@pytest.mark.slow
def test_the_facts_of_a_users_own_tasks_are_written_where_they_are_wanted(tmp_path: Path) -> None:
    tests = {"crosses": "def check(f): assert f() == [1]", "file": "def check(f): open('x', 'w'); assert f() == [1]"}
    lines = [{**LINE, "task_id": name, "check": {"kind": "unit_test", "test": test}} for name, test in tests.items()]
    data, out = tmp_path / "tasks.jsonl", tmp_path / "sealing.json"
    data.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = seal_suite("jsonl", data, out, executor=ExecutorOptions(2))
    assert found == {"file": str(out), "stub": 1, "guarded": 1, "vacuous": [], "changed": []}
    assert json.loads(out.read_text())["tasks"] == {"crosses": "stub", "file": "guarded"}


def test_facts_without_a_place_are_refused_before_anything_is_run() -> None:
    with pytest.raises(UsageError, match="pass --out FILE"):
        seal_suite("aligned", None, None, executor=ExecutorOptions(2))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["quantum-katas", "qiskit-humaneval", "qiskit-humaneval-hard"])
def test_a_published_suite_says_where_it_keeps_its_facts(datasets: Path, name: str) -> None:
    path = suites.facts_file(name)
    assert path is not None
    folder = datasets / name.removesuffix("-hard")
    assert json.loads(path.read_text())["content_hash"] == asyncio.run(suites.load(name, data=folder)).content_hash


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "every"), [("quantum-katas", 12), ("qiskit-humaneval", 15), ("qiskit-humaneval-hard", 16)]
)
def test_the_published_suites_know_what_their_references_change(
    datasets: Path, executor: LocalExecutor, name: str, every: int
) -> None:
    suite = asyncio.run(suites.load(name, data=datasets / name.removesuffix("-hard")))
    tasks = [task for task in suite.tasks if task.excluded is None][::every]
    for task in tasks:
        assert isinstance(task.check, UnitTestCheck)
        program = replace(task.check, changes=None).program(task, task.reference or "")
        value = asyncio.run(executor.run(program)).value or {}
        if value.get("test") == "passed":
            assert tuple(value.get("changed", ())) == (task.check.changes or ()), task.id
