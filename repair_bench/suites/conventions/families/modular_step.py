"""A controlled step from x to x + b modulo a small number, in place."""

from collections.abc import Sequence
from random import Random

from repair_bench.suites.conventions.circuit import Circuit, Gate, cx, x, z
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

CONTROL = 0
REGISTER = (1, 2, 3)
VALUES = 2 ** len(REGISTER)


def constants(rng: Random) -> Constants:
    modulus = rng.choice((5, 7))
    return {"modulus": modulus, "shift": rng.randrange(1, modulus), "half": modulus // 2}


def circuit(choice: Choice, constants: Constants, multiplier: int) -> Circuit:
    modulus, shift = constants["modulus"], constants["shift"]
    stored = list(range(modulus))
    if choice["residues"] == "balanced":
        stored = [residue - modulus * (residue > modulus // 2) for residue in range(modulus)]
    places = [number % VALUES for number in stored]
    images = list(range(VALUES))
    for residue in range(modulus):
        added = multiplier * residue + shift if choice["addition"] == "after" else multiplier * (residue + shift)
        before, after = places[residue], places[added % modulus]
        if choice["direction"] == "forward":
            images[before] = after
        else:
            images[after] = before
    register = REGISTER if choice["order"] == "first" else REGISTER[::-1]
    steps = _permutation(images, register)
    if choice["outside"] == "sign":
        steps += [_sign(value, register) for value in range(VALUES) if value not in places]
    switch = (CONTROL, int(choice["control"] == "one"))
    return Circuit(1 + len(REGISTER), tuple(gate.controlled(switch) for gate in steps))


def _permutation(images: Sequence[int], qubits: Sequence[int]) -> list[Gate]:
    """Map |j> to |images[j]>. The first of `qubits` is the most significant."""
    at = list(range(len(images)))
    gates: list[Gate] = []
    for value, image in enumerate(images):
        if at[value] != image:
            gates += _exchange(at[value], image, qubits)
            at[at.index(image)], at[value] = at[value], image
    return gates


def _exchange(one: int, other: int, qubits: Sequence[int]) -> list[Gate]:
    bits = _bits(min(one, other), len(qubits))
    differ = [i for i, bit in enumerate(_bits(max(one, other), len(qubits))) if bit != bits[i]]
    # the larger number has a 1 in the first differing bit, which controls the change of the other bits
    first = differ[0]
    align = [cx(qubits[first], qubits[i]) for i in differ[1:]]
    turn = x(qubits[first]).controlled(*((qubits[i], bit) for i, bit in enumerate(bits) if i != first))
    return [*align, turn, *align]


def _sign(value: int, qubits: Sequence[int]) -> Gate:
    bits = _bits(value, len(qubits))
    first = bits.index(1)
    return z(qubits[first]).controlled(*((qubits[i], bit) for i, bit in enumerate(bits) if i != first))


def _bits(value: int, count: int) -> list[int]:
    return [int(bit) for bit in format(value, f"0{count}b")]


FAMILY = Family(
    name="modular_step",
    title="Controlled modular step",
    entry_point="modular_step",
    parameters="multiplier: int",
    kind="unitary",
    size=1 + len(REGISTER),
    category="algorithm",
    concepts=("modular arithmetic", "control"),
    statement="""
One step of our number generator acts on a residue modulo {modulus}. The step consists of a multiplication by
`multiplier` and an addition of {shift}. Implement the step in place on the register of qubits 1, 2 and 3, controlled by
qubit 0. Nothing changes while the control is off. Register values that do not encode a residue are not permuted.
""",
    dimensions=(
        dimension(
            "order",
            "the qubit order of the register",
            "whether qubit 1 is the most or the least significant bit of the register",
            first="Qubit 1 is the most significant bit of the register, and qubit 3 is the least significant.",
            last="Qubit 1 is the least significant bit of the register, and qubit 3 is the most significant.",
        ),
        dimension(
            "addition",
            "the order of multiplication and addition",
            "whether {shift} is added before or after the multiplication",
            before="The step adds {shift} first, then multiplies the sum.",
            after="The step multiplies first, then adds {shift} to the product.",
        ),
        dimension(
            "direction",
            "the direction of the step",
            "whether the step itself or the inverse of the step is applied to the register",
            forward="The step itself is applied to the register, not its inverse.",
            backward="The inverse of the step is applied to the register, not the step itself.",
        ),
        dimension(
            "control",
            "the control value",
            "whether the control is on when qubit 0 is 1 or when it is 0",
            one="The control is on when qubit 0 is 1.",
            zero="The control is on when qubit 0 is 0.",
        ),
        dimension(
            "residues",
            "the encoding of residues",
            "whether residues are stored as the integers from 0 to {modulus} - 1 or as the integers from "
            "-{half} to {half} in two's complement",
            plain="Residues are stored as the integers from 0 to {modulus} - 1.",
            balanced="Residues are stored as the integers from -{half} to {half}, in two's complement.",
        ),
        dimension(
            "outside",
            "register values that do not encode a residue",
            "whether the amplitude of a register value that does not encode a residue is unchanged, or is multiplied "
            "by -1 when the control is on",
            alone="The amplitude of a register value that does not encode a residue is unchanged.",
            sign=(
                "The amplitude of a register value that does not encode a residue is multiplied by -1 when the control "
                "is on."
            ),
        ),
    ),
    constants=constants,
    # the last factor is its own inverse
    cases=lambda _, constants: ((2,), (3,), (constants["modulus"] - 1,)),
    circuit=circuit,
)
