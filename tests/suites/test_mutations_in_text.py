"""Mutants of OpenQASM 3 programs, which are made in their text, and mistakes inserted into them."""

from pathlib import Path

import pytest
from sampled import sampled

import repair_bench.suites
from repair_bench.executors.guest.adapters.openqasm3_adapter import RAISES, load
from repair_bench.suites.mutations import KINDS, mutants
from repair_bench.suites.mutations.in_text import OPERATORS
from repair_bench.suites.mutations.mistakes import MISTAKES, plant

SOLUTIONS = sorted((Path(repair_bench.suites.__file__).parent / "aligned" / "tasks").glob("*/solution_openqasm3.qasm"))

PROGRAM = """OPENQASM 3.0;
include "stdgates.inc";
input bit[2] word;
qubit[3] q;  // 3 == 3; h q;
bit[2] result;
/* x q[0];
   result = measure q; */
for int i in [0:1] { if (word[i] == 1) { x q[i]; } }
rx(pi / 4) q[0];
inv @ s q[1];
ctrl @ ry(0.5) q[0], q[2]; cz q[0], q[1];
inv @ negctrl @ pow(0.5) @ x q[0], q[1];
rz(pi * 2) q[1]; h q[1];
result = measure q[0:1];
"""


def made(kind: str) -> list[str]:
    """Return the new lines in the mutants of a kind."""
    lines = PROGRAM.splitlines()
    return [
        line
        for mutant in mutants(PROGRAM, "openqasm3", [kind])
        for line in mutant.source.splitlines()
        if line not in lines
    ]


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("gate_dropped", "for int i in [0:1] { if (word[i] == 1) {  } }"),
        ("gate_replaced", "for int i in [0:1] { if (word[i] == 1) { z q[i]; } }"),
        ("gate_replaced", "ry(pi / 4) q[0];"),
        ("angle_negated", "rx(-(pi / 4)) q[0];"),
        ("gate_doubled", "rx(pi / 4) q[0]; rx(pi / 4) q[0];"),
        ("gates_exchanged", "cz q[0], q[1]; ctrl @ ry(0.5) q[0], q[2];"),
        ("gates_exchanged", "h q[1]; rz(pi * 2) q[1];"),
        ("angle_halved", "rx((pi / 4) * 0.5) q[0];"),
        ("inverse_forgotten", "s q[1];"),
        ("inverse_forgotten", "negctrl @ pow(0.5) @ x q[0], q[1];"),
        ("option_forgotten", "inv @ ctrl @ pow(0.5) @ x q[0], q[1];"),
        ("option_forgotten", "inv @ negctrl @ x q[0], q[1];"),
        ("control_target_swapped", "ctrl @ ry(0.5) q[2], q[0]; cz q[0], q[1];"),
        ("qubits_permuted", "inv @ s q[2];"),
        ("qubits_permuted", "ctrl @ ry(0.5) q[0], q[1]; cz q[0], q[1];"),
        ("bits_reversed", "result = measure q[1:-1:0];"),
        ("wrong_input_used", "for int i in [0:1] { if (word[1 - (i)] == 1) { x q[i]; } }"),
        ("loop_bound_off", "for int i in [0:1 - 1] { if (word[i] == 1) { x q[i]; } }"),
        ("loop_bound_off", "for int i in [0 + 1:1] { if (word[i] == 1) { x q[i]; } }"),
        ("operator_changed", "rx(pi * 4) q[0];"),
        ("operator_changed", "rz(pi / 2) q[1]; h q[1];"),
        ("constant_changed", "for int i in [0:2] { if (word[i] == 1) { x q[i]; } }"),
        ("comparison_flipped", "for int i in [0:1] { if (word[i] != 1) { x q[i]; } }"),
    ],
)
def test_gates_and_numbers_are_changed(kind: str, line: str) -> None:
    assert line in made(kind)


def test_a_dropped_measurement_reports_its_line() -> None:
    [mutant] = mutants(PROGRAM, "openqasm3", ["measurement_dropped"])
    assert mutant.source == PROGRAM.replace("result = measure q[0:1];\n", "\n")
    assert mutant.line == 14


def test_a_symmetric_gate_has_no_control_to_swap() -> None:
    assert len(made("control_target_swapped")) == 2
    assert not [line for line in made("qubits_permuted") if "cz q[1], q[0]" in line]


