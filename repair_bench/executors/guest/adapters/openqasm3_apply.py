"""Apply OpenQASM 3 gates, with modifiers. A gate may be defined by the language, by the standard library or by the
program.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Callable, Dict, List, Sequence, Tuple

import numpy as np
from openqasm3 import ast

from . import forms
from . import openqasm3_gates as gates
from .openqasm3_errors import Refused
from .openqasm3_expressions import Expressions
from .openqasm3_memory import Memory, Qubits, Variable
from .openqasm3_values import FLOAT, Value

LIBRARY = "stdgates.inc"


class Gates:
    """Applies gates to the simulated qubits of a program. `run`: a function that runs the body of a gate that the
    program defines.
    """

    def __init__(self, memory: Memory, expressions: Expressions, run: Callable[[Sequence[Any]], None]) -> None:
        self._memory = memory
        self._expressions = expressions
        self._run = run

    def apply(self, node: ast.QuantumGate) -> None:
        if node.duration is not None:
            raise Refused("a gate with a duration is not supported")
        name = node.name.name
        found = self._memory.find(name)
        angles = [self._expressions.angle(argument) for argument in node.arguments]
        registers = [self._expressions.qubits(qubit) for qubit in node.qubits]
        if isinstance(found, ast.QuantumGateDefinition):
            _check_angles(name, angles, len(found.arguments))
            if not node.modifiers:
                for numbers in _broadcast(registers):
                    _check_qubits(name, numbers, len(found.qubits))
                    self._inside(found, angles, numbers)
                return
            self._modified(node, name, *self._matrix(found, angles), registers)
            return
        made = self._built_in(name)
        _check_angles(name, angles, made[0])
        self._modified(node, name, made[1](*angles), {gates.SAME.get(name, name): 1}, registers)

    def check_known(self, name: str) -> None:
        """Raise `Refused` unless `name` is the name of a gate that is already defined."""
        if not isinstance(self._memory.find(name), ast.QuantumGateDefinition):
            self._built_in(name)

    def _built_in(self, name: str) -> gates.Gate:
        if name == "U":
            return 3, gates.u
        found = self._memory.find(name)
        if found is not None:
            raise Refused("{} is not a gate".format(name))
        if name not in gates.STANDARD:
            raise Refused("unknown gate {}: it is defined neither before this line nor in {}".format(name, LIBRARY))
        if not self._memory.standard:
            raise Refused('unknown gate {}: include "{}" first'.format(name, LIBRARY))
        return gates.STANDARD[name]

    def apply_phase(self, node: ast.QuantumPhase) -> None:
        matrix = gates.phase(self._expressions.angle(node.argument))
        registers = [self._expressions.qubits(qubit) for qubit in node.qubits]
        self._modified(node, "gphase", matrix, {"gphase": 1}, registers)

    def _modified(
        self, node: Any, called: str, matrix: np.ndarray, counts: Dict[str, int], registers: Sequence[Qubits]
    ) -> None:
        """Apply a gate with its modifiers, beginning with the innermost modifier.

        `called`: the name of the gate in the program; `counts`: the operation counts of the gate. The matrix of the
        gate does not include controls, because inverting a controlled gate is the same as controlling the inverse gate.
        Likewise, raising a controlled gate to a power is the same as controlling the power of the gate.
        """
        own = len(matrix).bit_length() - 1
        values: List[int] = []
        for modifier in reversed(node.modifiers):
            if modifier.modifier is ast.GateModifierName.inv:
                matrix, counts = matrix.conj().T, gates.renamed(counts, gates.inverse_name)
            elif modifier.modifier is ast.GateModifierName.pow:
                exponent = self._expressions.exponent(modifier.argument)
                matrix, counts = gates.power(matrix, exponent), gates.counts_of_power(counts, exponent)
            else:
                controls = 1 if modifier.argument is None else self._expressions.integer(modifier.argument)
                if not 1 <= controls <= forms.MAX_QUBITS:
                    raise Refused("a gate must have from 1 to {} controls, not {}".format(forms.MAX_QUBITS, controls))
                value = int(modifier.modifier is ast.GateModifierName.ctrl)
                values = [value] * controls + values
                named = partial(gates.controlled_name, controls=controls)
                counts = gates.renamed(counts, named) if value else {"unitary": 1}
        wanted = len(values) + own
        for numbers in _broadcast(registers) if registers or wanted else [()]:
            _check_qubits(called, numbers, wanted)
            for name, times in counts.items():
                self._memory.count(name, times)
            self._memory.apply(matrix, numbers[len(values) :], dict(zip(numbers, values)))

    def _inside(self, made: ast.QuantumGateDefinition, angles: Sequence[float], numbers: Sequence[int]) -> None:
        names: Dict[str, Any] = {
            part.name: Variable(FLOAT, Value(FLOAT, angle), fixed=True) for part, angle in zip(made.arguments, angles)
        }
        names.update({part.name: Qubits((number,), True) for part, number in zip(made.qubits, numbers)})
        with self._memory.body(names, gate=True):
            self._run(made.body)

    def _matrix(self, made: ast.QuantumGateDefinition, angles: Sequence[float]) -> Tuple[np.ndarray, Dict[str, int]]:
        """Return the matrix and the operation counts of a gate that the program defines.

        In the indices of the matrix, the first qubit is the most significant bit.
        """
        size = len(made.qubits)
        if size > gates.MATRIX_QUBITS:
            raise Refused("a gate with modifiers can act on at most {} qubits".format(gates.MATRIX_QUBITS))
        return self._memory.matrix(size, lambda numbers: self._inside(made, angles, numbers))


def _check_angles(name: str, angles: Sequence[float], wanted: int) -> None:
    if len(angles) != wanted:
        raise Refused("{} takes {}, not {}".format(name, forms.count(wanted, "angle"), len(angles)))


def _check_qubits(name: str, numbers: Sequence[int], wanted: int) -> None:
    if len(numbers) != wanted:
        raise Refused("{} acts on {}, not {}".format(name, forms.count(wanted, "qubit"), len(numbers)))
    if len(set(numbers)) != len(numbers):
        raise Refused("{} is applied to the same qubit twice".format(name))


def _broadcast(registers: Sequence[Qubits]) -> List[Tuple[int, ...]]:
    sizes = {len(register.numbers) for register in registers if not register.single}
    if len(sizes) > 1:
        raise Refused("registers have different sizes")
    size = sizes.pop() if sizes else 1
    return [tuple(register.numbers[0 if register.single else i] for register in registers) for i in range(size)]
