"""The gates that mutations can change. Each framework's file contains the framework's names for these gates."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Gate:
    """A gate that mutations can change.

    `angles`: the number of angles that precede the qubits. `controls`: the number of control qubits; a gate that is
    symmetric in its qubits (CZ, SWAP) has none. `instead`: gates that are easily confused with this gate.
    """

    name: str
    angles: int
    controls: int
    instead: tuple[str, ...]


_GATES = (
    Gate("h", 0, 0, ("x", "z")),
    Gate("x", 0, 0, ("z", "h")),
    Gate("y", 0, 0, ("x", "z")),
    Gate("z", 0, 0, ("x", "s")),
    Gate("s", 0, 0, ("t", "z")),
    Gate("sdg", 0, 0, ("s", "tdg")),
    Gate("t", 0, 0, ("s", "z")),
    Gate("tdg", 0, 0, ("t", "sdg")),
    Gate("sx", 0, 0, ("x", "h")),
    Gate("sxdg", 0, 0, ("sx", "x")),
    Gate("rx", 1, 0, ("ry", "rz")),
    Gate("ry", 1, 0, ("rx", "rz")),
    Gate("rz", 1, 0, ("rx", "ry")),
    Gate("p", 1, 0, ("rx", "ry")),
    Gate("u", 3, 0, ()),
    Gate("u2", 2, 0, ()),
    Gate("r", 2, 0, ()),
    Gate("xpow", 1, 0, ("ypow", "zpow")),
    Gate("ypow", 1, 0, ("xpow", "zpow")),
    Gate("zpow", 1, 0, ("xpow", "ypow")),
    Gate("hpow", 1, 0, ("xpow",)),
    Gate("cx", 0, 1, ("cz", "swap")),
    Gate("cy", 0, 1, ("cx", "cz")),
    Gate("cz", 0, 0, ("cx", "swap")),
    Gate("ch", 0, 1, ("cx", "cz")),
    Gate("cs", 0, 0, ("cz", "csdg")),
    Gate("csdg", 0, 0, ("cs", "cz")),
    Gate("csx", 0, 1, ("cx", "cz")),
    Gate("swap", 0, 0, ("cx", "iswap")),
    Gate("iswap", 0, 0, ("swap",)),
    Gate("ecr", 0, 1, ("cx",)),
    Gate("dcx", 0, 1, ("cx",)),
    Gate("crx", 1, 1, ("cry", "crz")),
    Gate("cry", 1, 1, ("crx", "crz")),
    Gate("crz", 1, 1, ("cry", "cp")),
    Gate("cp", 1, 0, ("crz", "crx")),
    Gate("czpow", 1, 0, ("cxpow",)),
    Gate("cxpow", 1, 1, ("czpow",)),
    Gate("cu", 4, 1, ()),
    Gate("crot", 3, 1, ()),
    Gate("rxx", 1, 0, ("ryy", "rzz")),
    Gate("ryy", 1, 0, ("rxx", "rzz")),
    Gate("rzz", 1, 0, ("rxx", "ryy")),
    Gate("rzx", 1, 1, ("rzz",)),
    Gate("isingxy", 1, 0, ("rxx",)),
    Gate("xx", 0, 0, ("yy", "zz")),
    Gate("yy", 0, 0, ("xx", "zz")),
    Gate("zz", 0, 0, ("xx", "yy")),
    Gate("ccx", 0, 2, ("ccz", "cswap")),
    Gate("ccz", 0, 0, ("ccx",)),
    Gate("cswap", 0, 1, ("ccx",)),
    Gate("rccx", 0, 2, ("ccx",)),
    Gate("multirz", 1, 0, ()),
    Gate("globalphase", 1, 0, ()),
)

GATES = {gate.name: gate for gate in _GATES}
