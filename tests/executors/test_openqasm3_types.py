"""Typed values of OpenQASM 3: results have the widths of their types, and undefined results are refused."""

from __future__ import annotations

import numpy as np
import pytest
from openqasm3_programs import matrix, probabilities, refused, state

DECLARED = """
uint[4] a = 15; uint[4] b = 3; uint[8] wide = 200; int[8] low = 100; uint[4] zero = 0;
int free = 5; uint natural = 0; float[32] f = 0.1; float[64] d = 0.1;
angle[4] turn = 9 * (pi / 8); angle[8] fine = pi / 4; angle theta = 0.3;
bit[4] word = "1010"; bit[2] pair = "11"; bit one = 1; qubit q; output bit result;
"""


def holds(condition: str) -> bool:
    """Whether a condition on the declared variables is true."""
    found = probabilities(f"{DECLARED} result = bool({condition});")
    assert found in ({"0": 1.0}, {"1": 1.0})
    return "1" in found


@pytest.mark.parametrize(
    "condition",
    [
        # integers with a size wrap around in every step
        "a + b == 2",
        "a + b < a",
        "b - a == 4",
        "(a + b) / b == 0",
        "a * b == 13",
        "b ** b == 11",
        "-b == 13",
        "a << 1 == 14",
        "(a << 2) >> 2 == 3",
        "a << 4 == 0",
        "wide + wide == 144",
        "a + wide == 215",
        "wide << 1 == 144",
        "uint[4](wide) == 8",
        "uint[4](-1) == 15",
        "uint[8](low) + uint[8](low) == 200",
        "a + free == 20",
        # the complement of an unsigned integer is unsigned
        "~zero == 15",
        "~a == zero",
        "!(~zero < 0)",
        "~wide == 55",
        "~int[8](5) == -6",
        # bits with a size
        'word << 1 == "0100"',
        'word >> 3 == "0001"',
        '~word == "0101"',
        '(word ^ "1111") == "0101"',
        'rotl(word, 1) == "0101"',
        "rotr(uint[6](37), 3) == 44",
        'uint[4](word) == 10 && int[4](word) == -6 && angle[4](word) == angle[4]("1010")',
        "int(word) == 10",
        "word == 10 && pair > 2",
        "low[2] == 1 && low[0:1] == 0 && int[8](-1)[7] == 1",
        "popcount(a) == 4 && popcount(word) == 2",
        "one + one == 2",
        # floats have the precision of their type
        "f != d",
        "f == float[32](0.1)",
        "float[64](f) != d",
        "f + f == float[32](0.2)",
        "f * 3 == float[32](0.3) || f * 3 == float[32](0.30000001192092896)",
        "float[32](16777216.0) + float[32](1.0) == 16777216.0",
        "float[16](2049.0) == 2048.0",
        "floor(2.7) / 2 == 1.0 && floor(3.9) / 2 == 1.5",
        "7 / 2 == 3 && 7 / 2.0 == 3.5 && -7 / 2 == -3 && -7 % 2 == -1 && mod(-7.5, 2) == -1.5",
        # angles are steps of a full turn and wrap around at it
        "turn + turn == pi / 4",
        "turn << 2 == pi / 2",
        "turn >> 2 == pi / 4",
        "-fine == 7 * (pi / 4)",
        "fine - 2 * fine == 7 * pi / 4",
        "angle[4](9 * pi) == pi",
        "angle[4](-pi / 2) == 3 * pi / 2",
        "angle[4](0.1) == 0",
        "angle[2](0.8) == pi / 2",
        "angle[3](pi / 8) == 0 && angle[3](3 * pi / 8) == pi / 2",
        "turn / 2 == pi / 2 && turn * 2 == pi / 4 && 3 * fine == 3 * pi / 4",
        "turn / angle[4](pi / 8) == 9",
        "angle[8](turn) == 9 * pi / 8",
        'bit[4](turn) == "1001"',
        "turn[0] == 1 && turn[3] == 1 && turn[1:2] == 0",
        "popcount(turn) == 2 && rotl(turn, 1) == 3 * pi / 8",
        "angle(9 * pi) == pi && angle(-0.3) > pi && -theta > pi && theta + theta > theta",
        "cos(fine) > 0.7071 && cos(fine) < 0.7072",
    ],
)
def test_a_result_has_the_width_of_its_type(condition: str) -> None:
    assert holds(condition)


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        # a literal may adapt to the other operand
        ("a + 1 == 0", "16 does not fit into uint[4]"),
        ("a + 1 == 16", "16 does not fit into uint[4]"),
        ("int(a + 1) == 0", "16 does not fit into uint[4]"),
        ("(a + 1) / 2 == 0", "16 does not fit into uint[4]"),
        ("(zero - 1) >> 1 == 7", "-1 is negative and cannot be shifted"),
        ("b ** 3 > 20", "27 does not fit into uint[4]"),
        ("a == -1", "-1 cannot be combined with uint[4]"),
        ("int[4](-1) == a", "-1 cannot be combined with uint[4]"),
        # the width of a type without a size
        ("natural - 1 < 0", "-1 is too small for uint"),
        ("uint(-1) > 0", "-1 is too small for uint"),
        ("~free < 0", "~ requires bits, a sized integer or a sized angle"),
        ("~natural > 0", "~ requires bits, a sized integer or a sized angle"),
        ("2 ** 63 > 0", "9223372036854775808 is too large for int"),
        ("9223372036854775807 + free > 0", "is too large for int"),
        ("-free & 3 == 3", "the bits of -5 depend on its size"),
        ("-free >> 1 == -3", "-5 is negative and cannot be shifted"),
        ("popcount(-1) == 1", "popcount requires bits or unsigned integers"),
        ("popcount(int[8](-1)) == 8", "popcount requires bits or unsigned integers"),
        ("popcount(theta) == 1", "popcount requires bits or unsigned integers"),
        ("!angle(1e-12)", "these angles are too close to compare"),
        ("rotl(free, 1) == 10", "can be rotated, not int"),
        ("(-free)[0] == 1", "this bit depends on the size of int"),
        ("theta[0] == 1", "this value has no items"),
        ("theta << 1 > theta", "angle has no bits to shift"),
        ("theta * 3 == 0.8999999999999999", "these angles are too close to compare"),
        ("theta / (theta / 3) == 3", "the quotient of these angles depends on their size"),
        # overflow of a signed integer
        ("low + low < 0", "200 is too large for int[8]"),
        ("low + 100 == 200", "200 is too large for int[8]"),
        ("int[8](200) < 0", "200 is too large for int[8]"),
        ("int[4](int[8](-9)) < 0", "-9 is too small for int[4]"),
        ("-int[4](-8) < 0", "8 is too large for int[4]"),
        ("low << 1 < 0", "200 is too large for int[8]"),
        ("int[8](1e3) == 1", "1000 is out of range for int[8]"),
        ("uint[8](-1.0) == 255", "-1 is out of range for uint[8]"),
        # bits are not numbers
        ("word + 1 == 11", "bit[4] is not a number"),
        ("word + word == 4", "bit[4] is not a number"),
        ("word & 2 == 2", "cast one of them"),
        ("word * 2.0 > 1", "bit[4] is not a number"),
        ("-word > 0", "bit[4] is not a number"),
        ("(word & pair) == pair", "bit[4] & bit[2] is not defined"),
        ("pair == word", "bit[2] cannot be compared with bit[4]"),
        ("word == true", "bit[4] cannot be compared with bool"),
        ("one << 1 == 2", "a single bit cannot be shifted"),
        ("int[8](word) < 0", "bit[4] cannot be converted to int[8]"),
        ("bool(bit(free))", "5 does not fit into 1 bit"),
        ("float(word) > 0", "bit[4] cannot be converted to float"),
        ("sqrt(word) > 0", "bit[4] cannot be converted to float"),
        # angles do not mix with other types
        ("turn + fine == turn", "angle[4] + angle[8] is not defined"),
        ("turn + 0.1 > turn", "angle[4] + float is not defined"),
        ("turn + pi > turn", "angle[4] + float[64] is not defined"),
        ("turn * 0.5 == turn", "angle[4] * float is not defined"),
        ("turn * -1 == turn", "by a non-negative integer, not by -1"),
        ("turn % turn == 0", "angle[4] % angle[4] is not defined"),
        ("turn == 1", "int cannot be converted to angle[4]"),
        ("float(turn) > 3.5", "angle[4] cannot be converted to float"),
        ("int(turn) == 9", "an angle cannot be converted to int"),
        ("arcsin(fine) > 0", "angle[8] cannot be converted to float"),
        ("turn == 0.1", "0.1 cannot be converted exactly to angle[4]"),
        ("turn == -pi / 8 * 7", "cannot be converted exactly to angle[4]"),
        ("angle[2](fine) == 0", "not a multiple of 2 pi / 2^2: the rounding of a conversion to angle[2] is undefined"),
        ("angle[8](theta) == 0", "angle cannot be converted to angle[8]"),
        # floats
        ("d % 0.01 == 0", "% requires integers"),
        ("2 ** -1 == 0.5", "an integer cannot have a negative exponent"),
        ("float[32](1e300) > 0", "too large for float[32]"),
        ("float[24](0.1) > 0", "a float must have 16, 32 or 64 bits"),
        ("~f > 0", "not float[32]"),
        ("f & 1 > 0", "is not defined"),
        ("q[floor(0.5)] == 1", "expected an integer"),
    ],
)
def test_implementation_dependent_results_are_refused(expression: str, problem: str) -> None:
    assert problem in refused(f"{DECLARED} result = bool({expression});")


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("uint[4] n = 15; n += 1;", "n == 0"),
        ("uint[4] n = 0; n -= 1;", "n == 15"),
        ("uint[4] n = 15 + 3 * 16;", "n == 15"),
        ("uint[4] n = 8; n <<= 1;", "n == 0"),
        ("uint[4] n = (15 + uint[4](1)) * 2 - 1;", "n == 15"),
        ("uint[4] n = 0; for int i in [1:20] { n += 1; }", "n == 4"),
        ("uint[2] n = 3; def f(uint[2] k) -> uint[2] { return k + 2; } uint[8] m = f(n + 1);", "m == 2"),
        ("array[uint[2], 2] n = {5, 6}; n[0] += 3;", "n[0] == 0 && n[1] == 2"),
        ("array[float[32], 1] real = {0.1};", "real[0] != 0.1"),
        ("array[angle[4], 1] turns = {5 * pi}; turns[0] += turns[0];", "turns[0] == 0"),
        ("const uint[3] n = 9; const float[32] real = 0.1;", "n == 1 && real != 0.1"),
        ("def f() -> float[32] { return 0.1; }", "f() != 0.1"),
        ("def f(angle[4] k) -> angle[4] { return k; }", "f(17 * pi / 8) == pi / 8"),
        ("int k = 0; switch (uint[2](7)) { case 3 { k = 1; } default { } }", "k == 1"),
        ("int n = 0; for uint[8] i in {255, 256} { n += i; }", "n == 255"),
        ("qubit r; x r; bit m = measure r; uint[2] n = 3; n += uint[2](m);", "n == 0"),
        ("qubit[2] r; x r[1]; int k = measure r; uint[2] n = measure r;", "k == 2 && n == 2"),
        ('bit[3] c; int k = 2; for bit b in "101" { k += b; }', "k == 4"),
        ('bit c = 1; c ^= 1; bit[2] w = 2; w |= "01";', "c == 0 && w == 3"),
    ],
)
def test_an_assigned_value_has_the_width_of_the_variable(body: str, value: str) -> None:
    assert probabilities(f"{body} output bit result; result = bool({value});") == {"1": 1.0}