def changed(kind: str, body: str) -> list[str]:
    """Return the bodies of a program's mutants, without the declarations."""
    head = "input float a;\ninput float b;\ninput int k;\nqubit[3] q;\nbit[2] c;\n"
    return [mutant.source.removeprefix(head) for mutant in mutants(head + body, "openqasm3", [kind])]


@pytest.mark.parametrize(
    ("kind", "body", "made"),
    [
        ("bits_reversed", "c = measure q;", ["c = measure q[2:-1:0];"]),
        ("bits_reversed", "c = measure q[{2, 0}];", ["c = measure q[{0, 2}];"]),
        (
            "bits_reversed",
            "c[0] = measure q[0];\nh q[1];\nc[1] = measure q[1];",
            ["c[1] = measure q[0];\nh q[1];\nc[0] = measure q[1];"],
        ),
        (
            "loop_bound_off",
            "for int i in [2:-1:0] {}",
            ["for int i in [2:-1:0 + 1] {}", "for int i in [2 - 1:-1:0] {}"],
        ),
        (
            "wrong_input_used",
            "rx(a) q[0]; ry(b) q[0];",
            [
                "rx(b) q[0]; ry(b) q[0];",
                "rx(a) q[0]; ry(a) q[0];",
                "rx(0) q[0]; ry(b) q[0];",
                "rx(a) q[0]; ry(0) q[0];",
            ],
        ),
        ("gates_exchanged", "h q[0]; x q[1]; h q;", ["h q[0]; h q; x q[1];"]),
        ("qubits_permuted", "negctrl @ ctrl @ x q[i], q[j], q[k];", None),
        ("qubits_permuted", "ccx q[i], q[j], q[k];", ["ccx q[k], q[j], q[i];", "ccx q[i], q[k], q[j];"]),
    ],
)
def test_other_replacements(kind: str, body: str, made: list[str] | None) -> None:
    found = changed(kind, body)
    assert found == made if made is not None else len(found) == 3


def test_gates_that_the_program_defines_are_gates() -> None:
    body = "gate mine x, y { cx x, y; }\nmine q[0], q[1];"
    assert body.replace("mine q[0], q[1];", "") in changed("gate_dropped", body)
    assert body.replace("q[0], q[1]", "q[1], q[0]") in changed("qubits_permuted", body)


def test_comments_and_declarations_are_not_changed() -> None:
    head = PROGRAM[: PROGRAM.index("for int i")]
    assert {mutant.source[: len(head)] for mutant in mutants(PROGRAM, "openqasm3")} == {head}


def test_kinds_for_python_only_yield_none() -> None:
    assert set(KINDS) - set(OPERATORS) == {"return_forgotten"}
    assert list(mutants(PROGRAM, "openqasm3", set(KINDS) - set(OPERATORS))) == []


@pytest.mark.slow
def test_mutants_of_the_solutions_are_programs_that_differ() -> None:
    for path in sampled(SOLUTIONS, 3):
        source = path.read_text(encoding="utf-8")
        found = [mutant.source for mutant in mutants(source, "openqasm3")]
        assert len({source, *found}) == len(found) + 1, path
        for text in found:
            load(text)
        assert len(found) >= 10, path
    assert len(SOLUTIONS) == 38


def problem(source: str) -> str:
    """Return the error of a program without inputs, or ""."""
    try:
        list(load(source)().paths())
    except RAISES as error:
        return str(error)
    return ""


ERRORS = {
    "moved_import": 'only "stdgates.inc" can be included',
    "wrong_import": 'only "stdgates.inc" can be included',
    "missing_attribute": "unknown gate hadamard",
    "wrong_arguments": "U takes 3 angles, not 1",
    "syntax_error": "unexpected",
    "prose": "unexpected",
}
"""By mistake. All others use a missing qubit."""


@pytest.mark.parametrize("name", MISTAKES)
def test_each_mistake_is_refused_with_its_reason(name: str) -> None:
    bell = 'OPENQASM 3.0;\ninclude "stdgates.inc";\nqubit[2] q;\nh q[0];\ncx q[0], q[1];\n'
    assert problem(bell) == ""
    for variant in range(3):
        error = problem(plant(name, bell, "openqasm3", "bell", variant))
        assert ERRORS.get(name, "physical qubits such as $7 are not supported") in error
