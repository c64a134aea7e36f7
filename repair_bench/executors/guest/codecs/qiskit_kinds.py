"""Convert Qiskit's circuits and gates to QPY, and its states, operators and results to plain data.

Only the current version of QPY is read, because reading older versions could run code (CVE-2025-2000).
"""

from __future__ import annotations

import contextlib
import importlib
import io
import math
import uuid
import zlib
from typing import Any, Callable, Dict, List, Tuple

import numpy as np
from qiskit import qpy, quantum_info
from qiskit.circuit import (
    ClassicalRegister,
    Clbit,
    Gate,
    Instruction,
    Operation,
    Parameter,
    ParameterExpression,
    ParameterVector,
    QuantumCircuit,
    QuantumRegister,
    Qubit,
)
from qiskit.circuit.library import UnitaryGate
from qiskit.circuit.parametervector import ParameterVectorElement
from qiskit.converters import circuit_to_dag, dag_to_circuit
from qiskit.dagcircuit import DAGCircuit
from qiskit.result import Counts, ProbDistribution, QuasiDistribution
from qiskit.synthesis import MatrixExponential
from qiskit.transpiler import CouplingMap

from ..kinds import CannotCross, Family, Kind, by_parts, kinds_of
from .qiskit_circuits import accepted, by_definition, is_standard, with_operations

MAGIC = b"QISKIT"
GATE = "gate"
"""The name of every circuit that wraps a gate for transfer. Without this name, Qiskit would choose a new name for each
circuit."""
VERSION: int = qpy.common.QPY_VERSION
MAX_BYTES = 64 << 20
"""The maximum size of QPY data after decompression. Without this limit, a short message could contain a huge circuit,
because repeated gates compress well."""
MAX_BITS = 10_000
"""The maximum size of a register, so that a short message cannot create a huge register."""
PARTS = ("primitives_kinds", "transpiler_kinds")
"""Modules that convert further classes of Qiskit. A module is skipped if the installed version of Qiskit lacks the
module's classes."""

MatrixExponential.settings = property(lambda _: {})  # QPY reads settings that this version lacks


def exact() -> Dict[type, Kind]:
    info = quantum_info
    found: Dict[type, Kind] = {
        info.Statevector: by_data(info.Statevector, ["dims"]),
        info.DensityMatrix: by_data(info.DensityMatrix, ["dims"]),
        info.Pauli: Kind("Pauli", lambda value: value.to_label(), info.Pauli),
        info.PauliList: Kind("PauliList", lambda value: value.to_labels(), info.PauliList),
        info.SparsePauliOp: by_parts(
            info.SparsePauliOp, lambda value: [value.paulis.to_labels(), np.asarray(value.coeffs)]
        ),
        info.Clifford: Kind("Clifford", lambda value: value.tableau, info.Clifford),
        info.StabilizerState: Kind("StabilizerState", lambda value: value.clifford, info.StabilizerState),
        info.CNOTDihedral: Kind("CNOTDihedral", lambda value: value.to_circuit(), info.CNOTDihedral),
        info.ScalarOp: by_parts(info.ScalarOp, lambda value: [tuple(value.input_dims()), complex(value.coeff)]),
        Parameter: Kind(
            "Parameter",
            lambda value: [value.name, str(value.uuid)],
            lambda parts: Parameter(parts[0], uuid=uuid.UUID(parts[1])),
        ),
        ParameterVectorElement: Kind("element", _expression_parts, _expression),
        ParameterExpression: Kind("ParameterExpression", _expression_parts, _expression),
        ParameterVector: Kind("ParameterVector", lambda value: [value.name, _in_gates(*value)], _vector),
        DAGCircuit: Kind("DAGCircuit", dag_to_circuit, circuit_to_dag),
        CouplingMap: Kind(
            "CouplingMap",
            lambda value: [list(value.physical_qubits), [list(edge) for edge in value.get_edges()]],
            _coupling_map,
        ),
        Counts: Kind("Counts", lambda value: {key: int(n) for key, n in value.items()}, Counts),
    }
    for kind in (info.Operator, info.Choi, info.SuperOp, info.Chi, info.PTM):
        found[kind] = by_data(kind, ["input_dims", "output_dims"])
    for kind in (QuasiDistribution, ProbDistribution):
        found[kind] = Kind(kind.__name__, lambda value: {int(key): float(p) for key, p in value.items()}, kind)
    for kind in (QuantumRegister, ClassicalRegister):
        found[kind] = Kind(
            kind.__name__,
            lambda value: [value.size, value.name],
            lambda parts, kind=kind: kind(_size(parts[0]), parts[1]),  # type: ignore[misc]
        )
    for kind in (Qubit, Clbit):
        found[kind] = Kind(kind.__name__, _bit_parts, lambda parts: parts[0][parts[1]])
    for kind in (info.Kraus, info.Stinespring):
        found[kind] = by_data(kind, ["input_dims", "output_dims"], lambda value: value.data)
    for kinds, _ in _parts():
        found.update(kinds)
    return found


