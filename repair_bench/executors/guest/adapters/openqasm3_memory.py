"""The memory of one path through an OpenQASM 3 program: names, variables, bits and the state of the qubits.

The value of a measured bit stays open until the program reads the bit, because the simulation defers measurements (see
`exact`). When the program reads a measured bit, the path continues with one of the two outcomes, 0 or 1. If both
outcomes are possible, the outcome that was not selected is simulated on a separate path.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import exact, forms
from . import openqasm3_gates as gates
from . import openqasm3_values as values
from .exact import Branch, Branches
from .openqasm3_errors import Refused
from .openqasm3_values import Type, Value, converted

MAX_BITS = 4096
"""The maximum total number of classical bits in a program, summed over all registers and inputs."""
MAX_STEPS = 100_000
"""The maximum number of executed statements and loop iterations."""
MAX_WORK = 1 << 29
"""The maximum number of amplitudes that a program may compute. Applying a gate means computing all amplitudes of a
state."""
MAX_HELD = 1 << 24
"""The maximum number of amplitudes that are stored at once while one path through the program is simulated."""


class Budget:
    """Counts the total work for simulating all paths through a program. The methods raise `Refused` if a limit is
    exceeded.

    Work is measured in operations, not in seconds, so the limits have the same effect on every machine.
    """

    def __init__(self) -> None:
        self.paths = 0
        """The number of paths simulated so far. Paths have no separate limit, because `MAX_STEPS` limits all paths
        together."""
        self._steps = 0
        self._work = 0

    def step(self) -> None:
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise Refused("the program runs more than {} statements{}".format(MAX_STEPS, self._ways()))

    def operation(self, before: Branches, after: Branches) -> None:
        if sum(branch.rows.size for branch in after) > MAX_HELD:
            raise Refused("too many measurement branches to simulate on this number of qubits")
        kept = {id(branch.rows) for branch in before}
        self._work += sum(branch.rows.size for branch in after if id(branch.rows) not in kept)
        if self._work > MAX_WORK:
            raise Refused("too many operations to simulate on this number of qubits" + self._ways())

    def _ways(self) -> str:
        return "" if self.paths == 1 else " in {} measurement branches".format(self.paths)


class Ended(Exception):  # noqa: N818
    """Raised to end one path through a program."""


@dataclass
class Variable:
    """A classical variable that is not stored as bits: a value, or an array of values of the same type.

    `fixed`: whether assignments are forbidden.
    """

    type: Type
    value: Any
    fixed: bool = False

    def assign(self, value: Any) -> None:
        new = self.filled(self.value, value)
        if isinstance(new, list):
            self.value[:] = new  # in place, so that references to the array remain valid
        else:
            self.value = new

    def filled(self, old: Any, new: Any) -> Any:
        """Convert `new` to this variable's type. Raises `Refused` unless `new` has the same shape as `old`."""
        if not isinstance(old, list):
            return converted(self.type, new)
        if not isinstance(new, list) or len(new) != len(old):
            raise Refused("expected an array of {}".format(forms.count(len(old), "item")))
        return [self.filled(before, after) for before, after in zip(old, new)]


class Bits(NamedTuple):
    """The memory slots of classical bits. `single` is set for a bit that is not in a register."""

    slots: Tuple[int, ...]
    single: bool = False

    @property
    def type(self) -> Type:
        return Type("bit", None if self.single else len(self.slots))


class Qubits(NamedTuple):
    """The numbers that identify qubits. `single` is set for a qubit that is not in a register."""

    numbers: Tuple[int, ...]
    single: bool = False


class Register(NamedTuple):
    """A global register of classical bits."""

    name: str
    slots: Tuple[int, ...]
    output: bool


