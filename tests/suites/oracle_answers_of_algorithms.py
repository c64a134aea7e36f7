"""Right answers to tasks with an oracle that measure, search, play or ask black boxes. See `oracle_answers`."""

ONCE = """
def once(qc, qubits):
    state = Statevector(qc)
    state.seed(np.random.randint(2**31))
    return [int(bit) for bit in state.measure(list(qubits))[0][::-1]]
"""
"""Measures the qubits once."""

TABLE = """
def table(qc, qubits, become):
    size = 2 ** len(qubits)
    matrix = np.zeros((size, size))
    for index in range(size):
        matrix[become(index), index] = 1
    qc.append(UnitaryGate(matrix), qubits)
    return qc

def number(index, places):
    return sum((index >> q & 1) << k for k, q in enumerate(places))

def put(index, places, value):
    for k, q in enumerate(places):
        index = index & ~(1 << q) | (value >> k & 1) << q
    return index
"""
"""A function of bits as one gate."""

_MATRIX = """
def matrix(apply, *more):
    qc = QuantumCircuit(1)
    apply(qc, 0, *more)
    return Operator(qc).data
"""
_CONTROLLED = (
    ONCE
    + """
def controlled(apply, *more):
    qc = QuantumCircuit(1)
    apply(qc, 0, *more)
    return qc.to_gate().control(1)

def phase(gate, times=1):
    qc = QuantumCircuit(2)
    qc.h(0)
    qc.append(UnitaryGate(np.linalg.matrix_power(Operator(gate).data, times)), [0, 1])
    qc.h(0)
    return once(qc, [0])[0]
"""
)

_DIFFUSION = """
def diffusion(qc, qubits):
    size = 2 ** len(qubits)
    qc.append(UnitaryGate(np.full((size, size), 2 / size) - np.eye(size)), qubits)
    return qc
"""
_BY_GATES = """
def diffusion(qc, qubits):
    qc.h(qubits)
    qc.x(qubits)
    if len(qubits) == 1:
        qc.z(qubits)
    else:
        qc.mcp(pi, qubits[:-1], qubits[-1])
    qc.x(qubits)
    qc.h(qubits)
    return qc
"""

_COLORS = """
def valid(index, edges):
    return all(index >> 2 * a & 3 != index >> 2 * b & 3 for a, b in edges)

def signs(qc, qubits, edges):
    size = 2 ** len(qubits)
    qc.append(UnitaryGate(np.diag([-1 if valid(index, edges) else 1 for index in range(size)])), qubits)
    return qc
"""
_COLORS_BY_GATES = """
def signs(qc, colors, edges):
    flags = QuantumRegister(len(edges), "flags")
    qc.add_register(flags)

    def compare():
        for flag, (a, b) in zip(flags, edges):
            for one, other in zip(colors[a], colors[b]):
                qc.cx(one, other)
            qc.append(XGate().control(2, ctrl_state=0), [*colors[b], flag])
            for one, other in zip(colors[a], colors[b]):
                qc.cx(one, other)

    compare()
    qc.x(flags)
    qc.h(flags[-1])
    if len(flags) > 1:
        qc.mcx(flags[:-1], flags[-1])
    else:
        qc.x(flags[-1])
    qc.h(flags[-1])
    qc.x(flags)
    compare()
    return qc
"""

_FOURIER_ADD = """
def add(qc, control, value, target):
    n = len(target)
    for i in reversed(range(n)):
        qc.h(target[i])
        for j in range(i):
            qc.cp(pi / 2 ** (i - j), target[j], target[i])
    for i in range(n):
        qc.cp(pi * value / 2**i, control, target[i])
    for i in range(n):
        for j in reversed(range(i)):
            qc.cp(-pi / 2 ** (i - j), target[j], target[i])
        qc.h(target[i])
    return qc
"""

