"""Exact evolution of a Qiskit circuit: gates, measurements, resets, conditions and control flow."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Tuple

import numpy as np
from qiskit.circuit import ControlFlowOp, QuantumCircuit

from . import exact, forms
from .exact import Branches
from .forms import Unreadable
from .qiskit_classical import evaluate, is_variable, sources
from .qiskit_matrices import kraus_operators, matrix_of

MAX_ITERATIONS = 1000
"""The maximum number of iterations of a while loop; longer loops count as endless."""

IGNORED = ("barrier", "delay")
SAVING = ("save_", "snapshot")
"""Prefixes of the names of simulator instructions that save data without changing the quantum state."""

Flow = Dict[Optional[str], Branches]
"""The branches that left a block of the circuit, keyed by the reason for leaving: "break" or "continue" for branches
that executed this instruction, or None for branches that reached the end of the block."""


class Runner:
    """Executes a circuit. `axes`: the array axis of each simulated qubit."""

    def __init__(self, circuit: QuantumCircuit, axes: Mapping[Any, int]) -> None:
        self._circuit = circuit
        self._axes = dict(axes)
        self.slots: Dict[Any, int] = {bit: i for i, bit in enumerate(circuit.clbits)}

    def run(self, branches: Branches) -> Branches:
        bits = {bit: self.slots[bit] for bit in self._circuit.clbits}
        flow = self._block(self._circuit, self._axes, bits, branches)
        return [branch for part in flow.values() for branch in part]

    def _block(
        self, circuit: QuantumCircuit, axes: Mapping[Any, int], bits: Mapping[Any, int], branches: Branches
    ) -> Flow:
        left: Flow = {}
        phase = complex(np.exp(1j * float(circuit.global_phase)))
        if phase != 1:
            branches = exact.apply(branches, np.array([[phase]]), [])
        for step in circuit.data:
            if not branches:
                break
            operation = step.operation
            if operation.name in IGNORED or operation.name.startswith(SAVING):
                continue
            flow = self._step(operation, [axes[q] for q in step.qubits], [bits[c] for c in step.clbits], bits, branches)
            branches = flow.pop(None, [])
            left = _join(left, flow)
        left[None] = branches
        return left

    def _step(
        self, operation: Any, axes: Sequence[int], targets: Sequence[int], bits: Mapping[Any, int], branches: Branches
    ) -> Flow:
        if operation.name in ("break_loop", "continue_loop"):
            return {operation.name[: -len("_loop")]: branches}
        if isinstance(operation, ControlFlowOp):
            return self._control_flow(operation, axes, targets, bits, branches)
        condition = getattr(operation, "condition", None)
        if condition is None:
            return {None: self._plain(operation, axes, targets, bits, branches)}
        hit, missed = self._where(condition, bits, branches)
        return {None: self._plain(operation, axes, targets, bits, hit) + missed}

    def _plain(
        self, operation: Any, axes: Sequence[int], targets: Sequence[int], bits: Mapping[Any, int], branches: Branches
    ) -> Branches:
        name = operation.name
        if name == "measure":
            return exact.measure(branches, axes[0], targets[0])
        if name == "reset":
            return exact.reset(branches, axes[0])
        if name == "store":
            return self._store(operation, bits, branches)
        if name in ("kraus", "superop", "quantum_channel"):
            return exact.channel(branches, kraus_operators(operation), axes[::-1])
        matrix = matrix_of(operation)
        if matrix is not None:
            return exact.apply(branches, matrix, axes[::-1])  # the last qubit is most significant
        inner = operation.definition
        flow = self._block(inner, dict(zip(inner.qubits, axes)), dict(zip(inner.clbits, targets)), branches)
        return flow.pop(None)

    def _control_flow(
        self, op: Any, axes: Sequence[int], targets: Sequence[int], bits: Mapping[Any, int], branches: Branches
    ) -> Flow:
        def body(block: QuantumCircuit, inside: Branches) -> Flow:
            inner = {**bits, **dict(zip(block.clbits, targets))}
            return self._block(block, dict(zip(block.qubits, axes)), inner, inside)

        if op.name == "for_loop":
            return self._for_loop(op, body, branches)
        if op.name == "while_loop":
            return self._while_loop(op, body, bits, branches)
        if op.name == "switch_case":
            return self._switch(op, body, bits, branches)
        if op.name == "if_else":
            hit, missed = self._where(op.condition, bits, branches)
            then, otherwise = (*op.blocks, None)[:2]
            return _join(body(then, hit), {None: missed} if otherwise is None else body(otherwise, missed))
        flow: Flow = {None: branches}
        for block in op.blocks:
            flow = _join({how: part for how, part in flow.items() if how}, body(block, flow.get(None, [])))
        return flow

    def _for_loop(self, op: Any, body: Any, branches: Branches) -> Flow:
        indices, parameter, block = op.params
        left: Branches = []
        for index in indices:
            bound = block
            if parameter is not None and parameter in getattr(block, "parameters", ()):
                bound = block.assign_parameters({parameter: index})
            elif is_variable(parameter):
                branches = exact.write(branches, self._slot(parameter), [int(index)] * len(branches))
            flow = body(bound, branches)
            left += flow.pop("break", [])
            branches = flow.pop(None, []) + flow.pop("continue", [])
        return {None: branches + left}

    def _while_loop(self, op: Any, body: Any, bits: Mapping[Any, int], branches: Branches) -> Flow:
        done: Branches = []
        for _ in range(MAX_ITERATIONS):
            branches, ended = self._where(op.condition, bits, branches)
            done += ended
            if not branches:
                return {None: done}
            flow = body(op.blocks[0], branches)
            done += flow.pop("break", [])
            branches = flow.pop(None, []) + flow.pop("continue", [])
        raise Unreadable("a while loop in the circuit does not end within {} iterations".format(MAX_ITERATIONS))

    def _switch(self, op: Any, body: Any, bits: Mapping[Any, int], branches: Branches) -> Flow:
        out: Flow = {}
        branches, scope = self._settled(op.target, bits, branches)
        for labels, block in op.cases_specifier():
            everything = any(not isinstance(label, (int, np.integer)) for label in labels)  # CASE_DEFAULT
            hit = [b for b in branches if everything or evaluate(op.target, b, scope) in labels]
            branches = [b for b in branches if not any(b is taken for taken in hit)]
            out = _join(out, body(block, hit))
        return _join(out, {None: branches})

    def _store(self, operation: Any, bits: Mapping[Any, int], branches: Branches) -> Branches:
        branches, scope = self._settled(operation.rvalue, bits, branches)
        target = operation.lvalue
        slots = [self._slot(target)] if is_variable(target) else sources(target, scope)
        branches = exact.settle(branches, slots)
        values = [evaluate(operation.rvalue, branch, scope) for branch in branches]
        if is_variable(target):
            return exact.write(branches, slots[0], values)
        out: Branches = []
        for branch, value in zip(branches, values):
            for i, slot in enumerate(slots):
                branch = branch.write(slot, (value >> i) & 1)  # noqa: PLW2901
            out.append(branch)
        return out

    def _slot(self, variable: Any) -> int:
        return self.slots.setdefault(variable, len(self.slots))

    def _settled(
        self, condition: Any, bits: Mapping[Any, int], branches: Branches
    ) -> Tuple[Branches, Mapping[Any, int]]:
        scope = {**self.slots, **bits}
        return exact.settle(branches, sources(condition, scope)), scope

    def _where(self, condition: Any, bits: Mapping[Any, int], branches: Branches) -> Tuple[Branches, Branches]:
        scope = {**self.slots, **bits}
        return exact.partition(
            branches, sources(condition, scope), lambda branch: bool(evaluate(condition, branch, scope))
        )


def _join(*flows: Flow) -> Flow:
    out: Flow = {}
    for flow in flows:
        for how, part in flow.items():
            out[how] = out.get(how, []) + part
    return out


def final_rows(circuit: QuantumCircuit, order: Sequence[int], start: np.ndarray) -> np.ndarray:
    """Return the unnormalised final states of a circuit, one state per row.

    `start`: the initial amplitudes, with one row per basis state of the circuit's qubits. The first qubit of `order` is
    the least significant bit of the row number. The columns of `start` correspond to the basis states of additional
    qubits, on which the circuit does not act. Measured bits are discarded.
    """
    size = len(order)
    runner = Runner(circuit, {circuit.qubits[qubit]: size - 1 - place for place, qubit in enumerate(order)})
    others = (2,) * (start.size.bit_length() - 1 - size)
    branches = runner.run([exact.Branch((), start.reshape((1,) + (2,) * size + others))])
    return np.concatenate([branch.rows for branch in exact.settle(branches, range(len(runner.slots)))])


def free_parameters(circuit: QuantumCircuit) -> Set[Any]:
    """Return the parameters without a value, excluding those of for loops, which Qiskit before 1.0 also lists."""
    return set(circuit.parameters) - _loop_parameters(circuit)


def _loop_parameters(circuit: QuantumCircuit) -> Set[Any]:
    found: Set[Any] = set()
    for operation in (step.operation for step in circuit.data if isinstance(step.operation, ControlFlowOp)):
        found |= {operation.params[1]} if operation.name == "for_loop" else set()
        found = found.union(*(_loop_parameters(block) for block in operation.blocks))
    return found


def used_qubits(circuit: QuantumCircuit) -> List[Any]:
    used = {q for step in circuit.data if step.operation.name not in IGNORED for q in step.qubits}
    forms.check_size(len(used))
    return [q for q in circuit.qubits if q in used]
