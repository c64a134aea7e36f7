"""Addition or subtraction of two 2-bit numbers, in place."""

from repair_bench.suites.conventions.circuit import Circuit, cx, inverse, x
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

LAYOUTS = {"blocks": ((0, 1), (2, 3)), "interleaved": ((0, 2), (1, 3))}


def circuit(choice: Choice, _: Constants) -> Circuit:
    a, b = (qubits if choice["order"] == "most" else qubits[::-1] for qubits in LAYOUTS[choice["layout"]])
    (high, low), (kept_high, kept_low) = (a, b) if choice["receiver"] == "a" else (b, a)
    steps = [cx(low, high).controlled(kept_low), cx(kept_high, high), cx(kept_low, low)]
    if choice["sign"] == "minus":
        steps = [*inverse(steps)]
    if choice["stored"] == "shifted":
        steps.append(x(high))  # two shifts make a sum 1 too large and a difference 1 too small
    return Circuit(4, tuple(steps))


FAMILY = Family(
    name="adder",
    title="In-place arithmetic on two registers",
    entry_point="arithmetic_step",
    kind="unitary",
    size=4,
    category="algorithm",
    concepts=("arithmetic", "registers"),
    statement="""
Implement the arithmetic step of a small controller on four qubits, without ancillas. Registers a and b each hold a
two-bit number. The result replaces the number in one register; the other register is unchanged. Arithmetic is
modulo 4. The step permutes basis states without adding phases.
""",
    dimensions=(
        dimension(
            "receiver",
            "the register that receives the result",
            "whether the result replaces the number in register a or the number in register b",
            a="The result replaces the number in register a; register b is unchanged.",
            b="The result replaces the number in register b; register a is unchanged.",
        ),
        dimension(
            "order",
            "the order of the bits in a register",
            "whether the lower-numbered qubit of each register is its most or its least significant bit",
            most="In each register the lower-numbered qubit is the most significant bit.",
            least="In each register the lower-numbered qubit is the least significant bit.",
        ),
        dimension(
            "sign",
            "the choice between addition and subtraction",
            "whether the number in the unchanged register is added to the other number or subtracted from it",
            plus="The number in the unchanged register is added to the other number.",
            minus="The number in the unchanged register is subtracted from the other number.",
        ),
        dimension(
            "layout",
            "the qubits of the registers",
            "whether register a is on qubits 0 and 1 and register b is on qubits 2 and 3, or register a is on qubits 0 "
            "and 2 and register b is on qubits 1 and 3",
            blocks="Register a is on qubits 0 and 1, and register b is on qubits 2 and 3.",
            interleaved="Register a is on qubits 0 and 2, and register b is on qubits 1 and 3.",
        ),
        dimension(
            "stored",
            "the encoding of numbers",
            "whether each register stores a number from 0 to 3 directly, or stores a number from -2 to 1 with an "
            "offset of 2",
            plain="Each register stores a number from 0 to 3 in binary.",
            shifted=(
                "Numbers, including the result, range from -2 to 1 and are stored with an offset of 2: a register "
                "with the binary value v holds the number v - 2."
            ),
        ),
    ),
    circuit=circuit,
)