class Memory:
    """Names, bits and qubits.

    `choices`: the values for undecided bits, in the order in which the bits are read. New values are appended.
    `as_matrix`: whether to compute the circuit's matrix. If `as_matrix` is set, each qubit is entangled with an
    auxiliary qubit when the qubit is declared, so that the final state contains the circuit's matrix.
    """

    def __init__(self, choices: List[int], budget: Budget, *, as_matrix: bool) -> None:
        self.choices = choices
        self.open: List[List[int]] = []
        """One list of values for undecided bits per alternative path. The simulation of an alternative path starts with
        the path's list as `choices`."""
        self.branches: Branches = [Branch((), np.ones(1, dtype=complex))]
        self.axes: List[int] = []
        """The array axis of each qubit."""
        self.registers: List[Register] = []
        self.measured: Dict[int, None] = {}
        """The memory slots whose last write was a measurement, in the order in which the slots were measured."""
        self.counts: Dict[str, int] = {}
        """The number of applications of each operation."""
        self.standard: Optional[str] = None
        """The gate library that the program includes, if any."""
        self.budget = budget
        self._as_matrix = as_matrix
        self._taken = 0
        self._slots = 0
        self._scopes: List[Dict[str, Any]] = [{}]
        self._bodies = 0
        self._gates = 0
        self._constants = False

    # names

    @property
    def outermost(self) -> bool:
        return len(self._scopes) == 1

    @contextmanager
    def block(self, names: Optional[Dict[str, Any]] = None) -> Iterator[None]:
        """Open a scope. Names that are declared in the scope are deleted at the end of the scope."""
        self._scopes.append({} if names is None else names)
        try:
            yield
        finally:
            self._scopes.pop()

    @contextmanager
    def body(self, names: Dict[str, Any], *, gate: bool = False) -> Iterator[None]:
        """Open the scope of a subroutine's body, or of a gate's body if `gate` is set.

        The body can use only the names in `names` and global names.
        """
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
        """Refuse variables in all expressions that are evaluated within this context. A constant's value may depend
        only on literals and other constants.
        """
        self._constants = True
        try:
            yield
        finally:
            self._constants = False

    def check_constant(self, name: str) -> None:
        """Raise `Refused` if a variable is used where only constants are allowed (see `constants`). `name`: the name of
        the variable.
        """
        if self._constants:
            raise Refused("{} is not constant: a constant may depend only on literals and other constants".format(name))

    def insert(self, name: str, meaning: Any) -> None:
        if name in self._scopes[-1] or name in values.CONSTANTS:
            raise Refused("{} is already defined".format(name))
        if self.standard and self.outermost and name in gates.STANDARD:
            raise Refused("{} is already defined as a gate in {}".format(name, self.standard))
        self._scopes[-1][name] = meaning

    def find(self, name: str) -> Any:
        return next((scope[name] for scope in reversed(self._scopes) if name in scope), None)

    def lookup(self, name: str) -> Any:
        """Return the object to which a name refers.

        The body of a gate or subroutine cannot use global qubits. The body of a gate can use neither global variables
        nor bits.
        """
        found = self.find(name)
        if found is None:
            if name.startswith("$"):
                raise Refused("physical qubits such as {} are not supported: declare a register".format(name))
            raise Refused("{} is not defined".format(name))
        if isinstance(found, Qubits) and self._from_outside(name):
            raise Refused(
                "{} is not accessible here: a gate or subroutine can use only its own qubit arguments".format(name)
            )
        if isinstance(found, Bits) and self._gates:
            raise Refused("{} is not accessible here: a gate cannot read bits".format(name))
        if not (isinstance(found, Variable) and found.fixed):
            if isinstance(found, Variable) and self._gates and self._from_outside(name):
                raise Refused(
                    "{} is not accessible here: a gate can read only constants and its arguments".format(name)
                )
            self.check_constant(name)
        return found

    def check_changeable(self, name: str) -> None:
        """Raise `Refused` if `name` is declared outside the current body and therefore cannot be changed inside it."""
        if self._from_outside(name):
            raise Refused("{} is declared outside this subroutine and cannot be changed inside it".format(name))

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
        for place, slot in enumerate(bits.slots):  # one by one, so that the values of unread bits are never drawn
            settled = exact.settle(self.branches, [slot])
            found = sorted({b.value(slot) or 0 for b in settled})
            if not found:
                raise Ended
            chosen = found[0] if len(found) == 1 else self._chosen()
            self._leave([b for b in settled if (b.value(slot) or 0) == chosen])
            number |= chosen << place
        return Value(bits.type, number)

    def _chosen(self) -> int:
        if self._taken == len(self.choices):
            self.open.append([*self.choices, 1])
            self.choices.append(0)
        self._taken += 1
        return self.choices[self._taken - 1]

    # qubits

    def new_qubits(self, size: int, *, single: bool) -> Qubits:
        limit = gates.MATRIX_QUBITS if self._as_matrix else forms.MAX_QUBITS
        if len(self.axes) + size > limit:
            raise Refused("the program has more than {} qubits, the maximum that can be simulated".format(limit))
        numbers = tuple(range(len(self.axes), len(self.axes) + size))
        one = np.eye(2) / np.sqrt(2) if self._as_matrix else np.array([1, 0])
        for _ in numbers:
            self.axes.append(self.branches[0].rows.ndim - 1)
            self.branches = [Branch(b.memory, np.asarray(np.multiply.outer(b.rows, one))) for b in self.branches]
        return Qubits(numbers, single)

    def apply(self, matrix: np.ndarray, numbers: Sequence[int], controls: Mapping[int, int]) -> None:
        """Apply a unitary to the qubits with these numbers, controlled on the required value of each control qubit."""
        for number in (*numbers, *controls):  # draw the outcomes of the qubits one by one, within the limits
            self._leave(exact.touch(self.branches, [self.axes[number]]))
        axes = {self.axes[number]: value for number, value in controls.items()}
        self._leave(exact.controlled(self.branches, matrix, [self.axes[number] for number in numbers], axes))

    def measure(self, source: Qubits, target: Bits) -> None:
        if self._gates:
            raise Refused("a gate cannot contain a measurement")
        if len(source.numbers) != len(target.slots):
            words = forms.count(len(source.numbers), "qubit"), forms.count(len(target.slots), "bit")
            raise Refused("{} cannot be measured into {}".format(*words))
        for number, slot in zip(source.numbers, target.slots):
            self.count("measure")
            self._leave(exact.measure(self.branches, self.axes[number], slot))
            self.measured[slot] = None

    def reset(self, qubits: Qubits) -> None:
        if self._gates:
            raise Refused("a gate cannot contain a reset")
        for number in qubits.numbers:
            self.count("reset")
            self._leave(exact.reset(self.branches, self.axes[number]))

    def matrix(self, size: int, run: Callable[[Sequence[int]], None]) -> Tuple[np.ndarray, Dict[str, int]]:
        """Return the matrix and the operation counts of the gates that `run` applies.

        In the indices of the matrix, the first qubit is the most significant bit.
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
        self.budget.operation(self.branches, branches)
        self.branches = branches

    def count(self, name: str, times: int = 1) -> None:
        self.counts[name] = self.counts.get(name, 0) + times
