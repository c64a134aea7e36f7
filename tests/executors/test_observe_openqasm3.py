"""Observations of OpenQASM 3 programs, compared with literal probabilities and with Qiskit."""

from __future__ import annotations

import re
from math import cos, pi, sin, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openqasm3_programs import matrix, observed, probabilities, refused, state

from repair_bench.executors.guest.adapters import openqasm3_gates
from repair_bench.executors.guest.adapters.openqasm3_adapter import RAISES, load, observe


def test_bit_0_is_printed_last_and_the_register_declared_last_first() -> None:
    assert probabilities("qubit[3] q; bit[3] c; x q[0]; c = measure q;") == {"001": 1.0}
    seen = observed("qubit[3] q; bit[2] a; bit result; x q[0]; a = measure q[0:1]; result = measure q[2];")
    assert (seen["probabilities"], seen["registers"]) == ({"001": 1.0}, [["result", 1], ["a", 2]])


def test_the_last_qubit_is_the_most_significant_index() -> None:
    assert np.allclose(state("qubit a; qubit[2] b; x a;"), np.eye(8)[1])
    assert np.allclose(matrix("qubit[2] q; cx q[0], q[1];"), np.eye(4)[[0, 3, 2, 1]])


def test_declared_outputs_are_the_result() -> None:
    body = "qubit[2] q; bit[1] other; output bit[1] result; x q[1]; other[0] = measure q[0]; result[0] = measure q[1];"
    assert observed(body)["probabilities"] == {"1": 1.0}
    assert probabilities("output int k; qubit q; bit c; x q; c = measure q;") == {"1": 1.0}


def test_mid_circuit_measurements_feed_forward_exactly() -> None:
    teleported = """
    input float theta;
    qubit[3] q; bit[2] m; output bit[1] result;
    ry(theta) q[0]; h q[1]; cx q[1], q[2]; cx q[0], q[1]; h q[0];
    m[0] = measure q[0]; m[1] = measure q[1];
    if (m[1] == 1) { x q[2]; }
    if (m[0] == 1) z q[2];
    result[0] = measure q[2];
    """
    assert probabilities(teleported, theta=0.8) == {"0": round(cos(0.4) ** 2, 9), "1": round(sin(0.4) ** 2, 9)}
    again = "qubit q; bit[2] c; h q; c[0] = measure q; reset q; h q; if (c == 1) { h q; } c[1] = measure q;"
    assert probabilities(again) == {"00": 0.25, "10": 0.25, "01": 0.5}


@pytest.mark.slow
def test_a_loop_until_success_has_its_exact_probability() -> None:
    body = "qubit q; bit c; h q; c = measure q; while (c == 1) { reset q; h q; c = measure q; }"
    assert probabilities(body) == {"0": 1.0}


def test_a_count_of_outcomes_is_kept_on_each_path() -> None:
    body = """
    qubit q; bit[3] seen; output bit[2] result; int ones = 0;
    for int i in [0:2] { reset q; h q; seen[i] = measure q; if (seen[i] == 1) { ones += 1; } }
    result = bit[2](ones);
    """
    assert probabilities(body) == {"00": 0.125, "01": 0.375, "10": 0.375, "11": 0.125}


def test_subroutines_constants_aliases_arrays_and_switches() -> None:
    body = """
    const int n = 3;
    def flipped(qubit[2] a, int k) -> bit { for int i in {0, 1} { if (i < k) x a[i]; } return measure a[1]; }
    array[float[64], 3] angles = {pi, 0, pi};
    qubit[n] q;
    let pair = q[1:2];
    output bit[2] result;
    bit first = flipped(pair, 2);
    ry(angles[0]) q[0];
    result[0] = measure q[0];
    switch (int(first)) { case 0 { } case 1, 2 { x q[0]; reset q[0]; x q[0]; } default { } }
    result[1] = measure q[0];
    """
    assert probabilities(body) == {"11": 1.0}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("7 / 2", 3),
        ("-7 / 2", -3),
        ("7 % 4", 3),
        ("2 ** 5", 32),
        ("1 << 3 | 1", 9),
        ("int(7.9)", 7),
        ("uint[3](9)", 1),
        ('popcount("1101")', 3),
        ('int(~"0110")', 9),
        ('int("01" == "01")', 1),
        ("int(5 > 3 && !(2 != 2))", 1),
        ("sizeof(list)", 2),
        ('int(rotl("1100", 1))', 9),
    ],
)
def test_classical_values(expression: str, value: int) -> None:
    body = f"array[int, 2] list = {{1, 2}}; qubit q; output bit[8] result; int[8] v = {expression}; result = bit[8](v);"
    assert list(probabilities(body)) == [format(value % 256, "08b")]


