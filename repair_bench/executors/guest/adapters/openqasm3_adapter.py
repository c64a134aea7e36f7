"""What an OpenQASM 3 program does. Its text is parsed by the language's reference parser and interpreted here.

Order is that of the language's own bit strings: bit 0 of a register is the last character, and the register declared
last is printed first. Qubits have the order of their declarations, the last one the most significant index of a state
or a matrix. What a program returns is its outputs, or where it declares none, all bits that it declares.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

import openqasm3
from openqasm3.parser import QASM3ParsingError

from . import forms, observed
from .exact import Branch, Branches
from .forms import Observation, Unreadable
from .openqasm3_errors import OpenQASMError, placed
from .openqasm3_memory import Memory
from .openqasm3_run import Path

PRELOAD: Tuple[str, ...] = ("numpy", "openqasm3", "openqasm3.parser")
RAISES = OpenQASMError
"""What is raised here for a program that is wrong."""
MAX_CHARACTERS = 100_000
MAX_PATHS = 4096
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
"""What the fork server rehearses."""


class Program:
    """A program that was parsed. Called with its inputs by name, it can be observed."""

    def __init__(self, tree: Any, lines: List[str]) -> None:
        self._tree = tree
        self._lines = lines
        self._inputs: Dict[str, Any] = {}

    def __call__(self, inputs: Optional[Mapping[str, Any]] = None) -> Program:
        bound = Program(self._tree, self._lines)
        bound._inputs = dict(inputs or {})
        return bound

    def __repr__(self) -> str:
        return "an OpenQASM 3 program"  # a model is told nothing of ours

    def paths(self, *, whole: bool = False) -> List[Memory]:
        """What every path holds at its end. Raises `OpenQASMError`."""
        waiting: List[List[int]] = [[]]
        done: List[Memory] = []
        steps = 0
        while waiting:
            if len(done) == MAX_PATHS:
                raise OpenQASMError("the program takes more than {} ways through its measurements".format(MAX_PATHS))
            path = Path(self._tree, self._lines, self._inputs, waiting.pop(), steps, whole=whole)
            path.run()
            steps = path.steps
            waiting += path.memory.open
            done.append(path.memory)
        return done


def load(source: str) -> Program:
    """A program from its text. Raises `OpenQASMError` for what is none; nothing of it is run."""
    if len(source) > MAX_CHARACTERS:
        raise OpenQASMError("the program has more than {} characters".format(MAX_CHARACTERS))
    try:
        tree = openqasm3.parse(source)
    except QASM3ParsingError as error:
        raise OpenQASMError(_complaint(error, source)) from None
    except RecursionError:
        raise OpenQASMError("the program is nested too deeply") from None
    except AttributeError:  # how the parser fails on a text without any statement
        raise OpenQASMError("the program has no statement") from None
    except ValueError as error:
        raise OpenQASMError("the program cannot be parsed: {}".format(error)) from None
    if tree.version is not None and tree.version.split(".")[0] != "3":
        raise OpenQASMError("line 1: this is OpenQASM {}; OpenQASM 3 is asked for".format(tree.version))
    return Program(tree, source.splitlines())


def _complaint(error: QASM3ParsingError, source: str) -> str:
    """The place and the problem, from what the parser says of it."""
    told = str(error)
    if told:
        line, colon, rest = told.partition(":")
        column, _, problem = rest.partition(":")
        if not colon:
            return told
        return placed(problem.strip(), source.splitlines(), int(line[1:]), int(column[1:]))
    cause: Any = error.__cause__
    while cause is not None and not hasattr(cause, "offendingToken"):
        cause = cause.args[0] if cause.args and isinstance(cause.args[0], Exception) else None
    token = getattr(cause, "offendingToken", None)
    if token is None:
        return "the program cannot be parsed"
    found = "the end of the program" if token.type == -1 else repr(token.text)
    return placed("{} is not expected here".format(found), source.splitlines(), token.line, token.column)


def observe(call: Callable[[], Any], what: str, qubits: Optional[int] = None) -> Observation:
    """Run the program and read its outcome as `what`: "distribution", "state" or "unitary".

    `qubits`: how many the state or the unitary must have; None to take as many as there are.
    """
    program = call()
    try:
        if what == "distribution":
            return _distribution(program.paths())
        return _whole(program, what, qubits)
    except Unreadable as reason:
        return forms.other(program, reason.problem, shape=reason.shape)


def _distribution(paths: List[Memory]) -> Observation:
    first = max(paths, key=lambda path: len(path.registers))  # one may end before it declares all
    outputs = [register for register in first.registers if register.output]
    registers = (outputs or first.registers)[::-1]
    slots = [slot for register in registers for slot in register.slots[::-1]]
    if not slots:
        raise Unreadable("the program declares no bits; {} was expected".format(forms.EXPECTED["distribution"]))
    branches: Branches = [
        Branch(tuple(b.memory[slot] if b.holds(slot) else 0 for slot in slots), b.rows)
        for path in paths
        for b in path.branches
    ]
    observation = observed.distribution(branches, range(len(slots)), first.counts)
    observation["registers"] = [[register.name, len(register.slots)] for register in registers]
    return observation


def _whole(program: Program, what: str, qubits: Optional[int]) -> Observation:
    paths = program.paths(whole=what == "unitary")
    path = paths[0]
    forms.check_width(len(path.axes), qubits)
    order = path.axes[::-1]
    if what == "unitary":
        order += [axis + 1 for axis in order]  # the qubit that each is entangled with
    branches = [
        Branch(
            tuple(b.memory[slot] for slot in path.measured if b.holds(slot)),
            b.rows.transpose([0, *(axis + 1 for axis in order)]),
        )
        for path in paths
        for b in path.branches
    ]
    return (observed.unitary if what == "unitary" else observed.state)(branches, path.counts)
