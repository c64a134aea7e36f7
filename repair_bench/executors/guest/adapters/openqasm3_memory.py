"""What one path through an OpenQASM 3 program holds: its names, its variables and bits, and the state of its qubits.

Bits live in the memory of the branches (`exact`), so a measurement stays undecided until something reads it. Reading
an undecided bit chooses one of its outcomes; the other one is left for another path.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import exact, forms
from . import openqasm3_gates as gates
from . import openqasm3_values as values
from .exact import Branch, Branches
from .openqasm3_errors import Refused
from .openqasm3_values import Type, Value, converted

MAX_BITS = 4096
"""Classical bits of all registers and inputs."""
MAX_STEPS = 100_000
"""Statements that are run, and turns of loops."""
MAX_WORK = 1 << 29
"""Amplitudes that operations make: those of a whole state for each gate."""
MAX_HELD = 1 << 24
"""Amplitudes of all states that the measurements of one path may have left."""


class Budget:
    """What a program used so far, on all its paths together. The methods raise `Refused` beyond the limits.

    All is counted, not measured, so a program is refused on every machine or on none.
    """

    def __init__(self) -> None:
        self.paths = 0
        """The number of paths; their statements bound it."""
        self._steps = 0
        self._work = 0

    def step(self) -> None:
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise Refused("the program runs more than {} statements{}".format(MAX_STEPS, self._ways()))

    def operation(self, before: Branches, after: Branches) -> None:
        if sum(branch.rows.size for branch in after) > MAX_HELD:
            raise Refused("its measurements leave more states of so many qubits than can be simulated")
        kept = {id(branch.rows) for branch in before}
        self._work += sum(branch.rows.size for branch in after if id(branch.rows) not in kept)
        if self._work > MAX_WORK:
            raise Refused("these are more operations on so many qubits than can be simulated" + self._ways())

    def _ways(self) -> str:
        if self.paths == 1:
            return ""
        return ", on the {} ways that it took through its measurements so far".format(self.paths)


class Ended(Exception):  # noqa: N818
    """The path is at its end."""


class Variable:
    """A classical variable that is no bit of the memory: a value, or an array of values of the same type.

    `fixed`: it cannot be assigned to.
    """

    def __init__(self, kind: Type, value: Any, *, fixed: bool = False) -> None:
        self.type = kind
        self.value = value
        self.fixed = fixed

    def assign(self, value: Any) -> None:
        """Hold what the type makes of a value. Raises `Refused`."""
        new = self.filled(self.value, value)
        if isinstance(new, list):
            self.value[:] = new  # in place, for those who have it by reference
        else:
            self.value = new

    def filled(self, old: Any, new: Any) -> Any:
        """`new` as the value of such a variable, or of a part of an array, of the shape of `old`."""
        if not isinstance(old, list):
            return converted(self.type, new)
        if not isinstance(new, list) or len(new) != len(old):
            raise Refused("an array of {} is needed".format(forms.count(len(old), "item")))
        return [self.filled(before, after) for before, after in zip(old, new)]


class Bits(NamedTuple):
    """Classical bits by their slots; `single` for one that is no register."""

    slots: Tuple[int, ...]
    single: bool = False

    @property
    def type(self) -> Type:
        return Type("bit", None if self.single else len(self.slots))


class Qubits(NamedTuple):
    """Qubits by their numbers; `single` for one that is no register."""

    numbers: Tuple[int, ...]
    single: bool = False


class Register(NamedTuple):
    """A register of classical bits of the program as a whole."""

    name: str
    slots: Tuple[int, ...]
    output: bool


class Memory:
    """Names, bits and qubits. `choices`: what the undecided bits are read as, in order; it grows by those read anew.

    `whole`: each qubit is begun entangled with one that nothing touches, so that the state is
    the matrix of the circuit.
    """

    def __init__(self, choices: List[int], budget: Budget, *, whole: bool) -> None:
        self.choices = choices
        self.open: List[List[int]] = []
        """The choices of the paths that turn off this one."""
        self.branches: Branches = [Branch((), np.ones(1, dtype=complex))]
        self.axes: List[int] = []
        """The axis of each qubit."""
        self.registers: List[Register] = []
        self.measured: Dict[int, None] = {}
        """The slots that a measurement was last written to, in order."""
        self.counts: Dict[str, int] = {}
        """How often each operation was applied."""
        self.standard: Optional[str] = None
        """The library whose gates there are, once it is included."""
        self._budget = budget
        self._whole = whole
        self._taken = 0
        self._slots = 0
        self._scopes: List[Dict[str, Any]] = [{}]
        self._bodies = 0
        self._gates = 0
        self._constants = False

    # names

    @property
    def outermost(self) -> bool:
        """Whether what is declared now is known everywhere."""
        return len(self._scopes) == 1

    @contextmanager
    def block(self, names: Optional[Dict[str, Any]] = None) -> Iterator[None]:
        """Within it, names may be declared that are forgotten after it."""
        self._scopes.append({} if names is None else names)
        try:
            yield
        finally:
            self._scopes.pop()

    @contextmanager
    def body(self, names: Dict[str, Any], *, gate: bool = False) -> Iterator[None]:
        """Within it, only these names are known, and those of the program as a whole. `gate`: it is that of a gate."""
        outer = self._scopes
        self._scopes = [outer[0], names]
        self._bodies += 1
        self._gates += gate
        try:
            yield
        finally:
            self._gates -= gate
            self._bodies -= 1
            self._scopes = outer

    @contextmanager
    def constants(self) -> Iterator[None]:
        """Within it, only constants are known, as the value of another one needs it."""
        self._constants = True
        try:
            yield
        finally:
            self._constants = False

    def check_constant(self, name: str) -> None:
        """Raises `Refused` for what is not constant where only constants are known."""
        if self._constants:
            raise Refused("{} is not constant: the value of a constant consists of literals and constants".format(name))

    def insert(self, name: str, what: Any) -> None:
        if name in self._scopes[-1] or name in values.CONSTANTS:
            raise Refused("{} is defined already".format(name))
        if self.standard and self.outermost and name in gates.STANDARD:
            raise Refused("{} is a gate of {} already".format(name, self.standard))
        self._scopes[-1][name] = what

    def find(self, name: str) -> Any:
        return next((scope[name] for scope in reversed(self._scopes) if name in scope), None)

    def lookup(self, name: str) -> Any:
        """What a name stands for.

        In a body there are no qubits of the program as a whole, and in a gate no bits and variables of it.
        """
        found = self.find(name)
        if found is None:
            if name.startswith("$"):
                raise Refused("physical qubits such as {} are not supported: declare a register".format(name))
            raise Refused("{} is not defined".format(name))
        if isinstance(found, Qubits) and self._from_outside(name):
            raise Refused("{} is not known here: the qubits of a gate or a subroutine are its arguments".format(name))
        if isinstance(found, Bits) and self._gates:
            raise Refused("{} is not known here: a gate reads no bits".format(name))
        if not (isinstance(found, Variable) and found.fixed):
            if isinstance(found, Variable) and self._gates and self._from_outside(name):
                raise Refused("{} is not known here: a gate reads constants and its arguments only".format(name))
            self.check_constant(name)
        return found

    def check_changeable(self, name: str) -> None:
        """Raises `Refused` for what is declared outside of the body that is run: it is constant there."""
        if self._from_outside(name):
            raise Refused("{} is declared outside of this subroutine: it is constant in it".format(name))

    def _from_outside(self, name: str) -> bool:
        return bool(self._bodies) and not any(name in scope for scope in self._scopes[1:])

    # bits

    def new_bits(self, size: int, *, single: bool) -> Bits:
        if self._slots + size > MAX_BITS:
            raise Refused("the program has more than {} bits".format(MAX_BITS))
        self._slots += size
        return Bits(tuple(range(self._slots - size, self._slots)), single)

    def write(self, bits: Bits, value: Any) -> None:
        number = converted(bits.type, value).raw
        for place, slot in enumerate(bits.slots):
            self.measured.pop(slot, None)
            settled = exact.settle(self.branches, [slot])
            self._leave(exact.write(settled, slot, [(number >> place) & 1] * len(settled)))

    def read(self, bits: Bits) -> Value:
        number = 0
        for place, slot in enumerate(bits.slots):  # one by one, so that what is not read is never drawn
            settled = exact.settle(self.branches, [slot])
            found = sorted({b.value(slot) or 0 for b in settled})
            if not found:
                raise Ended
            chosen = found[0] if len(found) == 1 else self._chosen()
            self._leave([b for b in settled if (b.value(slot) or 0) == chosen])
            number |= chosen << place
        return Value(bits.type, number)

    def _chosen(self) -> int:
        """The outcome that this path takes; the other one is left for another path."""
        if self._taken == len(self.choices):
            self.open.append([*self.choices, 1])
            self.choices.append(0)
        self._taken += 1
        return self.choices[self._taken - 1]

    # qubits

    def new_qubits(self, size: int, *, single: bool) -> Qubits:
        """More qubits, each in state 0."""
        most = gates.MATRIX_QUBITS if self._whole else forms.MAX_QUBITS
        if len(self.axes) + size > most:
            raise Refused("the program has more than {} qubits: so many cannot be simulated".format(most))
        numbers = tuple(range(len(self.axes), len(self.axes) + size))
        one = np.eye(2) / np.sqrt(2) if self._whole else np.array([1, 0])
        for _ in numbers:
            self.axes.append(self.branches[0].rows.ndim - 1)
            self.branches = [Branch(b.memory, np.asarray(np.multiply.outer(b.rows, one))) for b in self.branches]
        return Qubits(numbers, single)

    def apply(self, matrix: np.ndarray, numbers: Sequence[int], controls: Mapping[int, int]) -> None:
        """A unitary on the qubits of these numbers where each control, by its number, has its value."""
        for number in (*numbers, *controls):  # what was measured of them is drawn one by one, and bounded
            self._leave(exact.touch(self.branches, [self.axes[number]]))
        axes = {self.axes[number]: value for number, value in controls.items()}
        self._leave(exact.controlled(self.branches, matrix, [self.axes[number] for number in numbers], axes))

    def measure(self, source: Qubits, target: Bits) -> None:
        if self._gates:
            raise Refused("a gate measures nothing")
        if len(source.numbers) != len(target.slots):
            words = forms.count(len(source.numbers), "qubit"), forms.count(len(target.slots), "bit")
            raise Refused("{} cannot be measured into {}".format(*words))
        for number, slot in zip(source.numbers, target.slots):
            self.count("measure")
            self._leave(exact.measure(self.branches, self.axes[number], slot))
            self.measured[slot] = None

    def reset(self, qubits: Qubits) -> None:
        if self._gates:
            raise Refused("a gate resets nothing")
        for number in qubits.numbers:
            self.count("reset")
            self._leave(exact.reset(self.branches, self.axes[number]))

    def matrix(self, size: int, run: Callable[[Sequence[int]], None]) -> Tuple[np.ndarray, Dict[str, int]]:
        """What `run` does to so many qubits, whose numbers it is given, and how often it applies each operation.

        As a matrix, the first qubit most significant; it is run on qubits of its own.
        """
        kept = self.branches, self.axes, self.counts
        self.branches, self.axes, self.counts = exact.basis(size), list(range(size)), {}
        try:
            run(range(size))
            ((_, rows),) = self.branches
            return np.asarray(rows.reshape(1 << size, 1 << size) * np.sqrt(1 << size)), self.counts
        finally:
            self.branches, self.axes, self.counts = kept

    def _leave(self, branches: Branches) -> None:
        self._budget.operation(self.branches, branches)
        self.branches = branches

    def count(self, name: str, times: int = 1) -> None:
        self.counts[name] = self.counts.get(name, 0) + times