def test_functions_of_angles() -> None:
    turned = state("qubit q; ry(2 * arcsin(sqrt(0.25)) + 0 * cos(\u03c0) + mod(4, 2)) q;")
    assert np.allclose(turned, [sqrt(0.75), 0.5])


def test_modifiers() -> None:
    assert np.allclose(matrix("qubit[2] q; ctrl @ x q[0], q[1];"), matrix("qubit[2] q; cx q[0], q[1];"))
    assert np.allclose(matrix("qubit[2] q; negctrl @ x q[0], q[1];"), matrix("qubit[2] q; x q[1]; cx q[0], q[1];"))
    assert np.allclose(matrix("qubit q; pow(0.5) @ x q;"), matrix("qubit q; sx q;"))
    assert np.allclose(matrix("qubit q; pow(1/2) @ x q;"), matrix("qubit q; sx q;"))
    assert np.allclose(matrix("qubit q; pow(-1/2) @ x q;"), matrix("qubit q; inv @ sx q;"))
    assert np.allclose(matrix("qubit q; pow(-2) @ t q;"), matrix("qubit q; inv @ s q;"))
    made = "gate turn(a, b) c, d { ry(a) c; ctrl @ gphase(b) c; cx c, d; }"
    there = f"{made} qubit[3] q; turn(0.3, 0.7) q[2], q[0];"
    assert np.allclose(matrix(f"{there} inv @ turn(0.3, 0.7) q[2], q[0];"), np.eye(8))
    assert np.allclose(
        matrix(f"{made} qubit[3] q; ctrl @ turn(0.3, 0.7) q[1], q[2], q[0];"),
        matrix("qubit[3] q; cry(0.3) q[1], q[2]; cp(0.7) q[1], q[2]; ccx q[1], q[2], q[0];"),
    )


def test_a_gate_on_registers_is_applied_to_each_pair() -> None:
    body = "qubit[2] a; qubit[2] b; h a; cx a, b; x b[0];"
    assert np.allclose(state(body), state("qubit[4] q; h q[0]; h q[1]; cx q[0], q[2]; cx q[1], q[3]; x q[2];"))


def test_operations_are_counted_in_the_common_vocabulary() -> None:
    body = """
    gate mine a, b { h a; cx a, b; }
    qubit[3] q; bit[1] c;
    mine q[0], q[1]; ctrl @ x q[0], q[1]; ctrl(2) @ x q[0], q[1], q[2]; inv @ sx q[0]; U(0, 0, 1) q[0]; gphase(1);
    inv @ mine q[0], q[1]; c[0] = measure q[0];
    """
    counted = {"h": 2, "cx": 3, "ccx": 1, "sxdg": 1, "u": 1, "gphase": 1, "measure": 1}
    assert observed(body)["gates"] == counted


