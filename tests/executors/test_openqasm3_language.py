"""Rules of OpenQASM 3: subroutine arguments, names in gates, powers, and limits."""

from __future__ import annotations

import numpy as np
import pytest
from openqasm3_programs import matrix, observed, probabilities, refused, state

from repair_bench.executors.guest.adapters.exact import Branch
from repair_bench.executors.guest.adapters.openqasm3_errors import Refused
from repair_bench.executors.guest.adapters.openqasm3_memory import Budget


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("def f(mutable array[int, 2] a) { a[0] = 5; } f(rows[1]);", 5),
        ("def f(mutable array[int, #dim=2] a) { a[1][0] = 6; } f(rows);", 6),
        ("def f(mutable array[int, #dim=1] a, readonly array[int, 2] b) { a = b; } f(rows[1], rows[0]);", 1),
        ("def g(mutable array[int, 2] a) { a[0] = 7; } def f(mutable array[int, 2] a) { g(a); } f(rows[1]);", 7),
        ("def f(readonly array[int, #dim=1] a) -> int { return a[1]; } rows[1][0] = f(rows[0:1][1]);", 4),
        ("def f(int k) { k = 9; } f(rows[1][0]);", 3),
    ],
)
def test_a_mutable_array_belongs_to_the_caller(body: str, value: int) -> None:
    declared = "array[int, 2, 2] rows = {{1, 2}, {3, 4}}; output bit[4] result; "
    assert probabilities(f"{declared}{body} result = bit[4](rows[1][0]);") == {format(value, "04b"): 1.0}


def test_a_copied_array_is_independent() -> None:
    body = "array[int, 2] a = {1, 2}; array[int, 2] b = a; array[int, 2] c; c = a; b[0] = 5; c[0] = 6;"
    assert probabilities(f"{body} output bit[3] result; result = bit[3](a[0]);") == {"001": 1.0}


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("def f(mutable array[int, #dim=1] a) { } f(list[0:1]);", "a slice cannot be passed as a mutable array"),
        ("def f(mutable array[float, 3] a) { } f(list);", "the items of a mutable array must have the same type"),
        ("def f(mutable array[int, 3] a) { } f(k);", "must be an assignable array"),
        (
            "def g(mutable array[int, 3] a) { } def f(readonly array[int, 3] a) { g(a); } f(list);",
            "must be an assignable array",
        ),
        ("def g(mutable array[int, 3] a) { } def f() { g(list); } f();", "cannot be changed inside it"),
        ("def f(readonly array[int, 2] a) { } f(list);", "an array of 2 items"),
        ("def f(readonly array[int, #dim=2] a) { } f(list);", "expected an array of 2 dimensions"),
        ("def f(readonly array[int, 3] a) { } f(list[2:1]);", "an array of 3 items"),
        ("k = sizeof(list[2:1], 1);", "sizeof requires an array and the index of one of its dimensions"),
        ("def f(readonly array[int, 3] a) { a[0] = 1; } f(list);", "cannot assign to a"),
        ("def f() { k = 2; } f();", "k is declared outside this subroutine and cannot be changed inside it"),
        ("def f() { c = measure q; } f();", "c is declared outside this subroutine and cannot be changed inside it"),
        ("def f() { x q[0]; } f();", "can use only its own qubit arguments"),
        ("def f() { return 1; } f();", "declares no return type"),
        ("def f(bit[3] b) { } f(c);", "2 bits cannot be converted to 3 bits"),
        ("def f(qubit a) { } f(q);", "a has 1 qubit, not 2"),
        ("def f(int k) { } f();", "f takes 1 argument, not 0"),
        ("def f(int k, float k) { }", "two parameters have the same name"),
        ("gate g a, a { }", "two parameters have the same name"),
        ("gate g a { x q[1]; } g q[0];", "can use only its own qubit arguments"),
        ("gate g a { x q[1]; } inv @ g q[0];", "can use only its own qubit arguments"),
        ("gate g a { if (c == 1) { x a; } } ctrl @ g q[0], q[1];", "a gate cannot read bits"),
        ("gate g a { x a[0]; } g q[0];", "a single qubit cannot be indexed"),
        ("gate g a { ctrl @ g a; }", "the gate g cannot be applied in its own definition"),
        ("gate g a { for int i in [0:1] { later a; } } gate later a { x a; }", "unknown gate later"),
        ("let twice = q ++ q;", "the same qubit or bit appears twice"),
        ("let twice = c[{1, 1}];", "the same qubit or bit appears twice"),
        ("ctrl(0) @ x q[0];", "a gate must have from 1 to 24 controls, not 0"),
        ("negctrl(0) @ x q[0];", "a gate must have from 1 to 24 controls, not 0"),
        ("gphase(pi) q[0];", "gphase acts on 0 qubits, not 1"),
        ("k = 2; x q[k];", "index 2 is out of range for 2 items"),
        ("c[0:0] = measure q;", "2 qubits cannot be measured into 1 bit"),
        ("pow(1000000) @ pow(1000000) @ rx(0.1) q[0];", "cannot be computed accurately enough"),
        ("int n = 1 ? 2 : 3;", "unexpected '?'"),
    ],
)
def test_forbidden_programs_are_reported(body: str, problem: str) -> None:
    said = refused(f"qubit[2] q; bit[2] c; int k; array[int, 3] list = {{1, 2, 3}};\n{body}")
    assert problem in said
    assert said.startswith("line 4, column ")