def families() -> List[Family]:
    return [
        (lambda value: isinstance(value, QuantumCircuit), Kind("circuit", to_qpy, _from_qpy)),
        (
            lambda value: isinstance(value, (Instruction, Operation)),
            Kind("gate", _around, lambda data: _from_qpy(data).data[0].operation),
        ),
        *(family for _, more in _parts() for family in more),
    ]


def _parts() -> List[Tuple[Dict[type, Kind], List[Family]]]:
    found = []
    for name in PARTS:
        with contextlib.suppress(ImportError, AttributeError):
            found.append(kinds_of(importlib.import_module("." + name, __package__)))
    return found


def by_data(
    kind: Callable[..., Any], names: List[str], data: Callable[[Any], Any] = lambda value: np.asarray(value.data)
) -> Kind:
    """Return a `Kind` that converts an object to its data and dimensions.

    `names`: the methods that return the dimensions.
    """
    return Kind(
        kind.__name__,
        lambda value: [data(value), *(list(getattr(value, name)()) for name in names)],
        lambda parts: kind(parts[0], **{name: tuple(dims) for name, dims in zip(names, parts[1:])}),
    )


def to_qpy(*circuits: Any) -> bytes:
    file = io.BytesIO()
    qpy.dump([_readable(circuit) for circuit in circuits], file)
    return zlib.compress(file.getvalue(), 1)


def _readable(circuit: Any) -> Any:
    """Replace each gate that QPY cannot restore with the gate's definition.

    QPY restores the class and the angles of a library gate. QPY does not restore constructor arguments that are not
    angles, such as the arguments of FullAdderGate, AndGate and C4XGate.
    """
    return with_operations(circuit, _readable_operation)


def _readable_operation(operation: Any) -> Any:
    if is_standard(operation) or type(operation) is UnitaryGate:  # defining a matrix as gates takes seconds
        return operation
    if getattr(operation, "definition", None) is None:
        return operation
    plain = type(operation) in (Gate, Instruction)
    if not plain and _comes_back(operation):
        return operation
    definition = _readable(operation.definition)
    if plain and definition is operation.definition:
        return operation
    return by_definition(operation, operation.name, [], definition)


def _comes_back(operation: Any) -> bool:
    circuit = QuantumCircuit(operation.num_qubits, operation.num_clbits)
    circuit.append(operation, range(operation.num_qubits), range(operation.num_clbits), copy=False)
    file = io.BytesIO()
    try:
        qpy.dump([circuit], file)
        file.seek(0)
        (found,) = qpy.load(file)
    except Exception:
        return False
    again = found.data[0].operation
    same = again == operation or again.definition == operation.definition
    return type(again) is type(operation) and bool(same)


def circuits_from_qpy(packed: bytes) -> List[Any]:
    data = zlib.decompressobj().decompress(packed, MAX_BYTES)
    if data[: len(MAGIC)] != MAGIC or data[len(MAGIC)] != VERSION:
        raise CannotCross("the data is not QPY of version %d" % VERSION)
    return list(map(accepted, qpy.load(io.BytesIO(data))))


def _from_qpy(data: bytes) -> Any:
    (circuit,) = circuits_from_qpy(data)
    return circuit


def _around(operation: Any) -> bytes:
    circuit = QuantumCircuit(operation.num_qubits, operation.num_clbits, name=GATE)
    circuit.append(operation, range(operation.num_qubits), range(operation.num_clbits))
    return to_qpy(circuit)


def _size(size: Any) -> int:
    if not isinstance(size, int) or size > MAX_BITS:
        raise CannotCross("the size of a register is not supported: %s bits" % size)
    return size


def _in_gates(*expressions: Any) -> bytes:
    circuit = QuantumCircuit(1, name=GATE)
    for expression in expressions:
        circuit.rz(expression, 0)
    return to_qpy(circuit)


def _expression_parts(value: Any) -> Any:
    if value.parameters:
        return _in_gates(value)
    number = complex(value)
    return number if number.imag or math.isnan(number.imag) else number.real


def _expression(parts: Any) -> Any:
    if isinstance(parts, bytes):
        return _from_qpy(parts).data[0].operation.params[0]
    nothing = Parameter("_")
    return (nothing * 1).bind({nothing: parts})


def _vector(parts: Any) -> Any:
    name, data = parts
    elements = [instruction.operation.params[0] for instruction in _from_qpy(data).data]
    return elements[0].vector if elements else ParameterVector(name, 0)


def _bit_parts(bit: Any) -> List[Any]:
    register = getattr(bit, "_register", None)
    if register is None:
        raise CannotCross("a bit has no register")
    return [register, bit._index]


def _coupling_map(parts: Any) -> Any:
    qubits, edges = parts
    found = CouplingMap()
    for qubit in qubits:
        found.add_physical_qubit(qubit)
    for edge in edges:
        found.add_edge(*edge)
    return found