@pytest.mark.parametrize(
    ("applied", "counted"),
    [
        ("pow(-1) @ sx a;", {"sxdg": 1}),
        ("pow(1/2) @ x a;", {"sx": 1}),
        ("pow(-0.5) @ x a;", {"sxdg": 1}),
        ("pow(3) @ s a;", {"sdg": 1}),
        ("pow(2) @ t a;", {"s": 1}),
        ("pow(0.3) @ z a;", {"unitary": 1}),
        ("inv @ pow(-1) @ rx(1) a;", {"rx": 1}),
        ("inv @ mine a, b;", {"sdg": 1, "ry": 1, "cx": 1, "gphase": 1}),
        ("ctrl @ mine c, a, b;", {"cs": 1, "cry": 1, "ccx": 1, "p": 1}),
        ("negctrl @ mine c, a, b;", {"unitary": 1}),
        ("pow(2) @ mine a, b;", {"unitary": 1}),
    ],
)
def test_modified_gates_are_counted_by_their_own_names(applied: str, counted: dict[str, int]) -> None:
    made = "gate mine p, q { s p; ry(1) q; cx p, q; gphase(1); } qubit a; qubit b; qubit c; "
    assert observed(made + applied, "state")["gates"] == counted


@pytest.mark.parametrize("name", sorted(openqasm3_gates.STANDARD))
def test_standard_gates_match_their_definitions(name: str) -> None:
    """Each gate of stdgates.inc is compared with its definition by `U`."""
    angles, made = openqasm3_gates.STANDARD[name]
    given = [0.3, 1.1, -0.7, 0.4][:angles]
    arguments = f"({', '.join(map(str, given))})" if angles else ""
    qubits = len(made(*given)).bit_length() - 1
    own = {
        "x": "U(pi, 0, pi) a; gphase(-pi / 2);",
        "y": "U(pi, pi / 2, pi / 2) a; gphase(-pi / 2);",
        "z": "ctrl @ gphase(pi) a;",
        "h": "U(pi / 2, 0, pi) a; gphase(-pi / 4);",
        "s": "pow(0.5) @ z a;",
        "sdg": "inv @ s a;",
        "t": "pow(0.5) @ s a;",
        "tdg": "inv @ t a;",
        "sx": "pow(0.5) @ x a;",
        "p": "ctrl @ gphase(0.3) a;",
        "id": "U(0, 0, 0) a;",
        "rx": "U(0.3, -pi / 2, pi / 2) a; gphase(-0.15);",
        "ry": "U(0.3, 0, 0) a; gphase(-0.15);",
        "rz": "gphase(-0.15); U(0, 0, 0.3) a;",
        "phase": "U(0, 0, 0.3) a;",
        "u1": "U(0, 0, 0.3) a;",
        "u2": "gphase(-(0.3 + 1.1 + pi / 2) / 2); U(pi / 2, 0.3, 1.1) a;",
        "u3": "gphase(-(1.1 - 0.7 + 0.3) / 2); U(0.3, 1.1, -0.7) a;",
        "swap": "cx a, b; cx b, a; cx a, b;",
        "cu": "p(0.4 - 0.15) a; ctrl @ U(0.3, 1.1, -0.7) a, b;",
        "CX": "ctrl @ x a, b;",
        "ccx": "ctrl(2) @ x a, b, c;",
        "cswap": "ctrl @ swap a, b, c;",
        "cphase": "ctrl @ phase(0.3) a, b;",
    }
    body = own.get(name) or f"ctrl @ {name[1:]}{arguments} a, b;"
    names = ["a", "b", "c"][:qubits]
    declared = "".join(f"qubit {qubit}; " for qubit in names)
    assert np.allclose(matrix(f"{declared}{name}{arguments} {', '.join(names)};"), matrix(declared + body))