def test_a_return_value_has_the_declared_type() -> None:
    body = "def f() -> uint[2] { return 7; } output bit[4] result; result = bit[4](f());"
    assert probabilities(body) == {"0011": 1.0}


def test_a_subroutine_reads_global_names_and_may_shadow_them() -> None:
    body = "int k = 3; int n = 1; def f() -> int { int n = 4; n = n + k; return n; } k = 5;"
    assert probabilities(f"{body} output bit[4] result; result = bit[4](f() + n);") == {"1010": 1.0}


def test_bit_arguments_have_items_and_slices() -> None:
    body = 'def f(bit[4] b) -> bit[2] { return b[1:2]; } def g(bit[4] b) -> bit { return b[-1]; } bit[4] c = "0110";'
    assert probabilities(f"{body} output bit[3] result; result[0:1] = f(c); result[2] = g(c);") == {"011": 1.0}


def test_items_of_an_array_may_be_bits() -> None:
    body = "array[bit, 2] a; qubit q; x q; a[1] = measure q; output bit[2] result; result[0] = a[1]; result[1] = a[0];"
    assert probabilities(body) == {"01": 1.0}


def test_a_register_keeps_its_bits_on_every_path() -> None:
    declared = 'qubit q; bit c; h q; c = measure q; if (c == 1) { bit[2] other = "10"; } bit again; again = measure q;'
    assert probabilities(declared) == {"00": 0.5, "11": 0.5}


def test_undeclared_bits_of_an_early_end_are_zero() -> None:
    body = "qubit q; bit c; h q; c = measure q; if (c == 1) { end; } x q; bit later; later = measure q;"
    assert probabilities(body) == {"01": 0.5, "10": 0.5}


def test_a_gate_may_control_all_other_qubits() -> None:
    qubits = ", ".join(f"q[{number}]" for number in range(16))
    body = f"qubit[16] q; for int i in [0:13] {{ x q[i]; }} ctrl(14) @ negctrl @ x {qubits}; bit c = measure q[15];"
    assert probabilities(body) == {"1": 1.0}


def test_inverses_and_powers_of_controlled_gates() -> None:
    applied = matrix("qubit[3] q; inv @ ctrl @ pow(0.5) @ negctrl @ s q[2], q[0], q[1];")
    assert np.allclose(applied, matrix("qubit[3] q; x q[0]; ctrl(2) @ p(-pi / 4) q[2], q[0], q[1]; x q[0];"))
    assert np.allclose(state("qubit[2] q; h q[0]; ctrl @ gphase(pi) q[0]; h q[0];"), [0, 1, 0, 0])


@pytest.mark.parametrize("phase", [0.881, 2 * 0.4405, 2 * 1.2273, 2 * 2.0911, 2 * 2.8742, 1e-9, 3.141592653589793])
def test_a_root_of_a_gate_is_exact_for_all_phases(phase: float) -> None:
    made = f"gate g a {{ h a; p({phase!r}) a; h a; }} gate half a {{ h a; p({phase / 2!r}) a; h a; }} qubit q; "
    turned = phase if phase <= np.pi else phase - 2 * np.pi
    root = f"h q; p({turned / 2!r}) q; h q;"
    assert np.abs(matrix(f"{made} pow(0.5) @ g q;") - matrix(f"{made} {root}")).max() < 1e-9


@pytest.mark.slow
def test_too_many_paths_through_measurements_are_reported() -> None:
    body = (
        "qubit[13] q; bit[13] c; int k; for int i in [0:12] { h q[i]; c[i] = measure q[i]; if (c[i] == 1) { k += 1; } }"
    )
    assert "measurement branches" in refused(body)


def test_a_register_that_is_compared_is_drawn_bit_by_bit() -> None:
    seen = observed("qubit[16] q; bit[16] c; h q[0:2]; c = measure q; if (c == 3) { x q[15]; } c[15] = measure q[15];")
    assert seen["probabilities"][format(3 | 1 << 15, "016b")] == pytest.approx(0.125)
    assert len(seen["probabilities"]) == 8


def test_a_loop_variable_is_converted_to_its_type() -> None:
    body = "output bit[3] result; int n = 0; for uint[2] i in [0:5] { if (i == 3) { continue; } n += i; } "
    assert probabilities(body + "result = bit[3](n);") == {"100": 1.0}
    over = 'output bit[3] result; int n = 0; bit[3] word = "110"; for bit b in word { n += 1; if (b == 1) { break; } } '
    assert probabilities(over + "result = bit[3](n);") == {"010": 1.0}


def test_states_and_operations_are_bounded_by_their_amplitudes() -> None:
    def state_of(qubits: int) -> Branch:
        return Branch((), np.broadcast_to(np.complex128(0), (1, 1 << qubits)))

    with pytest.raises(Refused, match="too many measurement branches"):
        Budget().operation([], [state_of(24), state_of(1)])
    budget = Budget()
    kept = [state_of(24)]
    for _ in range(100):
        budget.operation(kept, kept)
    for _ in range(32):
        budget.operation([], [state_of(24)])
    with pytest.raises(Refused, match="too many operations"):
        budget.operation([], [state_of(1)])
