"""The quantum Fourier transform on three qubits."""

from repair_bench.suites.conventions.circuit import Circuit, fourier, swap, x
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

QUBITS = 3


def circuit(choice: Choice, _: Constants) -> Circuit:
    qubits = range(QUBITS)
    steps = list(fourier(qubits, sign=1 if choice["sign"] == "plus" else -1))
    turned = [swap(0, QUBITS - 1)]
    if choice["input"] == "last":
        steps = turned + steps
    if choice["output"] == "last":
        steps = steps + turned
    if choice["zero"] == "middle":
        steps.append(x(QUBITS - 1 if choice["output"] == "last" else 0))  # k + 4 modulo 8
    return Circuit(QUBITS, tuple(steps))


FAMILY = Family(
    name="fourier",
    title="Quantum Fourier transform",
    entry_point="fourier",
    kind="unitary",
    size=QUBITS,
    category="algorithm",
    concepts=("fourier transform",),
    statement="""
Apply the quantum Fourier transform to three qubits, following the convention of the rest of our code. An integer j
from 0 to 7 is mapped to the sum over all frequencies k from 0 to 7, each with amplitude 1 / sqrt(8) and phase
2 pi j k / 8, up to the sign of the phase. Each frequency has an output index from 0 to 7, in the order in which our
code arranges the frequencies.
""",
    dimensions=(
        dimension(
            "sign",
            "the sign of the exponent",
            "whether the phase factor is exp(+2 pi i j k / 8) or exp(-2 pi i j k / 8)",
            plus="The phase factor is exp(+2 pi i j k / 8).",
            minus="The phase factor is exp(-2 pi i j k / 8).",
        ),
        dimension(
            "input",
            "the qubit order of j",
            "whether qubit 0 is the most or the least significant bit of j",
            first="Before the transform, qubit 0 is the most significant bit of j.",
            last="Before the transform, qubit 0 is the least significant bit of j.",
        ),
        dimension(
            "output",
            "the qubit order of the output index",
            "whether qubit 0 is the most or the least significant bit of the output index",
            first="After the transform, qubit 0 is the most significant bit of the output index.",
            last="After the transform, qubit 0 is the least significant bit of the output index.",
        ),
        dimension(
            "zero",
            "the position of frequency 0",
            "whether frequency k is at output index k, or at output index (k + 4) mod 8 so that frequency 0 is in the "
            "middle",
            start="Frequency k is at output index k.",
            middle="The output is centred: frequency k is at output index (k + 4) mod 8.",
        ),
    ),
    circuit=circuit,
)
