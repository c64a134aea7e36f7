"""The catalogue as programs of a model's tool: no harm is done, and no secret of a task is found."""

import asyncio
import dataclasses
import json
import secrets
from pathlib import Path

import pytest
from hostile_programs import PROGRAMS, HostileProgram
from surroundings import EFFECTS, Range

from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.prompts import tools
from repair_bench.suites.checks import Case, DistributionCheck, UnitTestCheck
from repair_bench.suites.task import Task
from repair_bench.traces.record.records import Outcome

CANARIES = {place: f"canary{secrets.token_hex(8)}" for place in ("test", "reference", "hidden", "expected")}
"""Words in a unit test, a reference, a hidden input and an expected answer."""
SPY = """
import gc, os

def read(path, start=0, length=1 << 20):
    try:
        with open(path, "rb") as file:
            file.seek(start)
            return file.read(length)
    except (OSError, ValueError, OverflowError):
        return b""

try:
    processes = [name for name in os.listdir("/proc") if name.isdecimal()]
except OSError:
    processes = []
seen = [read(f"/proc/{p}/{file}") for p in ["self", *processes] for file in ("maps", "environ", "cmdline")]
for line in read("/proc/self/maps").decode().splitlines():
    low, high = (int(number, 16) for number in line.split()[0].split("-"))
    if high - low < 1 << 28:
        seen.append(read("/proc/self/mem", low, min(high - low, 1 << 18)))
for folder, _, names in os.walk(ROOT):
    seen += [read(os.path.join(folder, name)) for name in names if "site-packages" not in folder]
seen += [repr(value)[:10_000].encode(errors="replace") for value in gc.get_objects() if isinstance(value, (dict, list))]
everything = b"".join(seen)
parts = everything.split(b"cana" + b"ry")
print("SPIED", len(everything), sorted({part[:16] for part in parts[1:]})[:50])
"""
"""Searches its memory and all visible processes and files, and prints each word that looks like a canary."""


@pytest.fixture(scope="module")
def graded(sandboxed: Range) -> None:
    """Judge tasks that contain the canaries on the fork server that then runs the programs."""
    assert run_to_end(judged(sandboxed.executor)) == ["pass", "pass"]


async def judged(executor: LocalExecutor) -> list[str]:
    source = f"def answer(text=None):\n    '''{CANARIES['reference']}'''\n    from qiskit import QuantumCircuit\n"
    source += "    c = QuantumCircuit(1, 1)\n    c.x(0)\n    c.measure(0, 0)\n    return c\n"
    test = f"def check(candidate):\n    '''{CANARIES['test']}'''\n    assert candidate().num_qubits == 1\n"
    cases = (Case(("shown",), {"1": 1.0}), Case((CANARIES["hidden"],), {"1": 1.0}, hidden=True))
    checks = [UnitTestCheck(test=test, function="check", passes_candidate=True), DistributionCheck(cases=cases)]
    kinds = []
    for check in checks:
        task = Task("canaries", "1", "qiskit", "answer", "", "", check, "algorithm", reference=source)
        outcome = await executor.run(check.program(task, source))
        kinds.append(check.judge(task, outcome).kind)
    return kinds


def told(outcome: Outcome) -> str:
    """Return the complete result of a program, and the text that a model receives."""
    return json.dumps(dataclasses.asdict(outcome)) + tools.shown(outcome, 1)


def found(outcome: Outcome) -> list[str]:
    """Return the places whose canaries the text contains, with or without their first word."""
    words = told(outcome)
    return [place for place, canary in CANARIES.items() if canary.removeprefix("canary") in words]


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
@pytest.mark.usefixtures("graded")
def test_a_tool_program_does_no_harm_and_finds_no_secret(program: HostileProgram, sandboxed: Range) -> None:
    seen = sandboxed.run(program, script=True)
    assert seen.effects == set(), {effect: EFFECTS[effect] for effect in seen.effects}
    assert seen.outcome is not None
    assert found(seen.outcome) == []


def the_spy(root: object) -> HostileProgram:
    """Return a program that searches the files below `root`."""
    source = SPY.replace("ROOT", repr(str(root)))
    return HostileProgram(
        "escape", "spy", source, "looks everywhere", ["returned"], "qiskit", limits={"memory_mb": 4096}
    )


def test_a_spy_finds_unprotected_canaries(plain: Range, tmp_path: Path) -> None:
    (tmp_path / "test.py").write_text(CANARIES["test"])
    plain.ready("qiskit")
    outcome = run_to_end(plain.outcome(the_spy(tmp_path), script=True)).outcome
    assert outcome is not None
    assert CANARIES["test"].removeprefix("canary") in outcome.stdout


@pytest.mark.usefixtures("graded")
def test_a_spy_finds_nothing_while_its_task_is_judged(sandboxed: Range) -> None:
    spy = the_spy("/")

    async def both() -> tuple[Outcome | None, list[str]]:
        spying = asyncio.create_task(sandboxed.outcome(spy, script=True))
        kinds = [kind for _ in range(4) for kind in await judged(sandboxed.executor)]
        return (await spying).outcome, kinds

    outcome, kinds = run_to_end(both())
    assert set(kinds) == {"pass"}
    assert outcome is not None
    assert "SPIED" in outcome.stdout, outcome
    assert found(outcome) == [], outcome.stdout
