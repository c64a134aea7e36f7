"""Verdicts on outcome distributions."""

import math

import pytest
from distributions_by_hand import perturbed, some_distributions
from hypothesis import given
from hypothesis import strategies as st
from judging import distribution, judge

from repair_bench.frameworks import FRAMEWORKS
from repair_bench.suites.checks import Case, DistributionCheck


def check(expected: dict[str, float], *more: Case, **options: object) -> DistributionCheck:
    return DistributionCheck(cases=(Case((), expected), *more), **options)  # type: ignore[arg-type]


BELL = check({"00": 0.5, "11": 0.5})


def test_the_right_probabilities_pass_with_their_distances() -> None:
    verdict = judge(BELL, distribution({"00": 0.5, "11": 0.5}))
    assert verdict.kind == "pass"
    assert set(verdict.evidence["distance"]) == {"tv", "kl", "hellinger"}


def test_wrong_probabilities_are_shown() -> None:
    verdict = judge(BELL, distribution({"00": 0.75, "11": 0.25}))
    assert verdict.kind == "wrong_answer"
    (case,) = verdict.evidence["cases"]
    assert case["got"]["probabilities"] == {"00": 0.75, "11": 0.25}
    assert case["expected"]["probabilities"] == {"00": 0.5, "11": 0.5}
    assert case["distance"]["tv"] == pytest.approx(0.25)
    assert case["mismatch"] is None


def test_a_wrong_number_of_bits_is_a_shape_mismatch_that_names_both() -> None:
    verdict = judge(BELL, distribution({"000": 0.5, "111": 0.5}))
    assert verdict.evidence["cases"][0]["mismatch"] == "shape"
    assert verdict.evidence["problem"] == "expected outcomes of 2 bits, got 3 bits"


@pytest.mark.parametrize(("framework", "right"), [("qiskit", "110"), ("cirq", "011"), ("pennylane", "011")])
def test_integer_outcomes_have_leading_zeros(framework: str, right: str) -> None:
    seen = distribution({"11": 1.0}, integer_keys=True)
    assert judge(check({right: 1.0}), seen, framework=framework).kind == "pass"
    verdict = judge(check({"100": 0.5, "001": 0.5}), seen, framework=framework)
    assert verdict.evidence["cases"][0]["got"]["probabilities"] == {"011": 1.0}
    too_wide = judge(check({"1": 1.0}), seen, framework=framework)
    assert too_wide.evidence["problem"] == "expected outcomes of 1 bit, got 2 bits"


def test_integer_outcomes_may_have_any_expected_width() -> None:
    either = DistributionCheck(cases=(Case((), {"10": 1.0}, also=({"001": 1.0},)),))
    assert judge(either, distribution({"1": 1.0}, integer_keys=True)).kind == "pass"


@pytest.mark.parametrize(("framework", "own"), [("qiskit", "110"), ("cirq", "011"), ("pennylane", "011")])
def test_only_the_order_of_the_framework_is_right(framework: str, own: str) -> None:
    hidden_string = check({"011": 1.0})
    assert judge(hidden_string, distribution({own: 1.0}), framework=framework).kind == "pass"
    assert judge(hidden_string, distribution({own[::-1]: 1.0}), framework=framework).kind == "wrong_answer"


def test_evidence_is_in_the_order_of_the_framework() -> None:
    verdict = judge(check({"011": 1.0}), distribution({"011": 1.0}), framework="qiskit")
    assert verdict.evidence["cases"][0]["expected"]["probabilities"] == {"110": 1.0}


@given(some_distributions(), st.sampled_from(list(FRAMEWORKS)))
def test_every_distribution_agrees_with_itself(p: dict[str, float], framework: str) -> None:
    own = {key[::-1]: value for key, value in p.items()} if FRAMEWORKS[framework].last_bit_first else p
    assert judge(check(p), distribution(own), framework=framework).kind == "pass"


@given(some_distributions(), st.floats(0.0021, 1), st.integers(0, 2**32 - 1))
def test_exact_probabilities_farther_than_the_tolerance_never_pass(p: dict[str, float], far: float, seed: int) -> None:
    assert judge(check(p), distribution(perturbed(p, far, seed))).kind == "wrong_answer"


@given(some_distributions(), st.floats(0, 0.0009), st.integers(0, 2**32 - 1))
def test_exact_probabilities_within_the_tolerance_always_pass(p: dict[str, float], near: float, seed: int) -> None:
    assert judge(check(p), distribution(perturbed(p, near, seed))).kind == "pass"


@given(st.floats(-math.pi, math.pi), st.floats(-math.pi, math.pi))
def test_angles_written_with_three_digits_pass(alpha: float, beta: float) -> None:
    def rotated(a: float, b: float) -> dict[str, float]:
        p, q = math.cos(a / 2) ** 2, math.cos(b / 2) ** 2
        return {"00": p * q, "01": p * (1 - q), "10": (1 - p) * q, "11": (1 - p) * (1 - q)}

    assert judge(check(rotated(alpha, beta)), distribution(rotated(round(alpha, 3), round(beta, 3)))).kind == "pass"


def test_only_the_listed_right_answers_pass() -> None:
    either = DistributionCheck(cases=(Case((), {"001": 1.0}, also=({"100": 1.0}, {"10": 1.0})),))
    assert judge(either, distribution({"001": 1.0})).kind == "pass"
    assert judge(either, distribution({"100": 1.0})).kind == "pass"
    assert judge(either, distribution({"10": 1.0})).kind == "pass"
    assert judge(either, distribution({"010": 1.0})).kind == "wrong_answer"


