"""Observe the value that a Qiskit candidate returns.

Bits are in Qiskit's order. The last classical bit is the first character of a key, and the last qubit is the most
significant bit of a state or matrix index. A key consists of the whole classical memory, without spaces between
registers. If a circuit has no measurements, all its qubits are measured.
"""

from __future__ import annotations

import functools
import importlib.util
import random
import sys
from typing import Any, Callable, List, Optional, Tuple

import numpy as np
from qiskit.circuit import Instruction, QuantumCircuit
from qiskit.quantum_info import DensityMatrix, Operator, Statevector

from . import exact, forms, observed, plain, qiskit_gates
from .forms import Observation, Unreadable
from .qiskit_run import Runner, free_parameters, used_qubits

PRELOAD: Tuple[str, ...] = (
    "numpy",
    "qiskit",
    "qiskit.circuit.library",
    "qiskit.qpy",
    "qiskit.quantum_info",
    # imports of Qiskit and of common programs, if installed
    *(name for name in ("scipy", "qiskit_aer") if importlib.util.find_spec(name)),
    *(("scipy.linalg", "scipy.sparse") if importlib.util.find_spec("scipy") else ()),
)
EXTRA_PRELOAD: Tuple[str, ...] = (
    # each takes a second to import, and doubles the memory that a fork copies
    *(name for name in ("qiskit_ibm_runtime", "matplotlib") if importlib.util.find_spec(name)),
    *(("matplotlib.pyplot",) if importlib.util.find_spec("matplotlib") else ()),
)


def seed(value: int) -> None:
    """Make samples reproducible by seeding Aer's simulators, which otherwise take seeds from the operating system."""
    aer = sys.modules.get("qiskit_aer.backends.aerbackend")
    if aer is None:
        return
    seeds = random.Random(value)  # noqa: S311 - the seed affects samples, not security
    unseeded_run = getattr(aer.AerBackend.run, "__wrapped__", aer.AerBackend.run)

    @functools.wraps(unseeded_run)
    def run(self: Any, *arguments: Any, **options: Any) -> Any:
        if options.get("seed_simulator") is None and getattr(self.options, "seed_simulator", None) is None:
            options["seed_simulator"] = seeds.getrandbits(31)
        return unseeded_run(self, *arguments, **options)

    aer.AerBackend.run = run


def observe(call: Callable[[], Any], form: str, qubits: Optional[int] = None) -> Observation:
    return forms.observed(call(), lambda value: _read(value, form, qubits))


def _read(value: Any, form: str, qubits: Optional[int]) -> Observation:
    circuit = _circuit(value, form)
    if circuit is not None:
        return _read_circuit(circuit, form, qubits)
    if isinstance(value, (Statevector, DensityMatrix)) and form in ("distribution", "state"):
        if form == "distribution":
            return plain.read(np.asarray(value.probabilities(), dtype=float), form)
        return plain.read(value.data, form)
    if isinstance(value, Operator) and form == "unitary":
        return plain.read(value.data, form)
    shots = None
    if form == "distribution":
        value, shots = _counts(value)
    if value is None:
        raise Unreadable("returned None; a QuantumCircuit was expected")
    return plain.read_any(value, form, lambda part: _read(part, form, qubits), shots=shots)


def _circuit(value: Any, form: str) -> Optional[QuantumCircuit]:
    """Return the circuit that a value represents or contains.

    If `form` is "unitary", a gate is accepted and converted to a circuit.
    """
    if isinstance(value, Instruction) and form == "unitary" and not value.num_clbits:
        circuit = QuantumCircuit(value.num_qubits)
        circuit.append(value, range(value.num_qubits))
        return circuit
    return plain.the_one(value, QuantumCircuit, "circuit")


def _read_circuit(circuit: QuantumCircuit, form: str, qubits: Optional[int]) -> Observation:
    unbound = free_parameters(circuit)
    if unbound:
        names = ", ".join(sorted(parameter.name for parameter in unbound))
        raise Unreadable("the circuit has unbound parameters: {}".format(names))
    if form == "distribution":
        return _distribution(circuit)
    forms.check_width(circuit.num_qubits, qubits)
    if form == "circuit":
        return forms.circuit(circuit.num_qubits, qiskit_gates.listed(circuit))
    axes = {qubit: circuit.num_qubits - 1 - i for i, qubit in enumerate(circuit.qubits)}
    return observed.evolved(Runner(circuit, axes).run, form, len(axes), qiskit_gates.count(circuit))


def _distribution(circuit: QuantumCircuit) -> Observation:
    gates = qiskit_gates.count(circuit)
    used = used_qubits(circuit)
    axes = {qubit: axis for axis, qubit in enumerate(used)}
    runner = Runner(circuit, axes)
    branches = runner.run(exact.start(len(used)))
    if not gates.get("measure"):
        first = len(runner.slots)
        for i, qubit in enumerate(circuit.qubits):
            if qubit in axes:
                branches = exact.measure(branches, axes[qubit], first + i)
        return observed.distribution(branches, range(first, first + circuit.num_qubits)[::-1], gates)
    observation = observed.distribution(branches, range(circuit.num_clbits)[::-1], gates)
    observation["registers"] = _registers(circuit)
    return observation


def _registers(circuit: QuantumCircuit) -> List[List[Any]]:
    """Return the name and the size of each register in printed order, or [] if registers overlap or omit bits."""
    bits = [bit for register in circuit.cregs for bit in register]
    if bits != list(circuit.clbits):
        return []
    return [[register.name, register.size] for register in reversed(circuit.cregs)]


def _counts(value: Any) -> Tuple[Any, Optional[int]]:
    """Convert a Qiskit result to counts or probabilities. For probabilities, also return the number of shots."""
    kind = type(value).__name__
    shots = None
    if kind == "SamplerResult" and len(value.quasi_dists) == 1:
        shots = value.metadata[0].get("shots")
        value, kind = value.quasi_dists[0], "QuasiDistribution"
    if kind == "PrimitiveResult" and len(value) == 1:
        value, kind = value[0], "PubResult"
    if kind in ("PubResult", "SamplerPubResult"):
        value, kind = value.data, "DataBin"
    if kind in ("QuasiDistribution", "ProbDistribution"):
        keys = value.binary_probabilities()
        if len(next(iter(keys), "")) == len(format(max(value, default=0), "b")):
            keys = value  # the number of bits may be unknown: Qiskit derives it from the largest integer
        probabilities = {key: max(p, 0.0) for key, p in zip(keys, value.values())}
        return probabilities, shots or getattr(value, "shots", None)
    if kind == "DataBin":
        return _joined(value), None
    if kind in ("BitArray", "Result", "AerResult"):
        return value.get_counts(), None
    return value, None


def _joined(data: Any) -> List[str]:
    """Return one bit string for each shot in the result of a primitive.

    A bit string contains the bits of all registers, beginning with the last register, as Qiskit prints them.
    """
    names = list(data.keys()) if hasattr(data, "keys") else list(data._FIELDS)  # noqa: SLF001 - in the first releases
    columns = [getattr(data, name).get_bitstrings() for name in names]
    return ["".join(row) for row in zip(*reversed(columns))]
