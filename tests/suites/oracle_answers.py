"""Two or more right answers per task with an oracle, different from the published solution. The entry point is `answer`."""

from oracle_answers_of_algorithms import ALGORITHMS, ONCE, TABLE

_HEAD = """
import numpy as np
from math import pi
from qiskit import ClassicalRegister, QuantumCircuit, QuantumRegister, transpile
from qiskit.circuit.library import UnitaryGate, XGate, ZGate, PhaseGate
from qiskit.quantum_info import Operator, Statevector
from qiskit_aer import AerSimulator
"""

_FOURIER = """
def fourier(n, sign=1):
    index = np.arange(2**n)
    return np.exp(sign * 2j * np.pi * np.outer(index, index) / 2**n) / 2 ** (n / 2)
"""

_BY_MATRIX = (
    _FOURIER + "def answer(qc, qubits):\n    qc.append(UnitaryGate(fourier(len(qubits))), qubits[::-1])\n    return qc"
)
_QISKITS = """
def answer(qc, qubits):
    n = len(qubits)
    for i in reversed(range(n)):
        qc.h(qubits[i])
        for j in range(i):
            qc.cp(pi / 2 ** (i - j), qubits[j], qubits[i])
    for i in range(n // 2):
        qc.swap(qubits[i], qubits[n - 1 - i])
    return qc
"""
_INVERSE_BY_MATRIX = _BY_MATRIX.replace("fourier(len(qubits))", "fourier(len(qubits), -1)")
_INVERSE_OF_QISKITS = (
    _QISKITS.replace("def answer", "def forward")
    + """
def answer(qc, qubits):
    forward_one = forward(QuantumCircuit(len(qubits)), list(range(len(qubits))))
    return qc.compose(forward_one.inverse(), qubits)
"""
)


def _marking(condition: str) -> list[str]:
    """Return oracles that mark the x with `condition`: by a table, and by a gate per marked input."""
    return [
        TABLE
        + f"""
def answer(qc, inputs, target, *more):
    n = len(inputs)
    def become(index):
        x = [index >> k & 1 for k in range(n)]
        return index ^ (({condition}) << n)
    return table(qc, [*inputs, target], become)
""",
        f"""
def answer(qc, inputs, target, *more):
    for index in range(2 ** len(inputs)):
        x = [index >> k & 1 for k in range(len(inputs))]
        if {condition}:
            qc.append(XGate().control(len(inputs), ctrl_state=index), [*inputs, target])
    return qc
""",
    ]


def _adding(become: str, carry: str = "", *, result: bool = False, high_first: bool = True) -> list[str]:
    """Return adders by a table, with the lowest bit first and with the highest bit first."""
    made = []
    for step in ("", "[::-1]") if high_first else ("",):
        names = ["a", "b", *(["s"] if result else []), *(["c"] if carry else [])]
        made.append(
            TABLE
            + f"""
def answer(qc, {", ".join(names)}):
    n, every = len(a), [*a, *b{", *s" if result else ""}{", c" if carry else ""}]
    at = {{q: k for k, q in enumerate(every)}}
    A, B = [at[q] for q in a{step}], [at[q] for q in b{step}]
    R = [at[q] for q in {"s" if result else "b"}{step}]
    def become(index):
        x, y = number(index, A), number(index, B)
        index = put(index, R, {"number(index, R) ^ " if result else ""}(({become}) % 2**n))
        return index{" ^ ((" + carry + ") << at[c])" if carry else ""}
    return table(qc, every, become)
"""
        )
    return made


_DRAPER = """
def answer(qc, a, b, *carry):
    n, high = len(a), [*b, *carry]
    for i in reversed(range(len(high))):
        qc.h(high[i])
        for j in range(i):
            qc.cp(pi / 2 ** (i - j), high[j], high[i])
    for i in range(len(high)):
        for j in range(min(i, n - 1) + 1):
            qc.cp(SIGN * pi / 2 ** (i - j), a[j], high[i])
    for i in range(len(high)):
        for j in reversed(range(i)):
            qc.cp(-pi / 2 ** (i - j), high[j], high[i])
        qc.h(high[i])
    return qc
"""
"""Addition in the Fourier basis (Draper, 2000); the carry is the highest bit of the sum."""
_INTO = """
in_place = answer
def answer(qc, a, b, s, *carry):
    a, b, s = aSTEP, bSTEP, sSTEP
    for one, other in zip(b, s):
        qc.cx(one, other)
    return in_place(qc, a, s, *carry)
"""
"""Addition into a third register, without a matrix of ten qubits."""


