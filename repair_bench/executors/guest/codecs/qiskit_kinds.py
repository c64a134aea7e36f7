"""Qiskit's circuits and gates by QPY, its states, operators and results by their data.

QPY is read in the current version only: reading older ones could run code (CVE-2025-2000).
"""

from __future__ import annotations

import io
import uuid
from typing import Any, Callable, Dict, List

import numpy as np
from qiskit import primitives, qpy, quantum_info
from qiskit.circuit import (
    ClassicalRegister,
    Clbit,
    Instruction,
    Operation,
    Parameter,
    QuantumCircuit,
    QuantumRegister,
    Qubit,
)
from qiskit.converters import circuit_to_dag, dag_to_circuit
from qiskit.dagcircuit import DAGCircuit
from qiskit.result import Counts, ProbDistribution, QuasiDistribution
from qiskit.transpiler import CouplingMap

from ..codec import CannotCross, Family, Kind

MAGIC = b"QISKIT"
GATE = "gate"
"""The name of the circuit that a gate travels in: the one that Qiskit would give is another each time."""
VERSION: int = qpy.common.QPY_VERSION


def exact() -> Dict[type, Kind]:
    info = quantum_info
    found: Dict[type, Kind] = {
        info.Statevector: _by_data(info.Statevector, ["dims"]),
        info.DensityMatrix: _by_data(info.DensityMatrix, ["dims"]),
        info.Pauli: Kind("Pauli", lambda value: value.to_label(), info.Pauli),
        info.PauliList: Kind("PauliList", lambda value: value.to_labels(), info.PauliList),
        info.SparsePauliOp: Kind(
            "SparsePauliOp",
            lambda value: [value.paulis.to_labels(), np.asarray(value.coeffs)],
            lambda parts: info.SparsePauliOp(*parts),
        ),
        info.Clifford: Kind("Clifford", lambda value: value.tableau, info.Clifford),
        info.StabilizerState: Kind("StabilizerState", lambda value: value.clifford, info.StabilizerState),
        info.CNOTDihedral: Kind("CNOTDihedral", lambda value: value.to_circuit(), info.CNOTDihedral),
        info.ScalarOp: Kind(
            "ScalarOp",
            lambda value: [list(value.input_dims()), complex(value.coeff)],
            lambda parts: info.ScalarOp(tuple(parts[0]), parts[1]),
        ),
        Parameter: Kind(
            "Parameter",
            lambda value: [value.name, str(value.uuid)],
            lambda parts: Parameter(parts[0], uuid=uuid.UUID(parts[1])),
        ),
        DAGCircuit: Kind("DAGCircuit", dag_to_circuit, circuit_to_dag),
        CouplingMap: Kind(
            "CouplingMap",
            lambda value: [list(value.physical_qubits), [list(edge) for edge in value.get_edges()]],
            _coupling_map,
        ),
        Counts: Kind("Counts", lambda value: {key: int(n) for key, n in value.items()}, Counts),
    }
    for kind in (info.Operator, info.Choi, info.SuperOp, info.Chi, info.PTM):
        found[kind] = _by_data(kind, ["input_dims", "output_dims"])
    for kind in (QuasiDistribution, ProbDistribution):
        found[kind] = Kind(kind.__name__, lambda value: {int(key): float(p) for key, p in value.items()}, kind)
    for kind in (QuantumRegister, ClassicalRegister):
        found[kind] = Kind(
            kind.__name__,
            lambda value: [value.size, value.name],
            lambda parts, kind=kind: kind(*parts),  # type: ignore[misc]
        )
    for kind in (Qubit, Clbit):
        found[kind] = Kind(kind.__name__, _bit_apart, lambda parts: parts[0][parts[1]])
    bit_array = getattr(primitives, "BitArray", None)
    if bit_array is not None:  # absent before Qiskit 1.0
        found[bit_array] = Kind(
            "BitArray", lambda value: [value.array, value.num_bits], lambda parts: bit_array(*parts)
        )
    return found


def families() -> List[Family]:
    return [
        (lambda value: isinstance(value, QuantumCircuit), Kind("circuit", _to_qpy, _from_qpy)),
        (
            lambda value: isinstance(value, (Instruction, Operation)),
            Kind("gate", _around, lambda data: _from_qpy(data).data[0].operation),
        ),
    ]


def _by_data(kind: Callable[..., Any], names: List[str]) -> Kind:
    """A kind made of its `data`, an array, and the dimensions that these attributes tell."""
    return Kind(
        kind.__name__,
        lambda value: [np.asarray(value.data), *(list(getattr(value, name)()) for name in names)],
        lambda parts: kind(parts[0], **{name: tuple(dims) for name, dims in zip(names, parts[1:])}),
    )


def _to_qpy(circuit: Any) -> bytes:
    file = io.BytesIO()
    qpy.dump(circuit, file)
    return file.getvalue()


def _from_qpy(data: bytes) -> Any:
    if data[: len(MAGIC)] != MAGIC or data[len(MAGIC)] != VERSION:
        raise CannotCross("not QPY of version %d" % VERSION)
    (circuit,) = qpy.load(io.BytesIO(data))
    return circuit


def _around(operation: Any) -> bytes:
    circuit = QuantumCircuit(operation.num_qubits, operation.num_clbits, name=GATE)
    circuit.append(operation, range(operation.num_qubits), range(operation.num_clbits))
    return _to_qpy(circuit)


def _bit_apart(bit: Any) -> List[Any]:
    register = getattr(bit, "_register", None)
    if register is None:
        raise CannotCross("a bit of no register")
    return [register, bit._index]  # noqa: SLF001 - as Qiskit's own code does


def _coupling_map(parts: Any) -> Any:
    qubits, edges = parts
    found = CouplingMap()
    for qubit in qubits:
        found.add_physical_qubit(qubit)
    for edge in edges:
        found.add_edge(*edge)
    return found