THREE_BITS = distribution({"001": 0.5, "111": 0.5}, registers=[["result", 2], ["ancilla", 1]])


def test_a_separate_result_register_is_judged() -> None:
    result = check({"00": 0.5, "11": 0.5})
    assert judge(result, THREE_BITS, framework="qiskit").kind == "pass"  # declared last, printed first
    assert judge(result, THREE_BITS, framework="cirq").kind == "pass"  # of key 'result'
    swapped = distribution({"100": 0.5, "111": 0.5}, registers=[["ancilla", 1], ["result", 2]])
    assert judge(result, swapped, framework="cirq").kind == "pass"
    assert judge(result, swapped, framework="qiskit").evidence["cases"][0]["mismatch"] == "shape"


def test_a_key_that_is_measured_again_is_one_result() -> None:
    rounds = distribution({"1010": 1.0}, registers=[["result", 1], ["m", 2], ["result", 1]])
    assert judge(check({"10": 1.0}), rounds).kind == "pass"


def test_a_register_that_does_not_hold_the_result_is_not_searched_for() -> None:
    named = distribution({"001": 0.5, "111": 0.5}, registers=[["out", 2], ["ancilla", 1]])
    assert judge(check({"00": 0.5, "11": 0.5}), named).evidence["cases"][0]["mismatch"] == "shape"


@pytest.mark.parametrize(
    "registers",
    [None, 3, [], [["result", 2]], [["result", 2], ["a", 9]], [["result", True], ["a", 2]], [[[], 2], ["a", 1]]],
)
def test_registers_that_do_not_cover_the_bits_are_ignored(registers: object) -> None:
    seen = {**THREE_BITS, "registers": registers}
    assert judge(check({"00": 0.5, "11": 0.5}), seen).evidence["cases"][0]["mismatch"] == "shape"


def test_all_cases_must_be_right() -> None:
    three = check({"0": 1.0}, Case((1,), {"1": 1.0}), Case((2,), {"0": 1.0}))
    right = [distribution({"0": 1.0}), distribution({"1": 1.0}), distribution({"0": 1.0})]
    assert judge(three, *right).kind == "pass"
    verdict = judge(three, right[0], right[0], right[2])
    assert verdict.kind == "wrong_answer"
    assert [case["inputs"] for case in verdict.evidence["cases"]] == [[1]]
    assert verdict.evidence["problem"].endswith("1 of 3 cases are incorrect")


def test_a_hidden_case_is_marked_and_its_error_not_shown() -> None:
    two = check({"0": 1.0}, Case((7,), {"1": 1.0}, hidden=True))
    verdict = judge(two, distribution({"0": 1.0}), distribution({"0": 1.0}))
    assert [case["hidden"] for case in verdict.evidence["cases"]] == [True]
    assert "total variation" not in verdict.evidence["problem"]


def test_cases_that_may_be_shown_come_first_and_evidence_is_bounded() -> None:
    hidden = [Case((i,), {"1": 1.0}, hidden=True) for i in range(50)]
    many = DistributionCheck(cases=(*hidden, Case((99,), {"1": 1.0})))
    verdict = judge(many, *[distribution({"0": 1.0})] * 51)
    assert len(verdict.evidence["cases"]) == 8
    assert verdict.evidence["cases"][0]["inputs"] == [99]


def test_a_wide_distribution_is_shown_by_its_likeliest_outcomes() -> None:
    wide = {format(i, "010b"): 1 / 1024 for i in range(1024)}
    got = judge(check({"0" * 10: 1.0}), distribution(wide)).evidence["cases"][0]["got"]
    assert len(got["probabilities"]) == 64
    assert got["left_out"] == 960


def test_only_allowed_gates_pass() -> None:
    limited = check({"0": 1.0}, gates=frozenset({"h", "cx"}))
    assert judge(limited, distribution({"0": 1.0}, gates={"h": 2, "measure": 1, "ccx": 0})).kind == "pass"
    verdict = judge(limited, distribution({"0": 1.0}, gates={"h": 2, "ccx": 1}))
    assert verdict.kind == "wrong_answer"
    assert verdict.evidence["problem"] == "the circuit uses gates that are not allowed: ccx (allowed: cx, h)"
    assert judge(limited, distribution({"0": 1.0})).kind == "wrong_answer"  # no circuit was observed


CIRCUIT = check({"0": 0.5, "1": 0.5}, circuit=True)


@pytest.mark.parametrize(
    ("framework", "what"), [("qiskit", "QuantumCircuit"), ("cirq", "cirq.Circuit"), ("pennylane", "qml.probs")]
)
def test_samples_are_wrong_if_a_circuit_is_required(framework: str, what: str) -> None:
    fair = {"0": 0.5, "1": 0.5}
    assert judge(CIRCUIT, distribution(fair, gates={"h": 1}), framework=framework).kind == "pass"
    for seen in (distribution(fair, shots=10**9, gates={"h": 1}), distribution(fair)):
        verdict = judge(CIRCUIT, seen, framework=framework)
        assert verdict.kind == "wrong_answer"
        assert verdict.evidence["cases"][0]["mismatch"] == "type"
        assert what in verdict.evidence["problem"]
    assert judge(check(fair), distribution(fair, shots=1000), framework=framework).kind == "pass"