def _into(sign: str) -> list[str]:
    return [_DRAPER.replace("SIGN", sign) + _INTO.replace("STEP", step) for step in ("", "[::-1]")]


_IN_PLACE = [*_adding("x + y", "(x + y) >> n"), _DRAPER.replace("SIGN", "1")]

_CLAUSE = "any(x[j] == positive for j, positive in more[0])"
_FORMULA = "all(any(x[j] == positive for j, positive in clause) for clause in more[0])"
_ONE_EACH = "all(sum(x[j] == positive for j, positive in clause) == 1 for clause in more[0])"
_DIFFERENT = "len({tuple(x[0:2]), tuple(x[2:4]), tuple(x[4:6])}) == 3"
_FLAT = "\ninner = answer\ndef answer(qc, colors, target):\n    return inner(qc, sum(colors, []), target)\n"

_BELL = "qc.h(a)\n    qc.cx(a, b)\n"
_TELEPORT = """
def answer(qc, a, b, m):
    PAIR
    qc.cx(m, a)
    qc.h(m)
    bits = ClassicalRegister(2, "sent")
    qc.add_register(bits)
    qc.measure([a, m], bits)
    with qc.if_test((bits[0], 1)):
        qc.x(b)
    with qc.if_test((bits[1], 1)):
        qc.z(b)
    return qc
"""


def _transpiled(backend: str, option: str) -> list[str]:
    return [
        f"from qiskit_ibm_runtime.fake_provider import {backend}\n"
        f"def answer():\n    qc = QuantumCircuit(2)\n    {bell}\n"
        f"    return transpile(qc, {backend}(), {option}, optimization_level=1)"
        for bell in ("qc.h(1); qc.cx(1, 0)", "qc.h(0); qc.cx(0, 1); qc.measure_all()")
    ]


