"""The gates that the mutations know, with their names in the three frameworks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Gate:
    """One gate of the table.

    `names`: in Qiskit (a method of QuantumCircuit), PennyLane and Cirq; None where a framework has none, synonyms after
    a slash. `angles`: how many angles come before the qubits. `controls`: how many of the qubits are controls; a gate
    that treats its qubits alike (CZ, SWAP) has none. `instead`: gates that are easily taken for it.
    """

    name: str
    names: tuple[str | None, str | None, str | None]
    angles: int
    controls: int
    instead: tuple[str, ...]

    def named(self, framework: str) -> tuple[str, ...]:
        """The names of this gate in a framework, the usual one first; empty where it has none."""
        text = self.names[_COLUMN[framework]]
        return tuple(text.split("/")) if text else ()


_COLUMN = {"qiskit": 0, "pennylane": 1, "cirq": 2}

_TABLE = (
    Gate("h", ("h", "Hadamard/H", "H"), 0, 0, ("x", "z")),
    Gate("x", ("x", "X/PauliX", "X"), 0, 0, ("z", "h")),
    Gate("y", ("y", "Y/PauliY", "Y"), 0, 0, ("x", "z")),
    Gate("z", ("z", "Z/PauliZ", "Z"), 0, 0, ("x", "s")),
    Gate("s", ("s", "S", "S"), 0, 0, ("t", "z")),
    Gate("sdg", ("sdg", None, None), 0, 0, ("s", "tdg")),
    Gate("t", ("t", "T", "T"), 0, 0, ("s", "z")),
    Gate("tdg", ("tdg", None, None), 0, 0, ("t", "sdg")),
    Gate("sx", ("sx", "SX", None), 0, 0, ("x", "h")),
    Gate("sxdg", ("sxdg", None, None), 0, 0, ("sx", "x")),
    Gate("rx", ("rx", "RX", "rx"), 1, 0, ("ry", "rz")),
    Gate("ry", ("ry", "RY", "ry"), 1, 0, ("rx", "rz")),
    Gate("rz", ("rz", "RZ", "rz"), 1, 0, ("rx", "ry")),
    Gate("p", ("p", "PhaseShift/U1", None), 1, 0, ("rx", "ry")),
    Gate("u", ("u", "U3/Rot", None), 3, 0, ()),
    Gate("u2", (None, "U2", None), 2, 0, ()),
    Gate("r", ("r", None, "PhasedXPowGate"), 2, 0, ()),
    Gate("xpow", (None, None, "XPowGate"), 1, 0, ("ypow", "zpow")),
    Gate("ypow", (None, None, "YPowGate"), 1, 0, ("xpow", "zpow")),
    Gate("zpow", (None, None, "ZPowGate"), 1, 0, ("xpow", "ypow")),
    Gate("hpow", (None, None, "HPowGate"), 1, 0, ("xpow",)),
    Gate("cx", ("cx", "CNOT", "CNOT/CX"), 0, 1, ("cz", "swap")),
    Gate("cy", ("cy", "CY", None), 0, 1, ("cx", "cz")),
    Gate("cz", ("cz", "CZ", "CZ"), 0, 0, ("cx", "swap")),
    Gate("ch", ("ch", "CH", None), 0, 1, ("cx", "cz")),
    Gate("cs", ("cs", None, None), 0, 0, ("cz", "csdg")),
    Gate("csdg", ("csdg", None, None), 0, 0, ("cs", "cz")),
    Gate("csx", ("csx", None, None), 0, 1, ("cx", "cz")),
    Gate("swap", ("swap", "SWAP", "SWAP"), 0, 0, ("cx", "iswap")),
    Gate("iswap", ("iswap", "ISWAP", "ISWAP"), 0, 0, ("swap",)),
    Gate("ecr", ("ecr", "ECR", None), 0, 1, ("cx",)),
    Gate("dcx", ("dcx", None, None), 0, 1, ("cx",)),
    Gate("crx", ("crx", "CRX", None), 1, 1, ("cry", "crz")),
    Gate("cry", ("cry", "CRY", None), 1, 1, ("crx", "crz")),
    Gate("crz", ("crz", "CRZ", None), 1, 1, ("cry", "cp")),
    Gate("cp", ("cp", "ControlledPhaseShift/CPhase", None), 1, 0, ("crz", "crx")),
    Gate("czpow", (None, None, "CZPowGate/cphase"), 1, 0, ("cxpow",)),
    Gate("cxpow", (None, None, "CXPowGate"), 1, 1, ("czpow",)),
    Gate("cu", ("cu", None, None), 4, 1, ()),
    Gate("crot", (None, "CRot", None), 3, 1, ()),
    Gate("rxx", ("rxx", "IsingXX", None), 1, 0, ("ryy", "rzz")),
    Gate("ryy", ("ryy", "IsingYY", None), 1, 0, ("rxx", "rzz")),
    Gate("rzz", ("rzz", "IsingZZ", None), 1, 0, ("rxx", "ryy")),
    Gate("rzx", ("rzx", None, None), 1, 1, ("rzz",)),
    Gate("isingxy", (None, "IsingXY", None), 1, 0, ("rxx",)),
    Gate("xx", (None, None, "XX"), 0, 0, ("yy", "zz")),
    Gate("yy", (None, None, "YY"), 0, 0, ("xx", "zz")),
    Gate("zz", (None, None, "ZZ"), 0, 0, ("xx", "yy")),
    Gate("ccx", ("ccx", "Toffoli", "CCX/CCNOT/TOFFOLI"), 0, 2, ("ccz", "cswap")),
    Gate("ccz", ("ccz", "CCZ", "CCZ"), 0, 0, ("ccx",)),
    Gate("cswap", ("cswap", "CSWAP", "CSWAP/FREDKIN"), 0, 1, ("ccx",)),
    Gate("rccx", ("rccx", None, None), 0, 2, ("ccx",)),
    Gate("multirz", (None, "MultiRZ", None), 1, 0, ()),
    Gate("globalphase", (None, "GlobalPhase", None), 1, 0, ()),
)

GATES = {gate.name: gate for gate in _TABLE}


@cache
def by_name(framework: str) -> dict[str, Gate]:
    """The gates of one framework by each of their names there."""
    return {name: gate for gate in _TABLE for name in gate.named(framework)}