def test_inputs_are_bound_by_name_and_type() -> None:
    body = "input array[float, 2] angles; input bit[3] word; input int k; qubit[3] q; bit[3] c; "
    run = "if (k == 2 && word[0] == 1) { ry(angles[1]) q[0]; } c = measure q;"
    assert probabilities(body + run, angles=[0.0, pi], word="100", k=2) == {"001": 1.0}
    assert "unknown input k: the inputs are n" in refused("input int k;", n=3)
    assert "1.5 is not an integer" in refused("input int k;", k=1.5)
    assert "the input word received 2 bits" in refused("input bit[3] word;", word="01")
    assert "the input a received an array of 2 items" in refused("input float a;", a=[1.0, 2.0])


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (
            "qubit q;\nhh q;",
            "line 4, column 1: unknown gate hh: it is defined neither before this line nor in stdgates.inc",
        ),
        ("qubit[2] q; cx q[0], q[0];", "cx is applied to the same qubit twice"),
        ("qubit[2] q; cx q[0];", "cx acts on 2 qubits, not 1"),
        ("qubit[2] q; rx q[0];", "rx takes 1 angle, not 0"),
        ("qubit[2] q; h q[2];", "index 2 is out of range for 2 items"),
        ("qubit[2] q; bit[3] c; c = measure q;", "2 qubits cannot be measured into 3 bits"),
        ("qubit[2] a; qubit[3] b; cx a, b;", "registers have different sizes"),
        ("float s = 1;", "s is already defined as a gate in stdgates.inc"),
        ("const int n = 1; n = 2;", "cannot assign to n"),
        ("def f(qubit a) { reset a; } gate g a { f(a); } qubit q; g q;", "a gate cannot contain a reset"),
        ("x $0;", "physical qubits such as $0 are not supported"),
        ("qubit q; x(", "unexpected end of the program"),
    ],
)
def test_errors_include_their_place(body: str, problem: str) -> None:
    said = refused(body)
    assert problem in said
    assert re.match(r"line \d+, column \d+: ", said)
    assert said.split("\n")[-1].strip() == "^"


def test_without_the_library_only_one_gate_exists() -> None:
    program = load("OPENQASM 3;\nqubit q;\nx q;\n")
    with pytest.raises(RAISES) as error:
        observe(lambda: program({}), "state")
    expected = 'line 3, column 1: unknown gate x: include "stdgates.inc" first\n    x q;\n    ^'
    assert str(error.value) == expected


def test_unreadable_programs_are_explained() -> None:
    assert observed("qubit q; h q;")["problem"].startswith("the program declares no bits")
    measured = "qubit q; bit c; h q; c = measure q; if (c == 1) x q;"
    assert observed(measured, "state")["problem"].startswith("the circuit measures qubits before its end")
    assert observed("qubit[2] q; reset q;", "unitary")["kind"] == "other"
    assert observed("qubit[2] q; h q;", "unitary", 3)["mismatch"] == "shape"


GATES = {
    "h": 0,
    "x": 0,
    "s": 0,
    "t": 0,
    "sx": 0,
    "rx": 1,
    "ry": 1,
    "rz": 1,
    "p": 1,
    "cx": 0,
    "cz": 0,
    "cp": 1,
    "crx": 1,
}


@st.composite
def circuits(draw: st.DrawFn) -> str:
    """Gates on three qubits, in both languages."""
    lines = []
    for _ in range(draw(st.integers(1, 8))):
        name = draw(st.sampled_from(sorted(GATES)))
        qubits = draw(st.permutations([0, 1, 2]))[: 2 if name.startswith("c") else 1]
        angle = f"({draw(st.floats(-4, 4, allow_nan=False).map(lambda value: round(value, 3)))})" if GATES[name] else ""
        lines.append(f"{name}{angle} {', '.join(f'q[{qubit}]' for qubit in qubits)};")
    return "qubit[3] q;\n" + "\n".join(lines)


@pytest.mark.slow  # it imports Qiskit
@settings(max_examples=10)
@given(circuits())
def test_random_circuits_agree_with_qiskit(body: str) -> None:
    quantum_info = pytest.importorskip("qiskit.quantum_info")
    qasm2 = pytest.importorskip("qiskit.qasm2")
    text = 'OPENQASM 2.0;\ninclude "qelib1.inc";\n' + body.replace("qubit[3] q", "qreg q[3]")
    circuit = qasm2.loads(text, custom_instructions=qasm2.LEGACY_CUSTOM_INSTRUCTIONS)
    assert np.allclose(matrix(body), quantum_info.Operator(circuit).data, atol=1e-9) or np.isclose(
        abs(np.trace(matrix(body).conj().T @ quantum_info.Operator(circuit).data)), 8
    )
