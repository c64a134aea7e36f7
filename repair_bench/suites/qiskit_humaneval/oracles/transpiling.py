"""Oracles for tasks on transpiled circuits and backends. Any equivalent circuit is accepted."""

from typing import Any, Set

import numpy as np
from qiskit import QuantumCircuit
from qiskit.circuit.library import QFTGate
from qiskit.quantum_info import Operator
from qiskit.synthesis.qft import synth_qft_full
from qiskit.transpiler.preset_passmanagers import generate_preset_pass_manager
from qiskit_ibm_runtime import fake_provider
from qiskit_ibm_runtime.fake_provider import (
    FakeAuckland,
    FakeBrisbane,
    FakeCairoV2,
    FakeOsaka,
    FakeOslo,
    FakeSherbrooke,
)

from repair_bench.suites.oracles.kinds import (
    Function,
    answer,
    circuit_of,
    integer,
    is_of_library,
    oracle,
    outcomes,
    same_distribution,
)

IDLE = ("barrier", "delay")


def made_of(circuit: QuantumCircuit, *names: str) -> None:
    """Assert that a circuit contains only Qiskit's own operations with these names, and no custom operations."""
    for step in circuit.data:
        assert step.operation.name in names, "the circuit contains an operation that is not allowed"
        assert is_of_library(step.operation), "a custom operation has the name of a library gate"


@oracle("qiskitHumanEval/17")
def unrolls(candidate: Function) -> None:
    """Check that the returned circuit contains only the specified gates.

    The returned circuit must have the matrix of the input circuit, up to a global phase.
    """
    for seed, qubits in ((1, 1), (2, 2), (3, 3)):
        circuit = random_circuit(qubits, seed)
        found = circuit_of(answer(candidate, circuit))
        made_of(found, "cx", "id", "rz", "sx", "x", "u")
        assert Operator(found).equiv(circuit), "the effect of the circuit is incorrect"


def random_circuit(qubits: int, seed: int) -> QuantumCircuit:
    """Return a circuit of many kinds of gates with random angles."""
    rng = np.random.default_rng(seed)
    circuit = QuantumCircuit(qubits)
    for qubit in range(qubits):
        circuit.h(qubit)
        circuit.ry(rng.uniform(0.3, 2.8), qubit)
        circuit.t(qubit)
        circuit.u(*rng.uniform(0.3, 2.8, 3), qubit)
    for qubit in range(1, qubits):
        circuit.cp(rng.uniform(0.3, 2.8), qubit - 1, qubit)
        circuit.swap(0, qubit)
        circuit.cx(qubit, qubit - 1)
    if qubits > 2:
        circuit.ccx(2, 0, 1)
    return circuit


@oracle("qiskitHumanEval/95")
def drops_barriers(candidate: Function) -> None:
    """Check that the barriers, and nothing else, are removed.

    The candidate may modify and return its input circuit.
    """
    for seed, qubits in ((1, 1), (2, 2), (3, 3)):
        circuit = random_circuit(qubits, seed)
        circuit.measure_all(add_bits=True)
        expected = circuit.copy_empty_like()
        given = circuit.copy_empty_like()
        given.barrier()
        for step in circuit.data:
            given.append(step)
            if step.operation.name != "barrier":
                expected.append(step)
                given.barrier(0)
        assert circuit_of(candidate(given)) == expected, "the result is not the circuit without its barriers"


@oracle("qiskitHumanEval/100")
def in_a_dense_subset(candidate: Function) -> None:
    """Check that the returned circuit has only the gates H, T, inverse T and CX, and has the input circuit's matrix.

    The matrices must agree within the published test's tolerance.

    A short sequence of these gates cannot approximate the chosen angles. Qiskit's Solovay-Kitaev pass approximates the
    angles with a longer sequence if the pass uses at least one level of recursion.
    """
    one, two = QuantumCircuit(1), QuantumCircuit(2)
    one.rz(0.39, 0)
    two.cx(0, 1)
    two.rz(2.75, 1)
    two.u(*np.random.default_rng(3).uniform(0.3, 2.8, 3), 0)
    for circuit in (one, two):
        found = circuit_of(answer(candidate, circuit))
        made_of(found, "h", "t", "tdg", "cx")
        assert Operator(found).equiv(circuit, rtol=0.1, atol=0.1), "the effect of the circuit is incorrect"


@oracle("qiskitHumanEval/103")
def backends_with_ecr(candidate: Function) -> None:
    """Check that the candidate lists all installed backends with ecr gates, either by class name or by backend name."""
    base = fake_provider.fake_backend.FakeBackendV2
    kinds = [getattr(fake_provider, name) for name in dir(fake_provider)]
    made = [kind() for kind in kinds if isinstance(kind, type) and issubclass(kind, base)]
    with_ecr = [backend for backend in made if "ecr" in backend.configuration().basis_gates]
    found = list(candidate())
    classes, own = ({name(backend) for backend in with_ecr} for name in (lambda b: type(b).__name__, lambda b: b.name))
    assert set(found) in (classes, own), "the list of backends is incorrect"
    assert len(found) == len(set(found)), "a backend is listed twice"


@oracle("qiskitHumanEval/104")
def highest_cost(candidate: Function) -> None:
    """Check that the candidate returns the cost of the Fourier transform in the installed version of Qiskit.

    The Fourier transform may be a circuit of several gates or a single gate.
    """
    gate = QuantumCircuit(4)
    gate.append(QFTGate(4), range(4))
    costs = [max(cost(circuit, backend()) for backend in BACKENDS) for circuit in (synth_qft_full(4), gate)]
    assert integer(candidate()) in costs, "the cost is incorrect"


