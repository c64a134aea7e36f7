"""OpenQASM 3, whose programs are written in the language itself, not in Python."""

from __future__ import annotations

import re

from repair_bench.frameworks.base import Framework, Language, Mistakes, TrivialBaselines

LANGUAGE = Language(
    title="OpenQASM 3",
    tags=("openqasm3", "openqasm", "qasm3", "qasm"),
    suffix=".qasm",
    comment="//",
    begins=re.compile(
        r"^[ \t]*(?:OPENQASM[ \t]+\d|include[ \t]+\"stdgates\.inc\"|qubit(?:[ \t]*\[[^\]\n]*\])?[ \t]+\w+[ \t]*;"
        r"|bit(?:[ \t]*\[[^\]\n]*\])?[ \t]+\w+[ \t]*[;=]|input[ \t]+\w|qreg[ \t]+\w)",
        re.MULTILINE,
    ),
)

_GATES = (
    *("h", "x", "y", "z", "s", "sdg", "t", "tdg", "sx", "rx", "ry", "rz", "p", "cx", "cy", "cz", "ch", "swap"),
    *("crx", "cry", "crz", "cp", "cu", "ccx", "cswap"),
)

_BASELINE = """OPENQASM 3.0;
include "stdgates.inc";
qubit[{size}] q;
<bits>{gates}
"""

_RETURNED = """\
Declare exactly {{ qubits }} qubit{{ "s, numbered in the order of their declaration," if qubits > 1 else "" }} and \
measure nothing."""

_RETURNED_DISTRIBUTION = """\
Declare `bit[{{ bits }}] result;` and measure the following into it: {{ measured }}.\
{% if bits > 1 %} Measure the first bit into result[0] and the last into result[{{ bits - 1 }}]. \
(In the text above, the first bit of a result is on the left; in a bit string of OpenQASM 3, result[0] is on the \
right.){% endif %} Declare any other bits under different names."""

FRAMEWORK = Framework(
    name="openqasm3",
    title="OpenQASM 3",
    language=LANGUAGE,
    import_line='OPENQASM 3.0;\ninclude "stdgates.inc";',
    packages=("openqasm3", "antlr4-python3-runtime"),
    needs=("openqasm3", "antlr4"),
    last_bit_first=True,
    exact_answer="measure into the result bits",
    returned={"distribution": _RETURNED_DISTRIBUTION, "state": _RETURNED, "unitary": _RETURNED},
    empty_circuit="qubit q;",
    trivial_baselines=TrivialBaselines(
        programs={
            "distribution": _BASELINE.replace("<bits>", "bit[{size}] result;\n") + "result = measure q;\n",
            **dict.fromkeys(("state", "unitary"), _BASELINE.replace("<bits>", "")),
        },
        gates={
            "empty": "",
            "hadamards": "h q;",
            "measured": "bit[{size}] seen = measure q;",
            "reset": "reset q;",
        },
    ),
    gates={**{name: name for name in _GATES}, "U": "u"},
    spelled={"sxdg": "inv @ sx"},
    mistakes=Mistakes(
        moved_imports=('include "qelib1.inc";',),
        invented_imports=('include "gates.inc";',),
        unknown_gate="hadamard q;",
        wrong_arguments="U(0) q;",
        no_such_qubit="reset $7;",
    ),
)
