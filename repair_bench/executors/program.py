"""Interface of executors: a `Program` in, an `Outcome` (`repair_bench.traces.record.records`) out.

Everything that a candidate does is an outcome. `ExecutorError` and `SuiteError` are infrastructure errors.

Observations. With `observe` set, the guest calls the entry point once per case and reports each returned value in the
framework's printed order (Qiskit: last classical bit first; Cirq and PennyLane: first qubit first):

- `{"kind": "distribution", "bits": k, "probabilities": {"010": 0.5, ...}, "shots": None | n}`: probabilities of at
  least 1e-12; `shots` is the number of returned samples, or None for exact probabilities.
- `{"kind": "state", "qubits": n, "amplitudes": [[re, im], ...]}`: 2^n amplitudes.
- `{"kind": "unitary", "qubits": n, "matrix": [[[re, im], ...], ...]}`: 2^n x 2^n.
- `{"kind": "other", "type": "NoneType", "repr": "None", "problem": "...", "mismatch": "type" | "shape"}`: not of the
  requested kind; `problem` is one sentence for a model, `mismatch` is "shape" if only the size is incorrect.

The first three kinds have `"gates": {"h": 2, "cx": 1}`, or None without a circuit. All frameworks share one vocabulary
of gates; custom composite gates are decomposed, and unknown gates keep their lower-case name. A distribution may have
`"registers": [["c", 2], ...]`: name and bits of each classical register or measurement key, in printed order.

The value of a unit test is one of:

- `{"test": "passed"}`, with `"vacuous": true` if a guarded test also passes its canary, and with `"changed":
  [place, ...]` if `UnitTest.changes` is None and arguments were changed in place;
- `{"test": "failed", "error": {"type", "message", "traceback"}, "calls": n, "returned": [text, ...]}`: the exception
  of the test, the number of calls of the entry point, and the last returned values;
- `{"test": "tampered", "changed": [name, ...]}`: passed after the program changed objects that the test relies on.

If the candidate raises, the outcome is that exception, not a failed test. `Outcome.sealed` is the isolation mode.
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
    """Resource limits of a candidate. CPU seconds decide timeouts; the wall clock only stops sleeps and deadlocks."""

    cpu_seconds: float = 30.0
    """CPU seconds, summed over all threads, after start-up."""
    wall_seconds: float = 180.0
    """Wall-clock seconds. The limit is loose, so that a busy machine does not affect verdicts."""
    memory_mb: int = 2048
    """Memory in addition to the memory of the fork server."""
    disk_mb: int = 64
    """Size of the private directory."""
    output_kb: int = 64
    """Stored part of standard output and standard error. Above 16 MiB of output, the candidate is stopped."""
    value_mb: int = 16
    """Size of the returned value, encoded as JSON."""


@dataclass(frozen=True)
class Call:
    """Calls of an entry point, one per test case."""

    entry_point: str
    observe: Observe
    cases: tuple[tuple[Any, ...], ...] = ((),)
    """The JSON arguments of each call, at least one."""
    setup: str = ""
    """Trusted source, executed in a separate namespace before the candidate. The source may define `inputs(*args)`,
    which converts the JSON arguments of a case to the arguments of the call."""
    qubits: int | None = None
    """Number of qubits of a `unitary`, in the order 0, 1, ..."""


@dataclass(frozen=True, eq=False, kw_only=True)
class UnitTestSource:
    """A unit test, without the candidate. The sources of the test are trusted."""

    test: str
    """Executed in a copy of the candidate's namespace after the candidate was loaded."""
    function: str | None
    """Function in `test` to call; None if `test` only has to be executed."""
    passes_candidate: bool = False
    """Whether `function` takes the entry point as its argument."""
    preamble: str = ""
    """Executed in the candidate's namespace before the candidate. The entry point's name is removed afterwards."""
    sealing: Sealing | None = "stub"
    """Isolation from the candidate. "stub": a separate process that calls the candidate, unless the test inspects
    functions (`executors.sealed.isolation_mode`). "guarded": the same process, with guards. None: the same process
    without guards, as published. Programs cannot choose the mode."""
    imports: tuple[str, ...] = ()
    """Import statements of names that an isolated test may use if the candidate defines them too."""
    classes: str = ""
    """Source of the classes that the task provides. An isolated test has copies of them, and receives instances."""
    canary: str = ""
    """Program that the test should reject; otherwise a pass proves nothing. Empty: a function that returns None."""
    changes: tuple[str, ...] | None = None
    """Arguments that an isolated candidate may change in place: "0" for the first, a name for a keyword argument. None:
    all, as published."""


@dataclass(frozen=True, kw_only=True)
class UnitTest(UnitTestSource):
    entry_point: str


@dataclass(frozen=True)
class Script:
    """Execution as a script. The result is what the program prints."""


@dataclass(frozen=True)
class Program:
    """One candidate and how to execute it."""

    framework: str
    source: str
    call: Call | UnitTest | Script
    limits: Limits = field(default_factory=Limits)
    seed: int = 0
    """Seed of `random` and `numpy.random`, and thereby of the frameworks' samplers, in the candidate's process."""


class Executor(Protocol):
    """Executes programs, several at once."""

    @property
    def capacity(self) -> int:
        """Number of programs that run at once, at least 1. The number changes with the nodes of a cluster."""
        ...

    async def run(self, program: Program) -> Outcome:
        """Execute one program. Raises SuiteError if the task's sources fail, otherwise ExecutorError."""
        ...

    async def close(self) -> None:
        """Stop all processes of this executor."""
        ...


def needs_extra_imports(program: Program) -> bool:
    """Whether a program or its test names a package that only the second fork server of its framework imports.

    A fork copies the page tables of everything that its server has imported. Packages that few programs import are
    therefore imported by a second server, started on demand. Programs that import such a package indirectly run in the
    first server. The import then takes CPU time of the program, but does not change its outcome.
    """
    framework = FRAMEWORKS.get(program.framework)
    if framework is None or framework.heavy_import_pattern is None:
        return False
    call = program.call
    texts = [program.source]
    if isinstance(call, UnitTest):
        texts += [call.test, call.preamble]
    elif isinstance(call, Call):
        texts.append(call.setup)
    return any(map(framework.heavy_import_pattern.search, texts))
