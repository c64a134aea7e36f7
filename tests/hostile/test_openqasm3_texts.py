"""OpenQASM 3 texts that exceed limits or request forbidden resources: each gets a clear verdict in time."""

from __future__ import annotations

import pytest

from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Call, Limits, Program
from repair_bench.traces.record.records import Outcome

HEAD = 'OPENQASM 3.0;\ninclude "stdgates.inc";\n'
NAME = "openqasm3.OpenQASMError"
LIMITS = Limits(wall_seconds=300, memory_mb=512, disk_mb=1, value_mb=1)

TEXTS = {
    "a file is included": ('include "/etc/passwd";', 'only "stdgates.inc" can be included'),
    "a file above is included": ('include "../../../etc/hostname";', 'only "stdgates.inc" can be included'),
    "the old library is included": ('OPENQASM 3;\ninclude "qelib1.inc";', 'only "stdgates.inc" can be included'),
    "an older language": ("OPENQASM 2.0;\nqreg q[1];", "the program is in OpenQASM 2.0"),
    "a giant register": ("qubit[1000000000000] q;", "more than 24 qubits"),
    "many registers": ("".join(f"qubit[12] q{i};\n" for i in range(3)), "more than 24 qubits"),
    "giant bits": ("bit[1000000000000] c;", "more than 4096 bits"),
    "a giant array": ("array[int, 100000, 100000] a;", "more than 65536 items"),
    "no register": ("qubit[0] q;", "a size must be a positive integer"),
    "a negative register": ("qubit[-3] q;", "a size must be a positive integer"),
    "a huge loop": ("int k = 0; for int i in [0:1000000000000] { k += 1; }", "more than 100000 statements"),
    "loops in loops": (
        "int k = 0; for int a in [0:9999] for int b in [0:9999] for int c in [0:9999] k += 1;",
        "more than 100000 statements",
    ),
    "an endless loop": ("while (true) { }", "more than 100000 statements"),
    "an endless recursion": ("def f(int n) -> int { return f(n + 1); } int k = f(0);", "nested too deeply"),
    "a gate of itself": ("gate g a { g a; } qubit q; g q;", "cannot be applied in its own definition"),
    "a tower of powers": ("int k = 9 ** 9 ** 9;", "too large"),
    "growing integers": ("int k = 3; while (true) { k = k * k; }", "too large"),
    "a shift too far": ("int k = 1 << 100000000;", "cannot shift"),
    "a literal too long": ("int k = " + "9" * 5000 + ";", "cannot be parsed"),
    "an overflow": ("float x = exp(10000);", "is not defined for this value"),
    "a division by zero": ("int k = 1 / 0;", "division by zero"),
    "a root of less than nothing": ("qubit q; U(sqrt(-1), 0, 0) q;", "is not defined for this value"),
    "a complex power": ("float x = (-2) ** 0.5;", "not a finite real number"),
    "deep brackets": ("int k = " + "(" * 3000 + "1" + ")" * 3000 + ";", "nested too deeply"),
    "deep blocks": ("if (true) { " * 2000 + "}" * 2000, "nested too deeply"),
    "many controls": (HEAD + "qubit[20] q; ctrl(25) @ x q[0];", "from 1 to 24 controls, not 25"),
    "controls below nothing": (HEAD + "qubit[2] q; ctrl(-5) @ x q[0];", "from 1 to 24 controls, not -5"),
    "an index far off": (HEAD + "qubit[2] q; x q[0:1000000000000];", "is out of range for"),
    "a pulse": ("defcal x $0 { }", "is not supported here"),
    "a pragma": ("#pragma shell rm -rf /\n", "is not supported here"),
    "an extern": ("extern system(int) -> int; int k = system(1);", "is not supported here"),
    "a text without an end": ('include "stdgates.inc', ""),
    "a comment without an end": ("/* " + "x" * 100, ""),
    "too long a text": ("qubit q;\n" * 20_000, "more than 100000 characters"),
    "all the bytes": ("".join(map(chr, range(1, 256))), ""),
    "nothing": ("", "the program has no statements"),
    "a comment alone": ("// to do", "the program has no statements"),
    "a power beyond arithmetic": (HEAD + "qubit q; pow(1e300) @ t q;", "at most 1000000"),
    "a dimension far off": ("array[int, 2] a; int k = sizeof(a, 100000000000);", "sizeof requires an array"),
    "half a control": (HEAD + "qubit[2] q; ctrl(1.5) @ x q[0];", "expected an integer"),
    "a barrier of nothing": ("qubit q; barrier r;", "r is not defined"),
    "a complex number": ("complex[float[64]] z = 1.0 + 2.0im;", "a complex type is not supported here"),
    "a duration": ("duration d = 100ns;", "a duration type is not supported here"),
    "a stretch": ("stretch s;", "a stretch type is not supported here"),
    "a measurement in a condition": (HEAD + "qubit q; if (measure q == 1) x q;", "unexpected 'measure'"),
    "a deep recursion": (
        HEAD + "def f(qubit q, int n) { if (n > 0) { f(q, n - 1); } } qubit q; f(q, 500);",
        "nested too deeply",
    ),
    "Python": ("import os\nos.system('true')\n", "unexpected"),
    "branches without end": (
        HEAD + "qubit q; bit c; for int i in [0:40] { h q; c = measure q; if (c == 1) { z q; } }",
        "more than",
    ),
    "names that double": (
        HEAD + "qubit[2] q; let a0 = q ++ q; " + "".join(f"let a{i + 1} = a{i} ++ a{i}; " for i in range(40)),
        "appears twice",
    ),
    "powers of powers": (HEAD + "qubit q; " + "pow(1000000) @ " * 9 + "h q;", "accurately enough"),
    "controls of controls": (HEAD + "qubit q; " + "ctrl(24) @ " * 2000 + "x q;", "x acts on 48001 qubits, not 1"),
    "ways without end": (
        HEAD + "qubit[12] q; bit[12] c; int k; for int i in [0:11] { h q[i]; c[i] = measure q[i]; if (c[i]) k += 1; }",
        "measurement branches",
    ),
}


@pytest.mark.hostile
def test_each_text_is_refused_within_the_limits(executor: LocalExecutor) -> None:
    async def run(text: str) -> Outcome:
        return await executor.run(Program("openqasm3", text, Call("program", "distribution"), limits=LIMITS))

    for name, (text, problem) in TEXTS.items():
        outcome = run_to_end(run(text))
        assert (outcome.status, outcome.exception and outcome.exception.type) == ("exception", NAME), name
        assert problem in outcome.exception.message, name
        assert len(outcome.exception.message) < 1000, name
        assert outcome.cpu_seconds < LIMITS.cpu_seconds, name
