"""What an executor is given and how it is spoken to.

An executor answers a `Program` with an `Outcome` (`repair_bench.traces.record.records`). Whatever the candidate does is
an outcome; `ExecutorError` and `SuiteError` are for what is broken on our side.

Observations. With `observe` set, the guest calls the entry point once a case and reports for each what came back, in
the framework's *own* printed order (Qiskit: last classical bit first; Cirq and PennyLane: first qubit first):

- `{"kind": "distribution", "bits": k, "probabilities": {"010": 0.5, ...}, "shots": None | n}`: outcomes of probability
  below 1e-12 are left out; `shots` is None when the probabilities are exact, else the number of samples returned.
- `{"kind": "state", "qubits": n, "amplitudes": [[re, im], ...]}`: 2^n amplitudes.
- `{"kind": "unitary", "qubits": n, "matrix": [[[re, im], ...], ...]}`: 2^n x 2^n.
- `{"kind": "other", "type": "NoneType", "repr": "None", "problem": "...", "mismatch": "type" | "shape"}`: cannot be
  read as what was asked for; `problem` is one sentence for a model, `mismatch` "shape" where only the size is wrong.

The first three also carry `"gates": {"h": 2, "cx": 1}`, the operations of the circuit counted under one vocabulary for
the three frameworks (h x y z s sdg t tdg sx sxdg rx ry rz p u cx cy cz ch swap ccx cswap measure reset ...; a gate
outside it keeps its own lower-case name, custom composite gates are opened first), or None when no circuit was seen. A
distribution has `"registers": [["c", 2], ...]`, name and bits of each classical register (Qiskit) or measurement key
(Cirq) in printed order, where the framework has them.

Unit tests. The value is `{"test": "passed"}`, with `"vacuous": true` where a guarded test passes its canary as well,
and with `"changed": [place, ...]` where `UnitTest.changes` is None and arguments were changed in place; or
`{"test": "failed", "error": {"type", "message", "traceback"}, "calls": n, "returned": [text, ...]}`: what the test
raised, how often it called the entry point, and what the last calls returned; or `{"test": "tampered", "changed":
[name, ...]}`: it passed, after the program had changed what it relies on. What the candidate raised while it was called
is an exception as ever. `Outcome.sealed` tells the way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from repair_bench.frameworks import FRAMEWORKS
from repair_bench.traces.record.records import Outcome

Observe = Literal["distribution", "state", "unitary"]
Sealing = Literal["stub", "guarded"]


@dataclass(frozen=True)
class Limits:
    """What a candidate may use. CPU seconds decide a timeout; the wall clock only stops sleepers and deadlocks."""

    cpu_seconds: float = 30.0
    """CPU seconds of the candidate's process, all threads, after start-up."""
    wall_seconds: float = 180.0
    """Wall-clock seconds; loose on purpose, so that a busy machine decides nothing."""
    memory_mb: int = 2048
    """Memory beyond what the fork server itself holds."""
    disk_mb: int = 64
    """Size of the private directory."""
    output_kb: int = 64
    """Standard output and error that are kept, each; 16 MiB are read before the candidate is stopped."""
    value_mb: int = 16
    """Size of the returned value in its JSON form."""


@dataclass(frozen=True)
class Call:
    """What to run around the candidate.

    `setup`: trusted source run in a namespace of its own before the candidate is loaded; it may define
    `inputs(*args)`, which turns the JSON arguments of a case into fresh objects of the framework's own kind and returns
    the arguments to call with. Without it a case's arguments are passed as they are.
    `cases`: the JSON arguments of each call, at least one (the empty list for an entry point without arguments).
    `qubits`: for `unitary`, the number of qubits the matrix is taken over, in the order 0, 1, ...
    """

    entry_point: str
    observe: Observe
    cases: tuple[tuple[Any, ...], ...] = ((),)
    setup: str = ""
    qubits: int | None = None


@dataclass(frozen=True)
class UnitTest:
    """A unit test to run against the candidate. `test`, `preamble` and `imports` are trusted sources.

    `test` is executed in a copy of the candidate's namespace once that was loaded, then `function`, which it defines,
    is called, with the entry point as its argument where `passes_candidate` is set. None: executing `test` is the test.
    `preamble`: executed before the candidate, in whose namespace it leaves its names, save the entry point's.
    `sealing`: how the test is kept from the candidate. "stub": it runs in a process of its own and calls the candidate
    from there, unless the test itself looks inside a function (`executors.sealed.isolation_mode`); then, and for
    "guarded": beside the candidate, with guards. None: beside it and unguarded, the published rule. No program chooses
    its way.
    `imports`: import statements of names that a sealed test may use if the candidate has them too.
    `classes`: a source of the classes that the task gives; a sealed test has its own, whose objects cross.
    `canary`: a source that the test should refuse; where it does not, a pass proves nothing. Empty: a function that
    returns None.
    `changes`: the places of the arguments that the candidate of a stub may change in place, "0" for the first, a name
    for a keyword. Every other argument stays as the test made it. None: all of them, as in the published rule.
    """

    entry_point: str
    test: str
    function: str | None
    passes_candidate: bool = False
    preamble: str = ""
    sealing: Sealing | None = "stub"
    imports: tuple[str, ...] = ()
    classes: str = ""
    canary: str = ""
    changes: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Script:
    """Nothing is run around the program: it is executed as a script, and what it prints is all that comes of it."""


@dataclass(frozen=True)
class Program:
    """One candidate and what to run around it."""

    framework: str
    source: str
    call: Call | UnitTest | Script
    limits: Limits = field(default_factory=Limits)
    seed: int = 0
    """Seeds `random` and `numpy.random` (and through it the frameworks' samplers) in the candidate's process."""


class Executor(Protocol):
    """Runs programs. Several may be in flight at once."""

    @property
    def capacity(self) -> int:
        """How many programs are executed at once, at least 1; further ones wait. A cluster's changes with its nodes."""
        ...

    async def run(self, program: Program) -> Outcome:
        """Execute one program. Raises `SuiteError` when the task's own sources do not run with the interpreter that it
        is for, `ExecutorError` when it is the execution that failed.
        """
        ...

    async def close(self) -> None:
        """Stop every process that was started."""
        ...


def is_wide(program: Program) -> bool:
    """Whether a program, or what is run around it, names what only the second fork server of its framework imports.

    A fork copies the page tables of all that its server has imported. What few programs import (plots, a vendor's
    client) would make every candidate pay, so it stands in a second server, started when a program first names it. A
    program that reaches such a package by another way imports it itself, in its own CPU time: slower, with the same
    outcome.
    """
    framework = FRAMEWORKS.get(program.framework)
    if framework is None or framework.heavy_import_pattern is None:
        return False
    call = program.call
    around = (
        (call.test, call.preamble) if isinstance(call, UnitTest) else (call.setup,) if isinstance(call, Call) else ()
    )
    return any(framework.heavy_import_pattern.search(text) for text in (program.source, *around))
