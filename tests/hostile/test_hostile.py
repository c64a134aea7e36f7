"""Hostile and broken programs: none passes, escapes, hangs or leaves anything; attacks work without defences."""

import asyncio
import dataclasses
import os
from collections import Counter
from pathlib import Path

import pytest
from hostile_programs import DEFAULTS, PROGRAMS, HostileProgram
from records_kept import FLAWS, flaws
from surroundings import EFFECTS, LATE, Range, attacked
from ways import GIVEN, LIMITS, WAYS, Way, naive_signs

from repair_bench.coroutines import run_to_end

SIGNS = {"exit", "verdict", "print", "told"}
CONTROLS = {
    "tampering": {*SIGNS, *WAYS},
    "arguments": {*GIVEN},
    "resources": {"plain", "roomy"},
    "escape": {"plain", "root"},
}


def of(*folders: str) -> list[HostileProgram]:
    return [program for program in PROGRAMS if program.folder in folders]


@pytest.mark.parametrize("program", of("resources", "escape", "malformed"), ids=str)
def test_a_program_does_no_harm(program: HostileProgram, sandboxed: Range) -> None:
    seen = sandboxed.run(program)
    assert seen.effects == set(), {effect: EFFECTS[effect] for effect in seen.effects}
    assert seen.outcome is not None
    assert seen.outcome.status in program.accept, seen.outcome
    assert program.folder == "malformed" or attacked(seen.outcome), seen.outcome
    if program.framework in WAYS["distribution"].frameworks:
        assert WAYS["distribution"].judge(program.framework, seen.outcome).kind != "pass"


@pytest.mark.parametrize("program", of("resources", "escape"), ids=str)
def test_a_program_does_no_harm_without_namespaces(program: HostileProgram, denied: Range) -> None:
    seen = denied.run(program)
    assert seen.effects <= {"disk"}, {
        effect: EFFECTS[effect] for effect in seen.effects
    }  # the disk is monitored, not limited
    assert seen.outcome is not None
    assert seen.outcome.status in program.accept, seen.outcome
    assert attacked(seen.outcome), seen.outcome


@pytest.mark.parametrize("program", of("records"), ids=str)
def test_its_outcome_can_be_stored_and_shown(program: HostileProgram, sandboxed: Range) -> None:
    sandboxed.ready(program.framework)
    outcome = run_to_end(sandboxed.outcome(program)).outcome
    assert outcome is not None
    assert flaws(outcome) == set(), {flaw: FLAWS[flaw] for flaw in flaws(outcome)}
    assert outcome.status in program.accept, outcome


TRIES = 3
"""Maximum attempts of an attack without a sandbox."""
WRONG = {
    "qiskit": "from qiskit import QuantumCircuit\ndef answer(): return QuantumCircuit(2)",
    "cirq": "import cirq\ndef answer(): return cirq.Circuit(cirq.I.on_each(*cirq.LineQubit.range(2)))",
    "pennylane": "def answer(): return [1, 0, 0, 0]",
}
HARMLESS = HostileProgram(
    "escape", "harmless", 'def answer(target): print("attacking")', "nothing", ["returned"], "python"
)


@pytest.mark.parametrize("concurrent", [False, True])
def test_a_program_that_does_no_harm_shows_no_effect(
    concurrent: bool, sandboxed: Range, denied: Range, plain: Range
) -> None:
    program = dataclasses.replace(HARMLESS, concurrent=concurrent)
    for place in (sandboxed, denied, plain):
        seen = place.run(program)
        assert seen.effects == set()
        assert seen.outcome is not None
        assert attacked(seen.outcome)


@pytest.mark.parametrize("program", [p for p in of("resources", "escape") if p.control], ids=str)
def test_the_attack_succeeds_without_a_sandbox(program: HostileProgram, plain: Range) -> None:
    if program.control == "root" and os.geteuid() != 0:
        pytest.skip("only root could do it without a sandbox")
    # an attack that races with a watcher, such as filling the disk, may fail at first
    effects = (plain.run(program, roomy=program.control == "roomy").effects for _ in range(TRIES))
    assert any(program.must_not in seen for seen in effects)


