"""Arguments of a call as inputs of an OpenQASM 3 program, and the built-in problems that support them."""

import pytest

from repair_bench import suites
from repair_bench.coroutines import run_to_end
from repair_bench.suites import aligned, conventions, inputs
from repair_bench.suites.conventions.edition import every_family

LEFT_OUT = {"03", "04", "06", "09"}
"""Problems of `aligned` whose inputs are lists of any length, a circuit, or a string of signs, as `left_out` states."""
CANNOT_BE_GIVEN = {
    *("amplitude_encoding", "pauli_rotation", "readout", "register_permutation", "stabilizer_state", "syndrome"),
    *("string_rotation", "teleportation", "walk"),
}
"""Families of `conventions` whose calls have letters, or lists of different lengths."""


@pytest.mark.parametrize(
    ("parameters", "args", "declared"),
    [
        ("", [()], []),
        ("theta: float", [(1.0,), (2,)], ["input float theta;"]),
        ("alice: int, bob: int", [(0, 1)], ["input int alice;", "input int bob;"]),
        ("angles: list[float], n: int", [([0.5, 1], 2)], ["input array[float, 2] angles;", "input int n;"]),
        ("s: str", [("01",), ("11",)], ["input bit[2] s_;  // s"]),
        ("numbers: list[int]", [([1, 2, 3],)], ["input array[int, 3] numbers;"]),
    ],
)
def test_supported_arguments_are_declared(parameters: str, args: list[tuple], declared: list[str]) -> None:
    assert inputs.declared(parameters, args) == declared


@pytest.mark.parametrize("args", [[("01",), ("1",)], [("+",)], [([1, 2],), ([1],)], [([[1]],)], [([],)], [("",)]])
def test_unsupported_arguments_are_refused(args: list[tuple]) -> None:
    with pytest.raises(inputs.Inexpressible, match="has no input type for word"):
        inputs.declared("word: str", args)


@pytest.mark.slow
def test_the_problems_left_out_are_named_with_their_reasons() -> None:
    asked = aligned.load(frameworks=["openqasm3"]).tasks
    assert {task.id for task in aligned.load().tasks} - {task.id for task in asked} == LEFT_OUT
    assert len(asked) == 38
    families = {
        task.id.rpartition("-")[0]
        for stages in (1, 2)
        for task in conventions.load(name=f"conventions?bits=0&stages={stages}", frameworks=["openqasm3"]).tasks
    }
    assert set(every_family()) - families == CANNOT_BE_GIVEN


def test_a_framework_adds_a_separate_content_hash() -> None:
    pins = {
        "aligned": "a73ada323e80397a1c14b54f6313bceaf384d495fb55724a7a4180ceac5c1673",
        "conventions?bits=0": "601ecc845f59348898dab3f35755268e859dd295a6aef25ad22eb1f4257cd490",
    }
    for name, pin in pins.items():
        suite = run_to_end(suites.load(name))
        assert suite.content_hash == suite.contents(["qiskit", "cirq"]) == pin
        assert suite.contents(["openqasm3"]) == suite.contents(["qiskit", "openqasm3"]) != pin
        assert set(suite.further) == {"openqasm3"}


def test_a_prompt_describes_the_declarations_and_the_execution() -> None:
    tasks = {task.id: task for task in aligned.load(frameworks=["openqasm3"]).tasks}
    assert tasks["15"].prompt.startswith(
        "Write an OpenQASM 3 program with this input:\n\n```\ninput float theta;\n```\n"
    )
    assert "The program is tested with theta = 1.5707963267948966 and other inputs." in tasks["15"].prompt
    assert "Declare `bit[1] result;` and measure the following into it: qubit 0, the ancilla." in tasks["15"].prompt
    assert tasks["16"].prompt.startswith("Write an OpenQASM 3 program.\n")
    assert tasks["16"].starter == 'OPENQASM 3.0;\ninclude "stdgates.inc";\n\n// Bell pair\n'
    assert not any("function" in task.prompt.split("\n")[0] or "called as" in task.prompt for task in tasks.values())
