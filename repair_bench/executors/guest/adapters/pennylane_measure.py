"""The exact result of a PennyLane circuit: the joint distribution of the bits that it measures."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

import numpy as np
import pennylane as qml

from . import exact, forms, observed, pennylane_gates
from .forms import Observation, Unreadable
from .pennylane_record import Circuit
from .pennylane_run import Runner, wire_order

WORDS = {
    "ProbabilityMP": "probabilities",
    "SampleMP": "samples",
    "CountsMP": "counts",
    "ExpectationMP": "an expectation value",
    "VarianceMP": "a variance",
    "DensityMatrixMP": "a density matrix",
    "VnEntropyMP": "an entropy",
    "PurityMP": "a purity",
}
DISTRIBUTIONS = ("ProbabilityMP", "SampleMP", "CountsMP", "StateMP")


class Readout(NamedTuple):
    """The memory slots that a measurement reads, and a function that converts the bits in these slots to text."""

    slots: List[int]
    printed: Callable[[Tuple[int, ...]], str]


def distribution(circuit: Circuit) -> Observation:
    """Return the distribution of a circuit's measurements, or of all wires if the circuit returns nothing."""
    order = _order(circuit)
    runner = Runner({wire: axis for axis, wire in enumerate(order)})
    branches = runner.run(circuit.tape.operations, exact.start(len(order)))
    readouts: List[Readout] = []
    read: Set[Any] = set()
    rotated: Set[Any] = set()
    for mp in _relevant(circuit.measurements) or [None]:
        wires = _wires(mp, order)
        basis = _diagonalizing_gates(mp)
        if (read if basis else rotated).intersection(wires):
            raise Unreadable("the circuit samples observables that cannot be measured together")
        read.update(wires)
        rotated.update(wires if basis else ())
        readout, branches = _readout(mp, wires, runner, runner.run(basis, branches))
        readouts.append(readout)
    joint: Dict[str, float] = {}
    slots = [slot for readout in readouts for slot in readout.slots]
    forms.check_size(0, len(slots))
    for outcome, p in exact.distribution(branches, slots).items():
        key = _key(outcome, readouts)
        joint[key] = joint.get(key, 0.0) + p
    bits = len(next(iter(joint)))
    return forms.distribution(joint, bits, gates=pennylane_gates.count(circuit.tape.operations))


def evolved(circuit: Circuit, form: str, qubits: Optional[int]) -> Observation:
    """Return the final state of a circuit, the unitary of its gates, or the list of its gates.

    If `form` is "state", the circuit must return `qml.state()` or nothing. If `form` is "unitary" or "circuit", the
    measurements that the circuit returns are ignored.
    """
    for mp in circuit.measurements if form == "state" else ():
        if type(mp).__name__ != "StateMP":
            raise Unreadable("the circuit returns {}; its state was expected".format(_described(mp)))
    order = _order(circuit, qubits)
    axes = {wire: axis for axis, wire in enumerate(order)}
    operations = circuit.tape.operations
    if form == "circuit":
        return forms.circuit(len(order), pennylane_gates.listed(operations, axes))
    runner = Runner(axes)
    gates = pennylane_gates.count(operations)
    return observed.evolved(lambda branches: runner.run(operations, branches), form, len(order), gates)


def _order(circuit: Circuit, expected: Optional[int] = None) -> List[Any]:
    """Return the wires in PennyLane's order. If the device defines no wires, return the wires 0 to `expected` - 1."""
    order = wire_order(circuit.tape, circuit.device)
    open_ended = not getattr(circuit.device, "wires", None)
    if expected is not None and open_ended and set(order) <= set(range(expected)):
        order = list(range(expected))
    forms.check_width(len(order), expected)
    forms.check_size(len(order))
    return order


def _relevant(measurements: Sequence[Any]) -> List[Any]:
    """Return the measurements that define the distribution: a single measurement of any kind, or several that are
    sampled jointly.
    """
    found = [mp for mp in measurements if type(mp).__name__ in DISTRIBUTIONS]
    if measurements and not found:
        form = _described(measurements[0])
        raise Unreadable("the circuit returns {}; {} was expected".format(form, forms.EXPECTED["distribution"]))
    if len(found) > 1 and any(type(mp).__name__ != "SampleMP" for mp in found):
        raise Unreadable("the circuit returns {} separate results; one distribution was expected".format(len(found)))
    return found


def _described(mp: Any) -> str:
    kind = type(mp).__name__
    return WORDS.get(kind, kind[:-2].lower() if kind.endswith("MP") else kind)


def _wires(mp: Any, order: Sequence[Any]) -> List[Any]:
    """Return the wires that a measurement reads: no wires for mid-circuit values, and all wires if the measurement
    names no wires.
    """
    if getattr(mp, "mv", None) is not None:
        return []
    return list(order) if mp is None else list(mp.wires) or list(order)


def _diagonalizing_gates(mp: Any) -> List[Any]:
    if getattr(mp, "obs", None) is None:
        return []
    with qml.QueuingManager.stop_recording():
        return list(mp.diagonalizing_gates())


def _readout(mp: Any, wires: Sequence[Any], runner: Runner, branches: exact.Branches) -> Tuple[Readout, exact.Branches]:
    value = getattr(mp, "mv", None)
    if value is not None:
        return _mid_circuit(value, runner), branches
    slots = []
    for wire in wires:
        slot, branches = runner.measure(wire, branches)
        slots.append(slot)
    if getattr(mp, "obs", None) is None or type(mp).__name__ == "ProbabilityMP":
        return Readout(slots, _joined), branches
    eigenvalues = np.real(np.asarray(mp.eigvals())).round(9).tolist()
    bits = _as_bits(set(eigenvalues))
    return Readout(slots, lambda outcome: bits[eigenvalues[int(_joined(outcome), 2)]]), branches


def _mid_circuit(value: Any, runner: Runner) -> Readout:
    values = [value] if hasattr(value, "processing_fn") else list(value)
    groups = [runner.slots_of(one) for one in values]

    def printed(outcome: Tuple[int, ...]) -> str:
        text, rest = "", list(outcome)
        for one, group in zip(values, groups):
            result = one.processing_fn(*rest[: len(group)])
            rest = rest[len(group) :]
            if result not in (0, 1):
                raise Unreadable("the circuit returns a value that is computed from measurements but is not a bit")
            text += str(int(result))
        return text

    return Readout([slot for group in groups for slot in group], printed)


def _as_bits(eigenvalues: Set[float]) -> Dict[float, str]:
    """Map each eigenvalue to a bit: +1 to 0 and -1 to 1, as for Pauli Z. Eigenvalues 0 and 1 stay unchanged."""
    for pair in ({1.0: "0", -1.0: "1"}, {0.0: "0", 1.0: "1"}):
        if eigenvalues <= set(pair):
            return pair
    raise Unreadable("the circuit samples an observable whose eigenvalues do not represent bits")


def _joined(outcome: Tuple[int, ...]) -> str:
    return "".join(map(str, outcome))


def _key(outcome: Tuple[int, ...], readouts: Sequence[Readout]) -> str:
    text, rest = "", outcome
    for readout in readouts:
        text += readout.printed(rest[: len(readout.slots)])
        rest = rest[len(readout.slots) :]
    return text