ALGORITHMS: dict[str, list[str]] = {
    "qiskitHumanEval/17": [
        "def answer(circuit):\n    return transpile(circuit, basis_gates=['cx', 'id', 'rz', 'sx', 'x', 'u'], optimization_level=0)",
        "def answer(circuit):\n    qc = QuantumCircuit(circuit.num_qubits)\n    qc.append(UnitaryGate(Operator(circuit)), qc.qubits)\n"
        "    return transpile(qc, basis_gates=['u', 'cx'])",
    ],
    "qiskitHumanEval/24": [
        """
def answer(oracle):
    n = oracle.num_qubits - 1
    qc = QuantumCircuit(n + 1)
    qc.x(n)
    qc.h(range(n + 1))
    qc.compose(oracle, inplace=True)
    qc.h(range(n))
    return bool(Statevector(qc).probabilities(range(n))[0] > 0.5)
""",
        """
def answer(oracle):
    n = oracle.num_qubits - 1
    values = {Statevector.from_int(x, 2 ** (n + 1)).evolve(oracle).probabilities([n])[1] > 0.5 for x in range(2**n)}
    return len(values) == 1
""",
    ],
    "qiskitHumanEval/45": [
        "from qiskit.quantum_info import random_clifford\ndef answer(n):\n    return random_clifford(n).to_circuit()",
        """
def answer(n):
    rng = np.random.default_rng()
    qc = QuantumCircuit(n)
    for _ in range(20):
        getattr(qc, "hs"[rng.integers(2)])(int(rng.integers(n)))
        if n > 1:
            qc.cx(*map(int, rng.choice(n, 2, replace=False)))
    return qc
""",
    ],
    "qiskitHumanEval/48": [
        "def answer(n):\n    return [int(word, 2) for word in Statevector.from_label('+' * 8).sample_memory(n)]",
        "def answer(n):\n    qc = QuantumCircuit(1, 1)\n    qc.ry(pi / 2, 0)\n    qc.measure(0, 0)\n"
        "    bits = AerSimulator().run(qc, shots=8 * n, memory=True).result().get_memory()\n"
        "    return [int(''.join(bits[k : k + 8]), 2) for k in range(0, 8 * n, 8)]",
    ],
    "qiskitHumanEval/63": [
        ONCE
        + """
def answer(bases, circuit):
    mine = [int(np.random.rand() < 0.5) for _ in bases]
    for qubit, basis in enumerate(mine):
        if basis:
            circuit.h(qubit)
    bits = once(circuit, range(len(bases)))
    return "".join(str(bit) for bit, ours, theirs in zip(bits, mine, bases) if ours == theirs)
""",
        """
def answer(bases, circuit):
    key = ""
    for qubit, basis in enumerate(bases):
        if np.random.rand() < 0.5:
            qc = circuit.copy()
            if basis:
                qc.h(qubit)
            key = str(int(Statevector(qc).probabilities([qubit])[1] > 0.5)) + key
    return key
""",
    ],
    "qiskitHumanEval/95": [
        "def answer(circuit):\n    qc = circuit.copy_empty_like()\n    for step in circuit.data:\n"
        "        if step.operation.name != 'barrier':\n            qc.append(step)\n    return qc",
        "def answer(circuit):\n    circuit.data = [step for step in circuit.data if step.operation.name != 'barrier']\n    return circuit",
    ],
    "qiskitHumanEval/100": [
        "def answer(circuit):\n    from qiskit.transpiler.passes import SolovayKitaev\n    return SolovayKitaev(recursion_degree=2)(circuit)",
        """
def answer(circuit):
    from qiskit.synthesis import gridsynth_rz
    by = {"s": ["t"] * 2, "sdg": ["tdg"] * 2, "z": ["t"] * 4, "x": ["h", *["t"] * 4, "h"], "sx": ["h", "t", "t", "h"]}
    qc = QuantumCircuit(circuit.num_qubits)
    plain = transpile(circuit, basis_gates=["rz", "sx", "x", "cx"], optimization_level=0)
    for step in plain.data:
        qubits = [plain.find_bit(qubit).index for qubit in step.qubits]
        if len(qubits) > 1:
            qc.cx(*qubits)
            continue
        gates = [step] if step.operation.name != "rz" else gridsynth_rz(step.operation.params[0], epsilon=0.01).data
        for gate in gates:
            for name in by.get(gate.operation.name, [gate.operation.name]):
                getattr(qc, name)(qubits[0])
    return qc
""",
    ],
    "qiskitHumanEval/103": [
        f"""
def answer():
    from qiskit_ibm_runtime.fake_provider import FakeProviderForBackendV2
    backends = FakeProviderForBackendV2().backends()
    return [{name} for b in backends if "ecr" in b.configuration().basis_gates]
"""
        for name in ("b.name", "type(b).__name__")
    ],
    "qiskitHumanEval/104": [
        f"""
def answer():
    from qiskit.circuit.library import QFTGate
    from qiskit.synthesis.qft import synth_qft_full
    from qiskit_ibm_runtime.fake_provider import FakeBrisbane, FakeOsaka, FakeSherbrooke
    {made}
    costs = []
    for backend in (FakeOsaka(), FakeSherbrooke(), FakeBrisbane()):
        counts = transpile(qc, backend, optimization_level=3, seed_transpiler=1234).count_ops()
        costs.append(sum(n * {{"ecr": 5, "rz": 1}}.get(name, 2) for name, n in counts.items()))
    return max(costs)
"""
        for made in ("qc = synth_qft_full(4)", "qc = QuantumCircuit(4); qc.append(QFTGate(4), range(4))")
    ],
    "qiskitHumanEval/144": [
        "def answer():\n    from qiskit.quantum_info import DensityMatrix, random_statevector\n"
        "    return [DensityMatrix(random_statevector(2).tensor(random_statevector(2))) for _ in range(10)]",
        "def answer():\n    from qiskit.quantum_info import DensityMatrix\n"
        "    return [DensityMatrix(np.diag(row)) for row in np.random.default_rng(1).dirichlet(np.ones(4), 10)]",
    ],
    "Measurements/1.14": [
        ONCE
        + "def answer(qc, q):\n    qc.append(UnitaryGate(np.eye(4) - np.ones((4, 4)) / 2), q)\n    a, b = once(qc, q)\n    return 2 * a + b",
        ONCE + _BY_GATES + "def answer(qc, q):\n    a, b = once(diffusion(qc, q), q)\n    return a + 2 * b",
    ],
    "Measurements/1.15": [
        ONCE
        + """
def answer(qc, q):
    turn = np.exp(2j * pi / 3)
    rows = np.eye(8, dtype=complex)
    rows[0], rows[1] = ([0, 1, w, 0, w**2, 0, 0, 0] for w in (turn, turn**2))
    basis = np.linalg.qr(rows.T)[0]
    qc.append(UnitaryGate(basis.conj().T), q)
    return once(qc, q)[0]
""",
        ONCE
        + """
from qiskit.circuit.library import StatePreparation
def answer(qc, q):
    for k, qubit in enumerate(reversed(q)):
        qc.p(-2 * pi * k / 3, qubit)
    qc.append(StatePreparation(np.array([0, 1, 1, 0, 1, 0, 0, 0]) / 3**0.5).inverse(), q)
    return int(any(once(qc, q)))
""",
    ],
    "Measurements/2.3": [
        ONCE
        + """
def answer(qc, q):
    rows = np.zeros((4, 4), dtype=complex)
    for k in range(3):
        rows[k, :2] = np.array([1, -np.exp(-2j * pi * k / 3)]) / 3**0.5
    rows[:3, 2] = np.exp(2j * pi * np.arange(3) / 3) / 3**0.5
    rows[3, 3] = 1
    helper = QuantumRegister(1, "helper")
    qc.add_register(helper)
    qc.append(UnitaryGate(rows), [q, helper[0]])
    a, b = once(qc, [q, qc.num_qubits - 1])
    return a + 2 * b
""",
        ONCE
        + """
def answer(qc, q):
    while True:
        for k in np.random.permutation(3):
            one = qc.copy()
            one.p(-2 * pi * k / 3, q)
            one.h(q)
            if once(one, [q])[0]:
                return int(k)
""",
    ],
    "JointMeasurements/9": [
        ONCE + "def answer(qc, q):\n    return len(set(once(qc, q))) == 1",
        ONCE + "def answer(qc, q):\n    qc.cx(q[0], q[1])\n    qc.cx(q[0], q[2])\n    return not any(once(qc, q[1:]))",
    ],
    "JointMeasurements/10": [
        ONCE + "def answer(qc, q):\n    return sum(once(qc, q)) == 1",
        ONCE
        + "def answer(qc, q):\n    qc.add_register(QuantumRegister(1, 'helper'))\n    last = qc.num_qubits - 1\n    for state in (1, 2, 4):\n"
        "        qc.append(XGate().control(3, ctrl_state=state), [*q, last])\n    return once(qc, [last]) == [1]",
    ],
    "tutorials/RandomNumberGeneration/1": [
        "def answer():\n    return int(Statevector.from_label('+').sample_memory(1)[0])",
        "def answer():\n    qc = QuantumCircuit(1, 1)\n    qc.rx(-pi / 2, 0)\n    qc.measure(0, 0)\n"
        "    return int(AerSimulator().run(qc, shots=1, memory=True).result().get_memory()[0])",
    ],
    "Superposition/2.3": [
        "def answer(qc, q):\n    qc.initialize(np.array([1, 1, 1, 0]) / 3**.5, q)\n    return qc",
        "def answer(qc, q):\n    qc.ry(2 * np.arccos((2 / 3) ** .5), q[1])\n    qc.ch(q[1], q[0], ctrl_state=0)\n    return qc",
    ],
    "UnitaryPatterns/13": [
        "def answer(qc, q):\n    qc.rx(pi / 2, q)\n    return qc",
        "def answer(qc, q):\n    qc.ry(pi / 2, q)\n    return qc",
        "def answer(qc, q):\n    qc.u(pi / 2, -pi / 2, pi / 2, q)\n    return qc",
    ],
    "PhaseEstimation/5": [
        """
def answer(n, theta):
    qc = QuantumCircuit(n + 1)
    qc.x(n)
    qc.h(range(n))
    for k in range(n):
        for _ in range(2**k):
            qc.cp(theta, k, n)
    index = np.arange(2**n)
    qc.append(UnitaryGate(np.exp(-2j * pi * np.outer(index, index) / 2**n) / 2 ** (n / 2)), range(n))
    return qc
""",
        """
def answer(n, theta):
    qc = QuantumCircuit(n + 1, n)
    qc.x(0)
    for k in range(n):
        qc.h(n - k)
        qc.p(theta * 2**k, n - k)
    for k in reversed(range(n)):
        for done in range(k + 1, n):
            qc.cp(-pi / 2 ** (done - k), n - done, n - k)
        qc.h(n - k)
    qc.measure(range(1, n + 1), range(n))
    return qc
""",
    ],
    "PhaseEstimation/7": [
        """
def answer(theta, n):
    index = np.arange(2**n)
    amplitudes = np.exp(1j * np.outer(theta - 2 * pi * index / 2**n, index)).sum(axis=1) / 2**n
    return 2 * pi * int(np.argmax(abs(amplitudes))) / 2**n
""",
        ONCE
        + """
def answer(theta, n):
    qc = QuantumCircuit(n + 1)
    qc.x(n)
    qc.h(range(n))
    for k in range(n):
        qc.cp(theta * 2**k, k, n)
    index = np.arange(2**n)
    qc.append(UnitaryGate(np.exp(-2j * pi * np.outer(index, index) / 2**n) / 2 ** (n / 2)), range(n))
    found = sum(bit << k for k, bit in enumerate(once(qc, range(n)))) / 2**n
    return 2 * pi * (found - (found > 0.5))
""",
    ],
    "GroversAlgorithm/2.2": [
        "def answer(qc, q):\n    signs = -np.ones(2 ** len(q))\n    signs[0] = 1\n    qc.append(UnitaryGate(np.diag(signs)), q)\n    return qc",
        "def answer(qc, q):\n    qc.x(q)\n    qc.mcp(pi, q[:-1], q[-1]) if len(q) > 1 else qc.z(q)\n    qc.x(q)\n    return qc",
    ],
    "GroversAlgorithm/2.3": [
        made + "def answer(qc, q, oracle):\n    return diffusion(oracle(qc, q), q)" for made in (_DIFFUSION, _BY_GATES)
    ],
    "GroversAlgorithm/GroversSearch": [
        _DIFFUSION
        + """
def answer(n, oracle, iterations=None):
    qc = QuantumCircuit(n)
    qc.h(range(n))
    for _ in range(round(pi / 4 * 2 ** (n / 2)) if iterations is None else iterations):
        qc = diffusion(oracle(qc, list(range(n))), list(range(n)))
    qc.measure_all()
    return AerSimulator().run(qc, shots=2000).result().get_counts()
""",
        _BY_GATES
        + """
def answer(n, oracle, iterations=None):
    qc = QuantumCircuit(n)
    qc.h(range(n))
    for _ in range(int(2 ** (n / 2)) if iterations is None else iterations):
        oracle(qc, list(range(n)))
        diffusion(qc, list(range(n)))
    return {key[::-1]: int(count) for key, count in Statevector(qc).sample_counts(500).items()}
""",
    ],
    "SolveSATWithGrover/3.2": [
        ONCE
        + _BY_GATES
        + """
def answer(n, oracle):
    while True:
        for iterations in range(2**n):
            qc = QuantumCircuit(n + 1)
            qc.h(range(n))
            qc.x(n)
            qc.h(n)
            for _ in range(iterations):
                oracle(qc, list(range(n)), n)
                diffusion(qc, list(range(n)))
            found = once(qc, range(n))
            check = QuantumCircuit(n + 1)
            for qubit, bit in enumerate(found):
                if bit:
                    check.x(qubit)
            if once(oracle(check, list(range(n)), n), [n]) == [1]:
                return [bool(bit) for bit in found]
""",
        """
def answer(n, oracle):
    for x in range(2**n):
        bits = [bool(x >> k & 1) for k in range(n)]
        qc = oracle(QuantumCircuit(n + 1), list(range(n)), n)
        if Statevector.from_int(x, 2 ** (n + 1)).evolve(qc).probabilities([n])[1] > 0.5:
            return bits[::-1]
""",
    ],
    "GraphColoring/9": [
        _COLORS + "def answer(qc, colors, edges):\n    return signs(qc, sum(colors, []), edges)",
        _COLORS_BY_GATES + "def answer(qc, colors, edges):\n    return signs(qc, colors, edges)",
    ],
    "GraphColoring/11": [
        _COLORS
        + _DIFFUSION
        + "def answer(qc, colors, edges):\n    q = sum(colors, [])\n    return diffusion(signs(qc, q, edges), q)",
        _COLORS_BY_GATES
        + _BY_GATES
        + "def answer(qc, colors, edges):\n    return diffusion(signs(qc, colors, edges), sum(colors, []))",
    ],
    "GraphColoring/17": [
        _COLORS
        + """
def answer(vertices, edges, iterations=1):
    size = 4**vertices
    state = np.full(size, size**-0.5)
    signs = np.array([-1 if valid(index, edges) else 1 for index in range(size)])
    for _ in range(iterations):
        state = state * signs
        state = 2 * state.mean() - state
    index = np.random.choice(size, p=state**2 / sum(state**2))
    return [int(index) >> 2 * v & 3 for v in range(vertices)]
""",
        """
def answer(vertices, edges, iterations=1):
    colors = []
    for v in range(vertices):
        taken = {colors[a] for a, b in edges if b == v and a < v} | {colors[b] for a, b in edges if a == v and b < v}
        colors.append(min({0, 1, 2, 3} - taken))
    return colors
""",
    ],
    "CHSHGame/2.4": [
        ONCE
        + "def answer(qc, bit, q):\n    qc.ry(2 * pi / 8 if bit else -2 * pi / 8, q)\n    return bool(once(qc, [q])[0])",
        ONCE + "def answer(qc, bit, q):\n    t = -pi / 8 if bit else pi / 8\n"
        "    qc.append(UnitaryGate([[np.cos(t), np.sin(t)], [-np.sin(t), np.cos(t)]]), [q])\n    return once(qc, [q]) == [1]",
    ],
    "CHSHGame/2.5": [
        "def answer(alice, bob):\n    qc = QuantumCircuit(2, 2)\n    qc.h(1)\n    qc.cx(1, 0)\n    return alice(qc, 1), bob(qc, 0)",
        "def answer(alice, bob):\n    qc = QuantumCircuit(4)\n    qc.ry(pi / 2, 2)\n    qc.cx(2, 0)\n    second = bob(qc.copy(), 0)\n"
        "    return [alice(qc, 2), second]",
    ],
    "GHZGame/2.3": [
        "def answer(strategies):\n    qc = QuantumCircuit(3)\n    qc.h(1)\n    qc.cx(1, 0)\n    qc.cx(1, 2)\n"
        "    return [ask(qc.copy(), k) for k, ask in enumerate(strategies)]",
        "def answer(strategies):\n    qc = QuantumCircuit(3)\n    qc.initialize(np.array([1, 0, 0, -1, 0, -1, -1, 0]) / 2, range(3))\n"
        "    return [ask(qc, 2 - k) for k, ask in enumerate(strategies)]",
    ],
    "MagicSquareGame/2.2": [
        f"""
from enum import Enum
class Pauli(Enum):
    I = "I"
    X = "X"
    Y = "Y"
    Z = "Z"
def answer(row, column):
    text = "{square}".split()[3 * row + column]
    return (-1 if text[0] == "-" else 1), [Pauli(letter) for letter in text[-2:]]
"""
        for square in ("XI IX XX IZ ZI ZZ -XZ -ZX YY", "-YX ZZ -XY IX XX XI YI YY IY")
    ],
    "MagicSquareGame/2.3": [
        """
from enum import Enum
class Pauli(Enum):
    I = "I"
    X = "X"
    Y = "Y"
    Z = "Z"
"""
        + body
        for body in (
            "def answer(qc, observable, q):\n    sign, pair = observable\n    for pauli, qubit in zip(pair, q):\n"
            "        getattr(qc, {'I': 'id'}.get(pauli.name, pauli.name.lower()))(qubit)\n    if sign < 0:\n        qc.global_phase += pi\n"
            "    return qc",
            "from qiskit.quantum_info import Pauli as Word\ndef answer(qc, observable, q):\n    sign, (a, b) = observable\n"
            "    qc.append(UnitaryGate(sign * Word(a.name + b.name).to_matrix()), q)\n    return qc",
        )
    ],
    "KeyDistribution_BB84/3.2": [
        """
def answer(n, eve_probability=1.0):
    bits, bases, bobs = np.random.randint(2, size=(3, n))
    eve = [np.random.randint(2) if np.random.rand() < eve_probability else None for _ in range(n)]
    qc = QuantumCircuit(n, 2 * n)
    for k in range(n):
        if bits[k]:
            qc.x(k)
        if bases[k]:
            qc.h(k)
        if eve[k] is not None:
            if eve[k]:
                qc.h(k)
            qc.measure(k, n + k)
            if eve[k]:
                qc.h(k)
        if bobs[k]:
            qc.h(k)
        qc.measure(k, k)
    found = AerSimulator(method="stabilizer").run(qc, shots=1, memory=True).result().get_memory()[0][::-1]
    kept = [k for k in range(n) if bases[k] == bobs[k]]
    alice, bob = [int(bits[k]) for k in kept], [int(found[k]) for k in kept]
    rate = 100 * sum(a != b for a, b in zip(alice, bob)) / max(len(kept), 1)
    return rate < 11, alice, bob, rate
""",
        """
def answer(n, eve_probability=1.0):
    rng = np.random.default_rng()
    alice, bob = [], []
    for _ in range(n):
        bit, basis, his = (int(rng.integers(2)) for _ in range(3))
        sent = (bit, basis)
        if rng.random() < eve_probability:
            hers = int(rng.integers(2))
            sent = (bit if hers == basis else int(rng.integers(2)), hers)
        if his == basis:
            alice.append(bool(bit))
            bob.append(bool(sent[0] if sent[1] == his else rng.integers(2)))
    share = float(np.mean([a != b for a, b in zip(alice, bob)]))
    return (True, alice, bob, share) if share < 0.1 else (False, [], [], share)
""",
    ],
    "DistinguishUnitaries/1.5": [
        _MATRIX + "def answer(f):\n    return 0 if matrix(f)[0, 0].real > 0 else 1",
        _CONTROLLED + "def answer(f):\n    return phase(controlled(f))",
    ],
    "DistinguishUnitaries/1.6": [
        _MATRIX + "def answer(f, angle):\n    return 0 if abs(matrix(f, angle)[0, 0] - 1) > 1e-9 else 1",
        _CONTROLLED + "def answer(f, angle):\n    return 1 - phase(controlled(f, 2 * pi))",
    ],
    "DistinguishUnitaries/1.7": [
        _MATRIX + "def answer(f):\n    return int(abs(np.trace(matrix(f) @ matrix(f)) + 2) < 1e-9)",
        _CONTROLLED + "def answer(f):\n    return phase(controlled(f), 2)",
    ],
    "DistinguishUnitaries/1.8": [
        _MATRIX + "def answer(f):\n    found, y = matrix(f), np.array([[0, -1j], [1j, 0]])\n"
        "    return [k for k in range(4) if np.allclose(found, 1j**k * y)][0]",
        _CONTROLLED
        + """
def answer(f):
    qc = QuantumCircuit(3)
    qc.h([0, 1, 2])
    qc.s(2)
    gate = controlled(f)
    qc.append(gate, [0, 2])
    qc.append(gate, [1, 2])
    qc.append(gate, [1, 2])
    qc.h(1)
    qc.cp(-pi / 2, 0, 1)
    qc.h(0)
    qc.swap(0, 1)
    low, high = once(qc, [0, 1])
    return low + 2 * high
""",
    ],
    "DistinguishUnitaries/1.10": [
        _MATRIX + "def answer(f, theta):\n    return 1 if abs(matrix(f)[0, 0] - 1) < 1e-9 else 0",
        _CONTROLLED + "def answer(f, theta):\n    gate, times = controlled(f), round(2 * pi / theta)\n"
        "    return 0 if sum(phase(gate, times) for _ in range(7)) > 1 else 1",
    ],
    "SimonsAlgorithm/Algorithm": [
        """
def answer(n, oracle, max_iterations=None):
    def f(x):
        qc = oracle(QuantumCircuit(2 * n), list(range(n)), list(range(n, 2 * n)))
        return int(np.argmax(abs(Statevector.from_int(x, 4**n).evolve(qc).data))) >> n
    found = next(x for x in range(1, 2**n) if f(x) == f(0))
    return format(found, f"0{n}b")[::-1]
""",
        """
def answer(n, oracle, max_iterations=None):
    qc = QuantumCircuit(2 * n, n)
    qc.h(range(n))
    oracle(qc, list(range(n)), list(range(n, 2 * n)))
    qc.h(range(n))
    qc.measure(range(n), range(n))
    seen = [int(z, 2) for z in AerSimulator().run(qc, shots=max_iterations or n - 1).result().get_counts()]
    left = [s for s in range(1, 2**n) if all(bin(s & z).count("1") % 2 == 0 for z in seen)]
    return format(left[0], f"0{n}b")
""",
    ],
    "DeutschJozsa/4.1": [
        "def answer(n, f):\n    state = Statevector(f(QuantumCircuit(n + 1), list(range(n)), n))\n"
        "    return [1 - round(state.probabilities([n])[1]), *[1] * (n - 1)]",
        ONCE + "def answer(n, f):\n    qc = QuantumCircuit(n + 1)\n    qc.x(range(n))\n    f(qc, list(range(n)), n)\n"
        "    ones = once(qc, [n])[0]\n    return [0] * (n - ones) + [1] * ones",
    ],
    "Teleportation/1.2": [
        ONCE
        + "def answer(qc, alice, message):\n    qc.cx(message, alice)\n    qc.h(message)\n    return tuple(map(bool, once(qc, [message, alice])))",
        ONCE
        + "def answer(qc, alice, message):\n    qc.append(UnitaryGate(np.array([[1, 0, 0, 1], [1, 0, 0, -1], [0, 1, 1, 0], [0, 1, -1, 0]]) / 2**.5),"
        " [alice, message])\n    a, m = once(qc, [alice, message])\n    return bool(m), bool(a)",
    ],
    "Teleportation/1.6": [
        ONCE
        + """
def answer(qc, q, bits, basis):
    if bits[0]:
        qc.z(q)
    if bits[1]:
        qc.x(q)
    {"X": lambda: qc.h(q), "Y": lambda: (qc.sdg(q), qc.h(q)), "Z": lambda: None}[basis]()
    return once(qc, [q]) == [1]
""",
        """
def answer(qc, q, bits, basis):
    flip = {"X": bits[1], "Y": bits[0] ^ bits[1], "Z": bits[0]}[basis]
    from qiskit.quantum_info import Pauli
    return bool(Statevector(qc).expectation_value(Pauli(basis), [q]).real < 0) ^ bool(flip)
""",
    ],
    "Teleportation/1.8": [
        ONCE
        + """
def charlie(qc, a, b):
    qc.cx(a, b)
    qc.h(a)
    phase, parity = once(qc, [a, b])
    return phase + 2 * parity

def bob(qc, q, message):
    if message & 2:
        qc.x(q)
    if message & 1:
        qc.z(q)

def answer():
    return charlie, bob
""",
        ONCE
        + """
def answer():
    def charlie(qc, a, b):
        qc = qc.copy()
        qc.cx(b, a)
        qc.h(b)
        return sum(2**k for k, bit in enumerate(once(qc, [a, b])) if bit)

    def bob(qc, q, message):
        qc = qc.copy()
        [qc.id, qc.x, qc.z, qc.y][message](q)
        return qc

    return charlie, bob
""",
    ],
    "Teleportation/4.2": [
        "def answer(qc, q, bits, bob):\n    if bits[1] != bob:\n        qc.x(q)\n    if bits[0]:\n        qc.z(q)\n    return qc",
        "def answer(qc, q, bits, bob):\n    if bits[1]:\n        qc.x(q)\n    for bit in (bits[0], bob):\n        if bit:\n            qc.rz(pi, q)\n    return qc",
    ],
    "BoundedKnapsack/2.4": [
        TABLE
        + """
def answer(qc, quantity, factor, result):
    m, n = len(quantity), len(result)
    A, R = list(range(m)), list(range(m, m + n))
    return table(qc, [*quantity, *result], lambda i: put(i, R, (number(i, R) + factor * number(i, A)) % 2**n))
""",
        _FOURIER_ADD
        + "def answer(qc, quantity, factor, result):\n    for k, qubit in enumerate(quantity[::-1]):\n        add(qc, qubit, factor * 2**k, result[::-1])\n    return qc",
    ],
    "BoundedKnapsack/2.6": [
        TABLE
        + """
def answer(qc, values, jagged, result):
    every = [*sum(jagged, []), *result]
    at = {q: k for k, q in enumerate(every)}
    R = [at[q] for q in result]
    def become(i):
        total = sum(v * number(i, [at[q] for q in qs]) for v, qs in zip(values, jagged))
        return put(i, R, number(i, R) ^ total % 2 ** len(R))
    return table(qc, every, become)
""",
        _FOURIER_ADD
        + "def answer(qc, values, jagged, result):\n    for value, quantity in zip(values, jagged):\n        for k, qubit in enumerate(quantity[::-1]):\n"
        "            add(qc, qubit, value * 2**k, result[::-1])\n    return qc",
    ],
}
"""By task id."""