@pytest.mark.parametrize(
    ("angle", "applied"),
    [
        ("angle[3] a = 2.5 * pi;", np.pi / 2),
        ("angle[3] a = -pi / 4;", 7 * np.pi / 4),
        ("angle a = 2 * pi + 0.5;", 0.5),
        ("angle a = -0.5;", 2 * np.pi - 0.5),
        ("angle[6] a = pi; a += a; a += angle[6](pi / 4);", np.pi / 4),
        ("angle[4] a = pi / 5;", np.pi / 4),
        ("float a = -0.5;", -0.5),
        ("float a = 7.0;", 7.0),
        ("float[32] a = 0.1;", float(np.float32(0.1))),
    ],
)
def test_a_gate_takes_the_angle_of_a_variable(angle: str, applied: float) -> None:
    controlled = "qubit[2] q; ctrl @ rz({}) q[0], q[1];"
    assert np.allclose(matrix(angle + controlled.format("a")), matrix(controlled.format(repr(applied))))


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (
            "float t_ = 0.5; gate g a { rx(t_) a; }",
            "t_ is not accessible here: a gate can read only constants and its arguments",
        ),
        ("float t_ = 0.5; gate g a { for int i in [0:1] { rx(t_) a; } }", "t_ is not accessible here"),
        ("int k = 2; gate g a { pow(k) @ x a; }", "k is not accessible here"),
        ("array[float, 1] t_ = {0.5}; gate g a { rx(t_[0]) a; }", "t_ is not accessible here"),
        ("float t_ = 0.5; def f() -> float { return t_; } gate g a { rx(f()) a; }", "t_ is not accessible here"),
        ("float t_ = 0.5; gate h2 a { rx(t_) a; } gate g a { inv @ h2 a; }", "t_ is not accessible here"),
        ("float t_ = 0.5; const float u = t_; gate g a { rx(u) a; }", "t_ is not constant"),
        ("bit c; c = measure q; const float u = c; gate g a { rx(u) a; }", "c is not constant"),
        ("def f() -> float { return 0.5; } const float u = f(); gate g a { rx(u) a; }", "f is not constant"),
    ],
)
def test_a_gate_reads_no_variable(body: str, problem: str) -> None:
    assert problem in refused(f"qubit q; {body} g q;")


def test_a_gate_reads_an_input_by_its_argument_only() -> None:
    assert "t_ is not accessible here" in refused("input float t_; gate g a { rx(t_) a; } qubit q; g q;", t_=0.5)
    given = "const float c = pi / 4; gate g(t_) a { rx(t_ / 2 + c) a; } qubit q; g(3 * pi / 2) q;"
    assert np.allclose(state(given), state("qubit q; rx(pi) q;"))


def test_an_input_is_converted_to_its_type() -> None:
    body = "input uint[3] k; input angle[4] t_; input float[32] real; output bit[2] result; "
    body += "result[0] = (k == 1) && (t_ == pi / 8); result[1] = real != 0.1;"
    assert probabilities(body, k=9, t_=2.125 * np.pi, real=0.1) == {"11": 1.0}
    assert "200 is too large for int[8]" in refused("input int[8] k;", k=200)


def test_bits_of_a_number_in_an_array_cannot_be_assigned_to() -> None:
    assert "cannot assign to individual bits of n" in refused("array[int[8], 2] n = {1, 2}; n[0][0] = 1;")
