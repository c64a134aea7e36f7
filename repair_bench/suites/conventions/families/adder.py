"""Addition or subtraction of two numbers of two bits, in place."""

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
        steps.append(x(high))  # of two shifts, a sum has one too many and a difference one too few: 2 modulo 4
    return Circuit(4, tuple(steps))


FAMILY = Family(
    name="adder",
    title="Arithmetic of two registers in place",
    entry_point="arithmetic_step",
    kind="unitary",
    size=4,
    category="algorithm",
    concepts=("arithmetic", "registers"),
    statement="""
We need the arithmetic step of a small controller, on four qubits without a helper: registers a and b hold a number of
two bits each. The result replaces the number in one register, and the other register keeps its own. Numbers wrap around
modulo 4. The step only permutes basis states, it adds no phases.
""",
    dimensions=(
        dimension(
            "receiver",
            "which register receives the result",
            "whether the result replaces the number in register a or that in register b",
            a="The result replaces the number in register a, and register b keeps its own.",
            b="The result replaces the number in register b, and register a keeps its own.",
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
            "what is done with the two numbers",
            "whether the number that is kept is added to the other or subtracted from it",
            plus="The number that is kept is added to the one that is replaced.",
            minus="The number that is kept is subtracted from the one that is replaced.",
        ),
        dimension(
            "layout",
            "where the registers lie",
            "whether a is qubits 0 and 1 and b qubits 2 and 3, or a is qubits 0 and 2 and b qubits 1 and 3",
            blocks="Register a is qubits 0 and 1, register b is qubits 2 and 3.",
            interleaved="Register a is qubits 0 and 2, register b is qubits 1 and 3.",
        ),
        dimension(
            "stored",
            "how a number is stored",
            "whether a register stores a number from 0 to 3 as it is, or a number from -2 to 1 with 2 added",
            plain="The two bits of a register are its number, from 0 to 3.",
            shifted=(
                "Numbers, the result too, run from -2 to 1 and are stored with 2 added: "
                "a register whose bits read v holds the number v - 2."
            ),
        ),
    ),
    circuit=circuit,
)