def tampered() -> list[object]:
    """Return each tampering program with each grading mode of its framework."""
    return [
        pytest.param(p, name, id=f"{p.name}-{name}")
        for p in of("tampering", "arguments")
        for name, way in ways(p).items()
        if p.framework in way.frameworks
    ]


def ways(program: HostileProgram) -> dict[str, Way]:
    return GIVEN if program.folder == "arguments" else WAYS


@pytest.mark.parametrize(("program", "name"), tampered())
def test_no_tampering_program_passes(
    program: HostileProgram, name: str, sandboxed: Range, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    way = ways(program)[name]
    monkeypatch.chdir(tmp_path)  # the effects of unpickling a program's data in this process would be visible
    sandboxed.ready(program.framework)
    limits = dataclasses.replace(program.bounds, memory_mb=LIMITS.memory_mb)
    running = sandboxed.executor.run(way.program(program.framework, program.source, limits))
    outcome = run_to_end(asyncio.wait_for(running, 2 * (limits.wall_seconds + LATE)))
    verdict = way.judge(program.framework, outcome)
    assert attacked(outcome) or outcome.sealed == "guarded", outcome  # output during a guarded test is discarded
    if program.name not in way.by_luck:
        assert (verdict.kind == "pass") == (program.name in way.lets_through), (verdict, outcome)
    assert verdict.kind == "pass" or verdict.kind in program.accept, (verdict, outcome)
    assert name != "stub" or outcome.sealed == "stub"  # nothing has another effect
    assert list(tmp_path.iterdir()) == []
    assert "EXPECTED" not in outcome.stdout or name == "unguarded"


def test_a_naive_grader_judges_honest_answers_correctly(plain: Range) -> None:
    assert naive_signs(plain.executor, RIGHT + BELL_STEPS) == {"exit", "verdict"}
    for framework, source in WRONG.items():
        assert naive_signs(plain.executor, source, framework) == set()


@pytest.mark.parametrize("program", [p for p in of("tampering") if p.control in SIGNS], ids=str)
def test_a_naive_grader_is_fooled(program: HostileProgram, plain: Range) -> None:
    assert program.control in naive_signs(plain.executor, program.source, program.framework)


RIGHT = "from qiskit import QuantumCircuit\ndef answer():\n    c = QuantumCircuit(2)\n"
BELL_STEPS = "    c.h(0)\n    c.cx(0, 1)\n    return c\n"
CNOT_STEPS = "    c.h(1)\n    c.cz(0, 1)\n    c.h(1)\n    return c\n"


@pytest.mark.parametrize("name", WAYS)
def test_the_correct_answer_passes_every_grading_mode(name: str, sandboxed: Range) -> None:
    source = RIGHT + (CNOT_STEPS if name == "gates" else BELL_STEPS)
    outcome = run_to_end(sandboxed.executor.run(WAYS[name].program("qiskit", source)))
    assert WAYS[name].judge("qiskit", outcome).kind == "pass"


def test_every_program_has_a_description_and_a_control() -> None:
    assert len(PROGRAMS) >= 540
    assert set(Counter(program.folder for program in PROGRAMS)) == set(DEFAULTS)
    for program in PROGRAMS:
        assert program.does, program
        assert program.accept, program
        assert program.must_not in {None, "command", "expected answer", *EFFECTS}, program
        if program.folder in ("escape", "tampering", "arguments"):
            assert program.control in {False, *CONTROLS[program.folder]}, program
        if program.control and program.folder in ("resources", "escape"):
            assert program.must_not, program
        if program.control in ways(program):  # `test_no_tampering_program_passes` shows that the attack works
            assert program.name in ways(program)[program.control].lets_through, program
