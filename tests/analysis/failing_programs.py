"""Typical incorrect programs of language models for a Bell pair, by framework and name of the mistake."""

import textwrap

EXPECTED = {"00": 0.5, "11": 0.5}
"""The outcome probabilities of a correct program."""

_QISKIT = {
    "wrong gate": """
        qc.h(0)
        qc.measure_all()
        return qc
        """,
    "too many bits": """
        wide = QuantumCircuit(3)
        wide.h(0)
        wide.cx(0, 1)
        wide.measure_all()
        return wide
        """,
    "returns nothing": """
        qc.h(0)
        qc.cx(0, 1)
        """,
    "no such method": """
        qc.hadamard(0)
        return qc
        """,
    "no such module": """
        from qiskit.providers.aer import AerSimulator
        return AerSimulator().run(qc)
        """,
    "no such name in a module": """
        from qiskit import execute, Aer
        return execute(qc, Aer.get_backend("qasm_simulator"))
        """,
    "name never imported": """
        qc.measure_all()
        return AerSimulator().run(qc).result().get_counts()
        """,
    "name used before it is set": """
        total = count + 1
        count = 0
        return total
        """,
    "argument the call does not have": """
        qc.rx(0, angle=0.5)
        return qc
        """,
    "syntax": """
        qc.h(0
        return qc
        """,
    "indentation": """
        qc.h(0)
          qc.cx(0, 1)
        return qc
        """,
    "same qubit twice": """
        qc.cx(0, 0)
        return qc
        """,
    "qubit out of range": """
        qc.h(0)
        qc.cx(0, 5)
        return qc
        """,
    "wrong number of qubits": """
        from qiskit.circuit.library import CXGate
        qc.append(CXGate(), [0])
        return qc
        """,
    "matrix of the wrong size": """
        from qiskit.quantum_info import Operator
        qc.append(Operator(np.eye(2)), [0, 1])
        return qc
        """,
    "state of the wrong length": """
        qc.initialize([1, 0, 0], [0, 1])
        return qc
        """,
    "arrays that do not fit": """
        return np.eye(2) @ np.array([1, 0, 0, 1])
        """,
    "not unitary": """
        from qiskit.circuit.library import UnitaryGate
        qc.append(UnitaryGate([[1, 1], [0, 1]]), [0])
        return qc
        """,
    "index beyond a list": """
        qubits = [0, 1]
        qc.cx(qubits[1], qubits[2])
        return qc
        """,
    "no counts without measurement": """
        from qiskit_aer import AerSimulator
        qc.h(0)
        return AerSimulator().run(qc).result().get_counts()
        """,
    "open parameter": """
        from qiskit.circuit import Parameter
        from qiskit.quantum_info import Statevector
        qc.rx(Parameter("x"), 0)
        return Statevector(qc)
        """,
    "own assertion": """
        assert qc.num_qubits == 3, "three qubits are needed"
        return qc
        """,
}

_PENNYLANE = {
    "wrong gate": """
        @qml.qnode(dev)
        def circuit():
            qml.Hadamard(0)
            return qml.probs(wires=[0, 1])
        return circuit()
        """,
    "too many bits": """
        wide = qml.device("default.qubit", wires=3)
        @qml.qnode(wide)
        def circuit():
            qml.Hadamard(0)
            return qml.probs(wires=[0, 1, 2])
        return circuit()
        """,
    "returns nothing": """
        @qml.qnode(dev)
        def circuit():
            qml.Hadamard(0)
            return qml.probs(wires=[0, 1])
        circuit()
        """,
    "no such method": """
        @qml.qnode(dev)
        def circuit():
            qml.CX(wires=[0, 1])
            return qml.probs(wires=[0, 1])
        return circuit()
        """,
    "no such name in a module": """
        from pennylane import Hadamrd
        return Hadamrd
        """,
    "name never imported": """
        @qml.qnode(dev)
        def circuit():
            Hadamard(wires=0)
            return qml.probs(wires=[0, 1])
        return circuit()
        """,
    "argument the call does not have": """
        @qml.qnode(dev)
        def circuit():
            qml.RX(0.5, qubit=0)
            return qml.probs(wires=[0, 1])
        return circuit()
        """,
    "syntax": """
        @qml.qnode(dev)
        def circuit()
            return qml.probs(wires=[0, 1])
        return circuit()
        """,
    "same qubit twice": """
        @qml.qnode(dev)
        def circuit():
            qml.CNOT(wires=[0, 0])
            return qml.probs(wires=[0, 1])
        return circuit()
        """,
    "qubit out of range": """
        @qml.qnode(dev)
        def circuit():
            qml.CNOT(wires=[0, 5])
            return qml.probs(wires=[0, 1])
        return circuit()
        """,
    "wrong number of qubits": """
        @qml.qnode(dev)
        def circuit():
            qml.CNOT(wires=[0])
            return qml.probs(wires=[0, 1])
        return circuit()
        """,
    "matrix of the wrong size": """
        @qml.qnode(dev)
        def circuit():
            qml.QubitUnitary(np.eye(2), wires=[0, 1])
            return qml.probs(wires=[0, 1])
        return circuit()
        """,
    "state of the wrong length": """
        @qml.qnode(dev)
        def circuit():
            qml.StatePrep(np.array([1, 0, 0]), wires=[0, 1])
            return qml.probs(wires=[0, 1])
        return circuit()
        """,
    "arrays that do not fit": """
        return np.eye(2) @ np.array([1, 0, 0, 1])
        """,
    "index beyond a list": """
        wires = [0, 1]
        @qml.qnode(dev)
        def circuit():
            qml.CNOT(wires=[wires[1], wires[2]])
            return qml.probs(wires=wires)
        return circuit()
        """,
    "sampling without shots": """
        @qml.qnode(dev)
        def circuit():
            qml.Hadamard(0)
            return qml.sample(wires=[0, 1])
        return circuit()
        """,
    "a QNode that returns no measurement": """
        @qml.qnode(dev)
        def circuit():
            qml.Hadamard(0)
            return 1
        return circuit()
        """,
    "no such device": """
        return qml.device("default.qbit", wires=2)
        """,
    "wrong number of parameters": """
        @qml.qnode(dev)
        def circuit():
            qml.Rot(0.1, 0.2, wires=0)
            return qml.probs(wires=[0, 1])
        return circuit()
        """,
}

