"""A pipeline of two stages: three copies of a qubit state, then measurements along three axes."""

from random import Random

from repair_bench.suites.conventions.circuit import Circuit, Gate, Measure, Step, h, p, ry, rz, x
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

# for these angles, the probabilities along different axes differ
POLAR = (0.2, 0.25, 0.3, 0.35, 0.65, 0.68, 0.7, 0.72)
AZIMUTHS = (0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6)


def cases(rng: Random, _: Constants) -> list[tuple[float, float]]:
    return list(zip(rng.sample(POLAR, 8), rng.sample(AZIMUTHS, 8), strict=True))


def circuit(choice: Choice, _: Constants, theta: float, phi: float) -> Circuit:
    polar = theta if choice["polar"] == "half" else 2 * theta
    turn = p if choice["real"] == "zero" else rz
    steps: list[Step] = []
    for qubit in range(3):
        steps += [ry(polar, qubit), turn(phi if choice["azimuth"] == "plus" else -phi, qubit)]
    steps += [h(0), Gate("sdg", (1,)), h(1)]  # the axes x, y and z of qubits 0, 1 and 2
    if choice["value"] == "minus":
        steps += [x(qubit) for qubit in range(3)]
    bits = (0, 1, 2) if choice["order"] == "xyz" else (2, 1, 0)
    return Circuit(3, (*steps, *(Measure(qubit, bit) for qubit, bit in enumerate(bits))))


FAMILY = Family(
    name="direction_readout",
    title="A state measured along three axes",
    entry_point="prepare_and_measure",
    parameters="theta: float, phi: float",
    kind="distribution",
    size=3,
    stages=2,
    measured="the results along the three axes",
    category="algorithm",
    concepts=("state preparation", "measurement"),
    statement="""
Implement a pipeline of two stages on three qubits. Stage 1 prepares each qubit in the same superposition of |0> and
|1>. Apart from phases, the amplitude of |0> is cos(a) and the amplitude of |1> is sin(a), where the angle a is either
theta / 2 or theta. The phase of |1> relative to |0> is phi, up to sign. Stage 2 measures the Pauli matrix X of qubit
0, Y of qubit 1 and Z of qubit 2.
""",
    dimensions=(
        dimension(
            "polar",
            "the angle a",
            "whether the angle a is theta / 2 or theta",
            half="The angle a is theta / 2.",
            whole="The angle a is theta.",
        ),
        dimension(
            "azimuth",
            "the sign of the phase",
            "whether the phase of |1> relative to |0> is +phi or -phi",
            plus="The phase of |1> relative to |0> is +phi.",
            minus="The phase of |1> relative to |0> is -phi.",
        ),
        dimension(
            "real",
            "the phase of |0>",
            "whether the amplitude of |0> is real, or the amplitudes of |0> and |1> have opposite phases",
            zero="The amplitude of |0> is real.",
            none="The amplitudes of |0> and |1> have opposite phases.",
        ),
        dimension(
            "order",
            "the order of the results",
            "whether the results are in the order x, y, z or in the order z, y, x",
            xyz="The results are in the order x, y, z.",
            zyx="The results are in the order z, y, x.",
        ),
        dimension(
            "value",
            "the eigenvalue that each result stands for",
            "whether the result 0 means the eigenvalue +1 or -1",
            plus="The result 0 means the eigenvalue +1.",
            minus="The result 0 means the eigenvalue -1.",
        ),
    ),
    cases=cases,
    circuit=circuit,
)
