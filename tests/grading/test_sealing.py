"""Isolation modes of unit tests: found by running references, stored in a file, used by loaders."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from sampled import LONG, sampled

from repair_bench import suites
from repair_bench.coroutines import run_to_end
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
IN_PLACE = "def test_answer():\n    a, b = [1], [2]\n    answer(a, b)\n    assert a == [1] and not b"
TESTS = {
    "crosses": (VALUE, "def test_answer(): assert answer() == [1]", "stub"),
    "an object": (OBJECT, "def test_answer(): assert answer().n == 1", "stub"),
    "a method": (OBJECT, "def test_answer(): assert answer().twice(2) == 4", "guarded"),
    "a file": (VALUE, "def test_answer(): open('x', 'w').write('1'); assert answer() == [1]", "guarded"),
    "a wrong reference": (VALUE, "def test_answer(): assert answer() == [2]", "stub"),
    "passes anything": (VALUE, "def test_answer(): answer()", "stub"),
    "passes anything, with a file": (VALUE, "def test_answer(): answer(), open('x', 'w')", "guarded"),
    "luck": (LUCK, "def test_answer(): assert answer()", "stub"),
    "in place": (CHANGES, IN_PLACE, "stub"),
    "by name": (CHANGES, "def test_answer():\n    b = [2]\n    answer([1], b=b)\n    assert not b", "stub"),
    "no reference": (None, "def test_answer(): assert answer() == [1]", None),
}
SUITE = Suite("by hand", "1", "abc", tuple(task(name, code, test) for name, (code, test, _) in TESTS.items()))
FACTS = Facts(
    {name: mode for name, (_, _, mode) in TESTS.items() if mode is not None},  # type: ignore[misc]
    frozenset({"passes anything", "passes anything, with a file"}),
    {"a wrong reference": None, "a method": None, "in place": ("1",), "by name": ("b",)},
)


@pytest.mark.slow
def test_stub_requires_the_verdicts_of_the_published_rule(executor: LocalExecutor) -> None:
    assert run_to_end(sealing(SUITE, executor)) == (SUITE, FACTS)


def test_pass_of_a_test_that_passes_its_canary_has_a_note(executor: LocalExecutor, tmp_path: Path) -> None:
    path = tmp_path / "sealing.json"
    save(path, SUITE, FACTS)
    noted = set()
    for one in with_facts(SUITE, path).tasks:
        if one.reference is not None:
            outcome = run_to_end(executor.run(one.check.program(one, one.reference)))
            noted |= {one.id} if "note" in one.check.judge(one, outcome).evidence else set()
    assert noted == FACTS.vacuous


@pytest.mark.parametrize(
    ("changes", "kept"), [({}, ()), ({"a file": None}, None), ({"a file": ("0", "x")}, ("0", "x"))]
)
def test_changes_of_references_are_stored(
    tmp_path: Path, changes: dict[str, tuple[str, ...] | None], kept: tuple[str, ...] | None
) -> None:
    path = tmp_path / "sealing.json"
    save(path, SUITE, Facts({"a file": "guarded"}, changes=changes))
    found = {task.id: task.check.changes for task in with_facts(SUITE, path).tasks}  # type: ignore[attr-defined]
    assert found == {task.id: kept if task.id == "a file" else None for task in SUITE.tasks}


def test_facts_only_apply_to_their_content(tmp_path: Path) -> None:
    path = tmp_path / "sealing.json"
    save(path, SUITE, Facts({"a file": "guarded"}))
    ways = {task.id: task.check.sealing for task in with_facts(SUITE, path).tasks}  # type: ignore[attr-defined]
    assert ways == {task.id: "guarded" if task.id == "a file" else "stub" for task in SUITE.tasks}
    other = replace(SUITE, content_hash="def")
    assert with_facts(other, path) == other


def test_vacuous_katas_are_known() -> None:
    facts = json.loads(SEALING.read_text(encoding="utf-8"))
    vacuous = {"CHSHGame/2.5", "DeutschJozsa/4.1", "KeyDistribution_BB84/3.2", "MagicSquareGame/2.5"}
    vacuous |= {"MagicSquareGame/2.6", "Measurements/2.2", "Teleportation/1.8"}
    assert vacuous == set(facts["vacuous"])


LINE = {"framework": "qiskit", "entry_point": "answer", "prompt": "Write answer() ...", "reference": VALUE}


@pytest.mark.slow
def test_facts_of_user_tasks_are_written_to_out(tmp_path: Path) -> None:
    tests = {"crosses": "def check(f): assert f() == [1]", "file": "def check(f): open('x', 'w'); assert f() == [1]"}
    lines = [{**LINE, "task_id": name, "check": {"kind": "unit_test", "test": test}} for name, test in tests.items()]
    data, out = tmp_path / "tasks.jsonl", tmp_path / "sealing.json"
    data.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = seal_suite("jsonl", data, out, executor=ExecutorOptions(2))
    assert found == {"file": str(out), "stub": 1, "guarded": 1, "vacuous": [], "changed": []}
    assert json.loads(out.read_text())["tasks"] == {"crosses": "stub", "file": "guarded"}


def test_facts_without_a_file_are_an_error() -> None:
    with pytest.raises(UsageError, match="pass --out FILE"):
        seal_suite("aligned", None, None, executor=ExecutorOptions(2))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "stubs", "every"),
    [("quantum-katas", 350, 24), ("qiskit-humaneval", 140, 30), ("qiskit-humaneval-hard", 139, 32)],
)
def test_published_suites_have_their_facts(
    datasets: Path, executor: LocalExecutor, name: str, stubs: int, every: int
) -> None:
    suite = run_to_end(suites.load(name, data=datasets / name.removesuffix("-hard")))
    path = suites.facts_file(name)
    assert path is not None
    assert json.loads(path.read_text())["content_hash"] == suite.content_hash
    tasks = [task for task in suite.tasks if task.excluded is None]
    assert sum(task.check.sealing == "stub" for task in tasks) == stubs  # type: ignore[attr-defined]
    for task in sampled([task for task in tasks if task.id not in LONG], every):
        assert isinstance(task.check, UnitTestCheck)
        program = replace(task.check, changes=None).program(task, task.reference or "")
        value = run_to_end(executor.run(program)).value or {}
        if value.get("test") == "passed":
            assert tuple(value.get("changed", ())) == (task.check.changes or ()), task.id