_CIRQ = {
    "wrong gate": """
        return cirq.Circuit(cirq.H(a), cirq.measure(a, b))
        """,
    "too many bits": """
        c = cirq.LineQubit(2)
        return cirq.Circuit(cirq.H(a), cirq.CNOT(a, b), cirq.measure(a, b, c))
        """,
    "returns nothing": """
        cirq.Circuit(cirq.H(a), cirq.CNOT(a, b), cirq.measure(a, b))
        """,
    "no such method": """
        return cirq.Circuit(cirq.Hadamard(a), cirq.CNOT(a, b), cirq.measure(a, b))
        """,
    "no such module": """
        from cirq.circuits.gates import H
        return cirq.Circuit(H(a))
        """,
    "no such name in a module": """
        from cirq import Hadamard
        return Hadamard
        """,
    "name never imported": """
        return cirq.Circuit(H(a), CNOT(a, b))
        """,
    "argument the call does not have": """
        return cirq.Circuit(cirq.rx(theta=0.5)(a), cirq.measure(a, b))
        """,
    "syntax": """
        return cirq.Circuit(cirq.H(a), cirq.CNOT(a, b)
        """,
    "same qubit twice": """
        return cirq.Circuit(cirq.CNOT(a, a), cirq.measure(a, b))
        """,
    "wrong number of qubits": """
        return cirq.Circuit(cirq.CNOT(a), cirq.measure(a, b))
        """,
    "a number for a qubit": """
        return cirq.Circuit(cirq.H(0), cirq.measure(a, b))
        """,
    "qubits that overlap in a moment": """
        return cirq.Circuit(cirq.Moment(cirq.H(a), cirq.CNOT(a, b)), cirq.measure(a, b))
        """,
    "matrix of the wrong size": """
        return cirq.Circuit(cirq.MatrixGate(np.eye(2))(a, b), cirq.measure(a, b))
        """,
    "matrix that is not square": """
        return cirq.Circuit(cirq.MatrixGate(np.ones((2, 3)))(a), cirq.measure(a, b))
        """,
    "not unitary": """
        return cirq.Circuit(cirq.MatrixGate(np.array([[1, 1], [0, 1]]))(a), cirq.measure(a, b))
        """,
    "state of the wrong length": """
        circuit = cirq.Circuit(cirq.H(a), cirq.CNOT(a, b))
        return cirq.Simulator().simulate(circuit, initial_state=np.array([1, 0, 0]))
        """,
    "arrays that do not fit": """
        return np.eye(2) @ np.array([1, 0, 0, 1])
        """,
    "index beyond a list": """
        qubits = [a, b]
        return cirq.Circuit(cirq.CNOT(qubits[1], qubits[2]), cirq.measure(a, b))
        """,
    "same key twice": """
        return cirq.Circuit(cirq.measure(a, key="m"), cirq.measure(b, key="m"), cirq.measure(a, b, key="m"))
        """,
    "no result of that key": """
        circuit = cirq.Circuit(cirq.H(a), cirq.measure(a, b, key="m"))
        return cirq.Simulator().run(circuit, repetitions=10).histogram(key="result")
        """,
    "sampling what is not measured": """
        return cirq.Simulator().run(cirq.Circuit(cirq.H(a)), repetitions=10)
        """,
    "not an operation": """
        return cirq.Circuit(cirq.H, cirq.measure(a, b))
        """,
}

_HEADS = {
    "qiskit": "import numpy as np\nfrom qiskit import QuantumCircuit\n\n\ndef answer():\n    qc = QuantumCircuit(2)\n",
    "pennylane": (
        "import pennylane as qml\nfrom pennylane import numpy as np\n\n\n"
        'def answer():\n    dev = qml.device("default.qubit", wires=2)\n'
    ),
    "cirq": "import cirq\nimport numpy as np\n\n\ndef answer():\n    a, b = cirq.LineQubit.range(2)\n",
}


def _source(framework: str, body: str) -> str:
    return _HEADS[framework] + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ") + "\n"


UNIT_TESTS = {
    "a test that finds it wrong": "def test():\n    assert answer().num_clbits == 2\n",
    "a test that cannot work with it": "def test():\n    assert answer()['00'] == 0.5\n",
}
"""Unit tests that the program "nothing measured" fails, in Qiskit."""

PROGRAMS = {
    (framework, name): _source(framework, body)
    for framework, bodies in (("qiskit", _QISKIT), ("pennylane", _PENNYLANE), ("cirq", _CIRQ))
    for name, body in bodies.items()
} | {
    ("qiskit", "a function of another name"): "def bell():\n    return 1\n",
    ("qiskit", "nothing measured"): _source("qiskit", "qc.h(0)\nreturn qc"),
    ("qiskit", "never ends"): "def answer():\n    while True:\n        pass\n",
    ("qiskit", "leaves the process"): "import os\n\n\ndef answer():\n    os._exit(3)\n",
}