BACKENDS = (FakeOsaka, FakeSherbrooke, FakeBrisbane)


def cost(circuit: QuantumCircuit, backend: Any) -> int:
    manager = generate_preset_pass_manager(optimization_level=3, seed_transpiler=1234, backend=backend)
    prices = (5 if step.operation.num_qubits == 2 else 1 if step.operation.name == "rz" else 2
              for step in manager.run(circuit).data)  # fmt: skip
    return sum(prices)


@oracle("qiskitHumanEval/16")
def transpiles_for_cairo(candidate: Function) -> None:
    """Check that the returned circuit contains measurements and yields the same outcomes as the input circuit.

    The returned circuit must use only operations of the backend.
    """
    for seed in (1, 2, 3):
        rng = np.random.default_rng(seed)
        circuit = QuantumCircuit(3, 3)
        for first, second in ((0, 1), (1, 2), (2, 0)):
            circuit.u(*rng.uniform(0.3, 2.8, 3), first)
            circuit.u(*rng.uniform(0.3, 2.8, 3), second)
            circuit.cx(first, second)
        circuit.ry(0.4, 1)
        circuit.measure([0, 1, 2], [2, 0, 1])
        found = circuit_of(answer(candidate, circuit))
        fits(found, FakeCairoV2())
        assert same_distribution(outcomes(found), outcomes(circuit)), "the effect of the circuit is incorrect"


@oracle("qiskitHumanEval/21")
def bell_pair_by_dense_layout(candidate: Function) -> None:
    backend = FakeOslo()
    found = bell_pair(candidate, backend)
    manager = generate_preset_pass_manager(optimization_level=1, backend=backend, layout_method="dense")
    bell = QuantumCircuit(2)
    bell.h(0)
    bell.cx(0, 1)
    assert used(found) == used(manager.run(bell)), "the qubits differ from the dense layout"


@oracle("qiskitHumanEval/22")
def scheduled_bell_pair(candidate: Function) -> None:
    """Check that the circuit prepares a Bell pair and that every gate is scheduled as late as possible.

    Delays must fill the time before the 2-qubit gate.
    """
    backend = FakeAuckland()
    found = bell_pair(candidate, backend)
    clocks, waited_for = [0] * found.num_qubits, [False] * found.num_qubits
    for step in reversed(found.data):
        qubits = [found.find_bit(qubit).index for qubit in step.qubits]
        waits = step.operation.name == "delay"
        early = not waits and step.operation.name != "barrier" and all(waited_for[qubit] for qubit in qubits)
        assert not early, "a gate is not scheduled as late as possible"
        for qubit in qubits:
            waited_for[qubit] = waits
    assert found.count_ops().get("delay"), "the circuit contains no delay"
    for step in found.data:
        name, qubits = step.operation.name, [found.find_bit(qubit).index for qubit in step.qubits]
        if name == "barrier":
            continue
        assert len({clocks[qubit] for qubit in qubits}) == 1, "a gate starts while one of its qubits is busy"
        if name == "delay":
            seconds = {"dt": backend.target.dt, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[step.operation.unit]
            lasts = round(step.operation.duration * seconds / backend.target.dt)
        else:
            lasts = round((backend.target[name][tuple(qubits)].duration or 0) / backend.target.dt)
        for qubit in qubits:
            clocks[qubit] += lasts


def bell_pair(candidate: Function, backend: Any) -> QuantumCircuit:
    """Assert that two qubits of the circuit are in the state Phi+, with or without measurements; return the circuit."""
    found = circuit_of(answer(candidate))
    fits(found, backend)
    pair = sorted(used(found))
    assert len(pair) == 2, "the circuit does not use exactly two qubits"
    for turned in (False, True):  # the outcomes agree in both bases
        circuit = found.copy_empty_like()
        for step in found.data:
            if step.operation.name not in ("measure", *IDLE):
                circuit.append(step.operation, [found.find_bit(qubit).index for qubit in step.qubits])
        if turned:
            circuit.h(pair)
        both = {tuple(bits[-1 - qubit] for qubit in pair): p for bits, p in outcomes(circuit).items()}
        assert all(abs(both.get((bit, bit), 0) - 0.5) < 1e-4 for bit in "01"), "the two qubits are not a Bell pair"
    return found


def fits(circuit: QuantumCircuit, backend: Any) -> None:
    """Assert that the circuit has as many qubits as the backend and contains only operations that the backend supports.

    If an operation acts on several qubits, the backend must couple these qubits.
    """
    assert circuit.num_qubits == backend.num_qubits, "the number of qubits differs from the backend"
    edges = set(backend.coupling_map.get_edges())
    for step in circuit.data:
        qubits = tuple(circuit.find_bit(qubit).index for qubit in step.qubits)
        name = step.operation.name
        assert name in IDLE or name in backend.target.operation_names, "the backend does not support an operation"
        assert is_of_library(step.operation), "a custom operation has the name of a library gate"
        coupled = len(qubits) < 2 or not {qubits, qubits[::-1]}.isdisjoint(edges)
        assert name == "barrier" or coupled, "the backend does not couple the qubits of a gate"


def used(circuit: QuantumCircuit) -> Set[int]:
    """Return the qubits on which at least one gate acts."""
    steps = [step for step in circuit.data if step.operation.name not in (*IDLE, "measure")]
    return {circuit.find_bit(qubit).index for step in steps for qubit in step.qubits}