_RIGHT: dict[str, list[str]] = {
    "qiskitHumanEval/16": [
        "from qiskit import transpile\nfrom qiskit_ibm_runtime.fake_provider import FakeCairoV2\n"
        f"def answer(circuit):\n    return transpile(circuit, {where}, optimization_level=1)"
        for where in (
            "FakeCairoV2(), seed_transpiler=5",
            "coupling_map=FakeCairoV2().coupling_map, basis_gates=['rz', 'sx', 'x', 'cx']",
        )
    ],
    "qiskitHumanEval/21": _transpiled("FakeOslo", "layout_method='dense'"),
    "qiskitHumanEval/22": _transpiled("FakeAuckland", "scheduling_method='alap'"),
    "qiskitHumanEval/64": [
        """
def answer(s):
    n = len(s)
    qc = QuantumCircuit(QuantumRegister(2 * n), ClassicalRegister(n, "c"))
    first = s.index("1")
    qc.h(range(n))
    for i in range(n):
        if i != first:
            qc.cx(i, n + i)
            if s[i] == "1":
                qc.cx(first, n + i)
    qc.h(range(n))
    qc.measure(range(n), range(n))
    return qc
""",
        """
def answer(s):
    n = len(s)
    qc = QuantumCircuit(QuantumRegister(2 * n), ClassicalRegister(n, "c"))
    last = n - 1 - s[::-1].index("1")
    for i in range(n):
        qc.ry(pi / 2, i)
        qc.cx(i, n + i)
    for i in range(n):
        if s[i] == "1":
            qc.cx(last, n + i)
    for i in range(n):
        qc.ry(-pi / 2, i)
    qc.measure(range(n), reversed(range(n)))
    return qc
""",
    ],
    "qiskitHumanEval/109": [
        f"from qiskit.circuit import Parameter\ndef answer():\n    qc = QuantumCircuit(1)\n    {gates}\n    return qc"
        for gates in ("qc.ry(pi / 2, 0); qc.p(Parameter('x'), 0)", "qc.u(pi / 2, Parameter('phi'), 0, 0)")
    ],
    "qiskitHumanEval/110": [
        """
def answer(circuit, n):
    found = []
    for k in range(n):
        qc = circuit.copy()
        for gate in np.random.default_rng(k).choice(["x", "y", "z", "h"], 3):
            getattr(qc, gate)(0)
            getattr(qc, gate)(0)
        found.append(qc)
    return found
""",
        """
def answer(circuit, n):
    from qiskit.quantum_info import random_clifford
    found = []
    for k in range(n):
        other = random_clifford(circuit.num_qubits, seed=k).to_circuit()
        found.append(circuit.compose(other).compose(other.inverse()))
    return found
""",
    ],
    "qiskitHumanEval/139": [
        f"""
def answer(data, part):
    n = data.num_qubits
    rest = [q for q in range(n) if q not in part]
    axes = [n - 1 - q for q in [*rest[::-1], *part[::-1]]]
    joint = data.data.reshape((2,) * n).transpose(axes).reshape(2 ** len(rest), -1)
    u, s, v = np.linalg.svd(joint, full_matrices=False)
    return {returned}
"""
        for returned in (
            "[(s[k], Statevector(u[:, k]), Statevector(v[k])) for k in range(len(s)) if s[k] > 1e-12]",
            "(s, u.T, v)",
        )
    ],
    "BasicGates/1.7": [
        "def answer(qc, q):\n    qc.rz(2 * pi, q)\n    return qc",
        "def answer(qc, q):\n    qc.global_phase += pi\n    return qc",
        "def answer(qc, q):\n    for gate in (qc.z, qc.x, qc.z, qc.x):\n        gate(q)\n    return qc",
    ],
    "BasicGates/1.10": [
        "def answer(qc, q):\n    qc.y(q[0])\n    return qc",
        "def answer(qc, q):\n    qc.x(q[1])\n    qc.z(q[1])\n    return qc",
    ],
    "BasicGates/2.4": [
        "def answer(qc, q):\n    qc.append(XGate().control(1, ctrl_state=0), [q[0], q[1]])\n    return qc",
        "def answer(qc, q):\n    qc.append(XGate().control(1, ctrl_state=0), [q[1], q[0]])\n    return qc",
    ],
    "Superposition/1.7": [
        "def answer(qc, q, i):\n    if i & 1:\n        qc.x(q[0])\n    if i & 2:\n        qc.x(q[1])\n    qc.h(q[0])\n"
        "    qc.cx(q[0], q[1])\n    return qc",
        "def answer(qc, q, i):\n    v = [[1, 0, 0, 1], [1, 0, 0, -1], [0, 1, 1, 0], [0, 1, -1, 0]][i]\n"
        "    qc.initialize(np.array(v) / 2**.5, q)\n    return qc",
    ],
    "Superposition/1.12": [
        f"def answer(qc, q, a, b):\n    v = np.zeros(2 ** len(q))\n    for s in (a, b):\n"
        f"        v[int(''.join('01'[x] for x in s){step}, 2)] = 0.5**.5\n    qc.initialize(v, q)\n    return qc"
        for step in ("", "[::-1]")
    ],
    "Superposition/2.2": [
        "def answer(qc, q):\n    qc.initialize([0.5**.5, 0, 0.5, 0.5], q)\n    return qc",
        "def answer(qc, q):\n    qc.h(q[0])\n    qc.ch(q[0], q[1])\n    return qc",
    ],
    "UnitaryPatterns/7": [
        "def answer(qc, q, t):\n    qc.p(t, q)\n    return qc",
        "def answer(qc, q, t):\n    qc.h(q)\n    qc.rx(t, q)\n    qc.h(q)\n    return qc",
    ],
    "PhaseEstimation/1": [
        "def answer(qc, c, t, theta, k):\n    for _ in range(2**k):\n        qc.cp(theta, t, c)\n    return qc",
        "def answer(qc, c, t, theta, k):\n    qc.append(PhaseGate(theta).power(2**k).control(1), [c, t])\n    return qc",
    ],
    "PhaseEstimation/6": [
        "def answer(m, n):\n    return float(np.ldexp(m, -n) * 2 * pi)",
        "def answer(m, n):\n    return np.float64(m) * pi / 2 ** (n - 1)",
    ],
    "QEC_BitFlipCode/5": [
        "def answer(qc, q, s):\n    which = {(1, 0): 0, (1, 1): 1, (0, 1): 2}.get(tuple(map(int, s)))\n"
        "    if which is not None:\n        qc.x(q[which])\n    return qc",
        "def answer(qc, q, s):\n    a, b = s\n    for on, k in ((a and not b, 0), (a and b, 1), (b and not a, 2)):\n"
        "        if on:\n            qc.h(q[k]); qc.z(q[k]); qc.h(q[k])\n    return qc",
    ],
    "QEC_BitFlipCode/10": [
        """
def answer(qc, data, others, syndrome, error=None):
    code = [data, *others]
    qc.cx(data, others)
    if error is not None:
        qc.x(error)
    for pair, s in (((0, 1), syndrome[0]), ((1, 2), syndrome[1])):
        for k in pair:
            qc.cx(code[k], s)
    for k, state in ((0, 1), (1, 3), (2, 2)):
        qc.append(XGate().control(2, ctrl_state=state), [*syndrome, code[k]])
    qc.reset(syndrome)
    return qc
""",
        """
def answer(qc, data, others, syndrome, error=None):
    code, bits = [data, *others], ClassicalRegister(2, "syndrome")
    qc.add_register(bits)
    qc.cx(data, others[0])
    qc.cx(data, others[1])
    if error is not None:
        qc.x(error)
    for pair, s in (((0, 1), syndrome[0]), ((1, 2), syndrome[1])):
        qc.cx(code[pair[0]], s)
        qc.cx(code[pair[1]], s)
    qc.measure(syndrome, bits)
    for k, value in ((0, 1), (1, 3), (2, 2)):
        with qc.if_test((bits, value)):
            qc.x(code[k])
    return qc
""",
    ],
    **{task: [_BY_MATRIX, _QISKITS] for task in ("QFT/1.2", "QFT/1.7", "PhaseEstimation/2", "UnitaryPatterns/17")},
    **{task: [_INVERSE_BY_MATRIX, _INVERSE_OF_QISKITS] for task in ("QFT/1.8", "PhaseEstimation/3")},
    "QFT/1.4": [
        "def answer(qc, q, j):\n    for k, other in enumerate(j, 1):\n        qc.cp(2 * pi / 2**k, q, other)\n    return qc",
        "def answer(qc, q, j):\n    for k, other in enumerate(j):\n        qc.rz(pi / 2 ** (k + 1), other)\n"
        "        qc.crz(2 * pi / 2 ** (k + 1), other, q)\n    return qc",
    ],
    "QFT/2.1": [
        "def answer(qc, q):\n    qc.h(q)\n    return qc",
        "def answer(qc, q):\n    for k in q:\n        qc.ry(pi / 2, k)\n    return qc",
    ],
    "QFT/2.2": [
        "def answer(qc, q, F):\n    qc.h(q)\n    for k, one in enumerate(q, 1):\n        qc.p(2 * pi * F * 2 ** (len(q) - k) / 2 ** len(q), one)\n"
        "    return qc",
        "def answer(qc, q, F):\n    size = 2 ** len(q)\n    qc.initialize(np.exp(2j * pi * F * np.arange(size) / size) / size**.5, q[::-1])\n"
        "    return qc",
    ],
    "QFT/2.5": [
        "def answer(qc, q):\n    qc.h(q)\n    qc.z(q[1])\n    return qc",
        "def answer(qc, q):\n    qc.h(q)\n    qc.z(q[-2])\n    return qc",
    ],
    "RippleCarryAdder/1.1": [
        "def answer(qc, a, b, s):\n    qc.cx(b, s)\n    qc.cx(a, s)\n    return qc",
        "def answer(qc, a, b, s):\n    qc.cx(a, b)\n    qc.cx(b, s)\n    qc.cx(a, b)\n    return qc",
    ],
    "RippleCarryAdder/2.3": [
        "def answer(qc, a, b, c):\n    qc.cx(c, b)\n    qc.cx(a, b)\n    return qc",
        "def answer(qc, a, b, c):\n    qc.h(b)\n    qc.cz(a, b)\n    qc.cz(c, b)\n    qc.h(b)\n    return qc",
    ],
    "RippleCarryAdder/1.6": _adding("x + y", "(x + y) >> n", result=True),
    "RippleCarryAdder/1.7": _into("1"),
    **dict.fromkeys([f"RippleCarryAdder/{n}" for n in ("2.4", "2.5", "3.4", "3.5")], _IN_PLACE),
    "RippleCarryAdder/3.1": [
        "def answer(qc, a, b, c):\n    qc.cx(c, b)\n    qc.cx(c, a)\n    qc.ccx(a, b, c)\n    return qc",
        "def answer(qc, a, b, c):\n    qc.cx(a, b)\n    qc.cx(a, c)\n    qc.rccx(b, c, a)\n    return qc",
    ],
    "RippleCarryAdder/3.2": [
        "def answer(qc, a, b, c):\n    qc.ccx(a, b, c)\n    qc.cx(c, a)\n    qc.cx(a, b)\n    return qc",
        "def answer(qc, a, b, c):\n    qc.x(b)\n    qc.cx(c, b)\n    qc.ccx(b, c, a)\n    qc.x(b)\n    qc.cx(a, c)\n    qc.cx(a, b)\n    return qc",
    ],
    "RippleCarryAdder/3.3": [
        "def answer(qc, a, b, c):\n    qc.ccx(a, b, c)\n    qc.cx(a, b)\n    return qc",
        "def answer(qc, a, b, c):\n    qc.cx(a, b)\n    qc.append(XGate().control(2, ctrl_state=2), [b, a, c])\n    return qc",
    ],
    "RippleCarryAdder/4.1": _adding("y - x", "x > y"),
    "RippleCarryAdder/5.1": _into("1"),
    "RippleCarryAdder/5.2": [
        f"def answer(qc, a):\n    a = a{step}\n    for q in a:\n        qc.x(q)\n    for k in range(len(a) - 1, 0, -1):\n"
        "        qc.mcx(a[:k], a[k])\n    qc.x(a[0])\n    return qc"
        for step in ("", "[::-1]")
    ],
    "RippleCarryAdder/5.3": _into("-1"),
    "RippleCarryAdder/5.4": [*_adding("x + y"), _DRAPER.replace("SIGN", "1")],
    "RippleCarryAdder/5.5": [*_adding("y - x"), _DRAPER.replace("SIGN", "-1")],
    "SolveSATWithGrover/1.3": _marking("x[0] != x[1]"),
    "SolveSATWithGrover/1.4": _marking("all(a != b for a, b in zip(x, x[1:]))"),
    "SolveSATWithGrover/1.5": _marking(_CLAUSE),
    "SolveSATWithGrover/1.6": _marking(_FORMULA),
    "SolveSATWithGrover/2.1": _marking("sum(x) == 1"),
    "SolveSATWithGrover/2.2": _marking(_ONE_EACH),
    "MarkingOracles/3": _marking("sum(bit << k for k, bit in enumerate(x)) < more[0]"),
    "GraphColoring/8": [one + _FLAT for one in _marking(_DIFFERENT)],
    "tutorials/ExploringDeutschJozsaAlgorithm/1": _marking("x[0] != x[1]"),
    "tutorials/Oracles/2.1": [
        "def answer(qc, q, mark):\n    helper = QuantumRegister(1, 'helper')\n    qc.add_register(helper)\n"
        "    last = qc.num_qubits - 1\n    qc.initialize([2**-.5, -(2**-.5)], last)\n    mark(qc, q, last)\n    qc.reset(last)\n    return qc",
        "def answer(qc, q, mark):\n    qc.add_register(QuantumRegister(1, 'helper'))\n    last = qc.num_qubits - 1\n"
        "    qc = mark(qc, q, last)\n    qc.z(last)\n    return mark(qc, q, last)",
    ],
    "Measurements/1.2": [
        "def answer(qc, q):\n    qc.reset(q)\n    return qc",
        "def answer(qc, q):\n    bit = ClassicalRegister(1, 'bit')\n    qc.add_register(bit)\n    qc.measure(q, bit[0])\n"
        "    with qc.if_test((bit, 1)):\n        qc.x(q)\n    return qc",
    ],
    "Measurements/2.2": [
        ONCE + "def answer(qc, q):\n    if np.random.rand() < 0.5:\n        return 1 if once(qc, [q])[0] else -1\n"
        "    qc.h(q)\n    return 0 if once(qc, [q])[0] else -1",
        ONCE
        + "def answer(qc, q):\n    qc.add_register(QuantumRegister(1, 'coin'))\n    coin = qc.num_qubits - 1\n    qc.h(coin)\n"
        "    qc.ch(coin, q)\n    basis, bit = once(qc, [coin, q])\n    return -1 if not bit else 1 - basis",
    ],
    "JointMeasurements/2": [
        ONCE
        + "def answer(qc, a, b):\n    qc.cx(a, b)\n    qc.h(a)\n    phase, parity = once(qc, [a, b])\n    return 2 * parity + phase",
        ONCE
        + "def answer(qc, a, b):\n    qc.cx(b, a)\n    qc.h(b)\n    parity, phase = once(qc, [a, b])\n    return 2 * phase + parity",
    ],
    "JointMeasurements/5": [
        ONCE
        + "def answer(qc, a, b):\n    for q in (a, b):\n        qc.rx(pi / 2, q)\n    x, y = once(qc, [a, b])\n    return x != y",
        ONCE
        + "def answer(qc, a, b):\n    qc.add_register(QuantumRegister(1, 'helper'))\n    last = qc.num_qubits - 1\n    qc.h(last)\n"
        "    qc.cy(last, a)\n    qc.cy(last, b)\n    qc.h(last)\n    return bool(once(qc, [last])[0])",
    ],
    "examples/BellStateAnalysis": [
        "def answer(qc, q):\n    qc.cx(q[1], q[0])\n    qc.h(q[1])\n    return qc",
        "def answer(qc, q):\n    qc.cx(q[0], q[1])\n    qc.h(q[0])\n    bits = ClassicalRegister(2, 'told')\n    qc.add_register(bits)\n"
        "    qc.measure(q, bits)\n    return qc",
    ],
    "examples/BasicQuantumTeleportation": [
        "def answer(qc, psi, a, b):\n    qc.cx(psi, a)\n    qc.h(psi)\n    qc.measure([psi, a], [0, 1])\n    return qc",
        "def answer(qc, psi, a, b):\n    qc.cx(a, psi)\n    qc.h(a)\n    qc.measure([psi, a], [1, 2])\n    return qc",
    ],
    "examples/QuantumSuperdenseCoding": [
        "def answer(qc, q, m):\n    if m & 1:\n        qc.x(q)\n    if m & 2:\n        qc.z(q)\n    return qc",
        "def answer(qc, q, m):\n    [qc.id, qc.y, qc.x, qc.z][m](q)\n    return qc",
    ],
    "Teleportation/1.3": [
        "def answer(qc, q, m, a):\n    if a:\n        qc.x(q)\n    if m:\n        qc.z(q)\n    return qc",
        "def answer(qc, q, m, a):\n    [[qc.id, qc.x], [qc.z, qc.y]][m][a](q)\n    return qc",
    ],
    "Teleportation/1.4": [
        _TELEPORT.replace("PAIR", "qc.h(a)\n    qc.cx(a, b)"),
        "def answer(qc, a, b, m):\n    qc.swap(m, b)\n    return qc",
    ],
    "Teleportation/3.1": [
        "def answer(qc, a, b, m):\n    qc.cx(m, a)\n    qc.cx(a, b)\n    qc.h(m)\n    qc.cz(m, b)\n    return qc",
        "def answer(qc, a, b, m):\n    qc.cx(a, m)\n    qc.h(a)\n    qc.cx(m, b)\n    qc.cz(a, b)\n    return qc",
    ],
}

RIGHT = {task: [_HEAD + answer for answer in answers] for task, answers in {**_RIGHT, **ALGORITHMS}.items()}
"""By task id."""
