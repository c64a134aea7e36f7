"""Observe an OpenQASM 3 program. The language's reference parser parses the program, and `openqasm3_run` interprets it.

Bits are printed in the order of bit strings in OpenQASM 3. Bit 0 of a register is the last character, and the last
register is printed first. Qubits are ordered by declaration, and the last qubit is the most significant bit of a state
or matrix index. A program returns its outputs, or all declared bits if it declares no output.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple

import openqasm3
from openqasm3 import ast
from openqasm3.parser import QASM3ParsingError

from . import exact, forms, observed
from .exact import Branch
from .forms import Observation, Unreadable
from .openqasm3_errors import OpenQASMError, placed
from .openqasm3_memory import Budget, Memory, Register
from .openqasm3_run import Path

PRELOAD: Tuple[str, ...] = ("numpy", "openqasm3", "openqasm3.parser")
RAISES = OpenQASMError
MAX_CHARACTERS = 100_000
_UNKNOWN_SIGN = re.compile(r" *token recognition error at: '(.*)'", re.DOTALL)
EXAMPLE = """OPENQASM 3.0;
include "stdgates.inc";
// what programs are made of, for the parser's caches
const int n = 2;
gate turn(theta, phi) a, b { rx(theta) a; ctrl @ p(phi / 2) a, b; inv @ s b; gphase(-pi / 4); }
def parity(qubit[2] r, int k) -> int { for int i in [0:k - 1] { cx r[i], r[k]; } return k * 2 + 1; }
qubit[n] q;
qubit helper;
array[float[64], 2] angles = {0.5, pi / 4};
let pair = q[0:1];
int count = 0;
h q;
for uint i in [0:n - 1] {
  if (((i >> 1) & 1) == 0 && angles[i] > 0) { turn(angles[i], -pi / 2 ** (i + 1)) q[i], helper; } else { x q[i]; }
  count += 1;
}
negctrl @ ctrl(1) @ x q[0], q[1], helper;
pow(2) @ inv @ t pair[1];
barrier q;
while (count > 0) { count -= 1; }
int odd = parity(pair, 1);
"""


class Program:
    """A parsed OpenQASM 3 program. Calling a `Program` with a mapping from input names to values returns a copy of the
    program that contains these inputs and can be observed.
    """

    def __init__(self, tree: Any, lines: List[str], inputs: Optional[Mapping[str, Any]] = None) -> None:
        self._tree = tree
        self._lines = lines
        self._inputs = dict(inputs or {})

    def __call__(self, inputs: Optional[Mapping[str, Any]] = None) -> Program:
        return Program(self._tree, self._lines, inputs)

    def __repr__(self) -> str:
        return "an OpenQASM 3 program"  # models must not see internal names

    def paths(self, *, as_matrix: bool = False) -> Iterator[Memory]:
        """Yield the memory at the end of each path through the program. Raises `OpenQASMError`."""
        budget = Budget()
        waiting: List[List[int]] = [[]]
        while waiting:
            memory = Memory(waiting.pop(), budget, as_matrix=as_matrix)
            Path(self._tree, self._lines, self._inputs, memory).run()
            waiting += memory.open
            yield memory

    def has_outputs(self) -> bool:
        declared = [one for one in self._tree.statements if isinstance(one, ast.IODeclaration)]
        return any(one.io_identifier is ast.IOKeyword.output and isinstance(one.type, ast.BitType) for one in declared)


def load(source: str) -> Program:
    """Parse the text of a program, without running it. Raises `OpenQASMError` for an invalid program."""
    if len(source) > MAX_CHARACTERS:
        raise OpenQASMError("the program has more than {} characters".format(MAX_CHARACTERS))
    try:
        tree = openqasm3.parse(source)
    except QASM3ParsingError as error:
        raise OpenQASMError(_complaint(error, source)) from None
    except RecursionError:
        raise OpenQASMError("the program is nested too deeply") from None
    except AttributeError:  # the parser's error for a program without any statement
        raise OpenQASMError("the program has no statements") from None
    except ValueError as error:
        raise OpenQASMError("the program cannot be parsed: {}".format(error)) from None
    if tree.version is not None and tree.version.split(".")[0] != "3":
        raise OpenQASMError("the program is in OpenQASM {}; OpenQASM 3 is required".format(tree.version))
    return Program(tree, source.split("\n"))


def _complaint(error: QASM3ParsingError, source: str) -> str:
    text = str(error)
    if text:
        line, colon, rest = text.partition(":")
        column, _, problem = rest.partition(":")
        if not colon:
            return text
        sign = _UNKNOWN_SIGN.match(problem)
        words = problem.strip() if sign is None else "unexpected {!r}".format(sign[1])
        return placed(words, source.split("\n"), int(line[1:]), int(column[1:]))
    cause: Any = error.__cause__
    while cause is not None and not hasattr(cause, "offendingToken"):
        cause = cause.args[0] if cause.args and isinstance(cause.args[0], Exception) else None
    token = getattr(cause, "offendingToken", None)
    if token is None:
        return "the program cannot be parsed"
    found = "end of the program" if token.type == -1 else repr(token.text)
    return placed("unexpected {}".format(found), source.split("\n"), token.line, token.column)


def observe(call: Callable[[], Any], form: str, qubits: Optional[int] = None) -> Observation:
    if form == "distribution":
        return forms.observed(call(), _distribution)
    return forms.observed(call(), lambda program: _evolved(program, form, qubits))


def _distribution(program: Program) -> Observation:
    outputs = program.has_outputs()
    joint: Dict[Tuple[int, ...], float] = {}
    """Maps the bits of all declared registers to a probability. A path that ends early contributes bits only for the
    registers that were declared on this path."""
    registers: List[Register] = []
    counts: Dict[str, int] = {}
    for path in program.paths():
        own = [register for register in path.registers if register.output or not outputs]
        slots = [slot for register in own for slot in register.slots]
        forms.check_size(0, sum(any(b.has_value(slot) for b in path.branches) for slot in slots))
        likely = exact.probability(path.branches)
        for key, share in exact.distribution(path.branches, slots).items():
            joint[key] = joint.get(key, 0.0) + likely * share
        if len(own) >= len(registers):
            registers, counts = own, path.counts
    bits = sum(len(register.slots) for register in registers)
    if not bits:
        raise Unreadable("the program declares no bits; {} was expected".format(forms.EXPECTED["distribution"]))
    total = sum(joint.values())
    probabilities: Dict[str, float] = {}
    for key, p in joint.items():
        printed = "".join(map(str, key[::-1])).rjust(bits, "0")
        probabilities[printed] = probabilities.get(printed, 0.0) + p / total
    observation = forms.distribution(probabilities, bits, gates=counts)
    observation["registers"] = [[register.name, len(register.slots)] for register in registers[::-1]]
    return observation


def _evolved(program: Program, form: str, qubits: Optional[int]) -> Observation:
    paths = list(program.paths(as_matrix=form == "unitary"))
    path = paths[0]
    forms.check_width(len(path.axes), qubits)
    order = path.axes[::-1]
    if form == "unitary":
        order += [axis + 1 for axis in order]  # the entangled partners
    branches = [
        Branch(
            tuple(b.memory[slot] for slot in path.measured if b.has_value(slot)),
            b.rows.transpose([0, *(axis + 1 for axis in order)]),
        )
        for path in paths
        for b in path.branches
    ]
    return (observed.unitary if form == "unitary" else observed.state)(branches, path.counts)
