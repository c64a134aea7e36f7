"""The interface of executors, which turn a `Program` into an `Outcome` (`repair_bench.traces.record.records`).

Everything that a candidate does is reported as an outcome. `ExecutorError` and `SuiteError` are infrastructure errors.

Observations. If `observe` is set, the candidate's process calls the entry point once per case. Bits are in the
framework's printed order (Qiskit: last classical bit first; Cirq and PennyLane: first qubit first). Each returned value
is reported in one of these forms:

- `{"kind": "distribution", "bits": k, "probabilities": {"010": 0.5, ...}, "shots": None | n}`: probabilities of at
  least 1e-12; `shots` is the number of returned samples, or None for exact probabilities.
- `{"kind": "state", "qubits": n, "amplitudes": [[re, im], ...]}`: 2^n amplitudes.
- `{"kind": "unitary", "qubits": n, "matrix": [[[re, im], ...], ...]}`: 2^n x 2^n.
- `{"kind": "circuit", "qubits": n, "operations": [["cx", [0, 1], None], ["rz", [1], 0.5], ...]}`: each operation with
  its qubits and, for rx, ry, rz and p, its angle in radians.
- `{"kind": "other", "type": "NoneType", "repr": "None", "problem": "...", "mismatch": "type" | "shape"}`: a value that
  does not have the requested form. `problem` is one sentence that can be shown to a model. `mismatch` is "shape" if
  only the size is wrong.

Distributions, states and unitaries also have `"gates": {"h": 2, "cx": 1}`, or None if there is no circuit. All
frameworks share one vocabulary of gates; custom composite gates are decomposed, and unknown gates keep their names, in
lower case. A distribution may have `"registers": [["c", 2], ...]`: the name and the number of bits of each classical
register or measurement key, in printed order. `"integer_keys": true` is added if the returned outcomes are integers;
`bits` is then the width of the largest outcome.

For a solver of instances, the value is `{"cases": [...]}`, with one case per instance. A case is an observation in one
of the above forms, or `{"kind": "failed", "status": ..., "exception": ...}` with the fields of `Outcome`. Each case
also contains `"cpu"`, the normalised CPU seconds (None if not run). The status "skipped" denotes an instance that was
not run.

The outcome of a unit test contains a value in one of these forms:

- `{"test": "passed"}`. `"vacuous": true` is added if a guarded test also accepts its canary, a program that the test
  should reject. `"changed": [argument, ...]` lists the arguments that the candidate changed in place. The list
  `changed` is omitted if it is empty or `UnitTest.changes` is not None.
- `{"test": "failed", "error": {"type", "message", "traceback"}, "calls": n, "returned": [text, ...]}`: the exception
  of the test, the number of calls to the entry point, and the last returned values.
- `{"test": "tampered", "changed": [name, ...]}`: passed, but the program had changed objects on which the test relies.

If the candidate raises an exception, the outcome is this exception; the test does not count as failed. `Outcome.sealed`
is the isolation mode.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from repair_bench.frameworks import FRAMEWORKS
from repair_bench.traces.record.records import Outcome

Observe = Literal["distribution", "state", "unitary", "circuit"]
Sealing = Literal["stub", "guarded"]


@dataclass(frozen=True)
class Limits:
    """Limits of a candidate.

    Timeouts are based on CPU time. The wall-clock limit serves only to stop candidates that sleep or are deadlocked.
    """

    cpu_seconds: float = 30.0
    """CPU seconds after startup, summed over all threads."""
    wall_seconds: float = 180.0
    """Wall-clock seconds. This limit is generous, so that a busy machine does not affect verdicts."""
    memory_mb: int = 2048
    """The maximum memory of a candidate, in addition to the memory that the fork server already uses."""
    disk_mb: int = 64
    """Maximum size of the candidate's private directory."""
    output_kb: int = 64
    """The maximum stored size of each output stream. A candidate that writes more than 16 MiB is stopped."""
    value_mb: int = 16
    """Maximum size of the returned value when encoded as JSON."""


@dataclass(frozen=True)
class Call:
    """Calls to an entry point, one per test case."""

    entry_point: str
    observe: Observe
    cases: tuple[tuple[Any, ...], ...] = ((),)
    """The JSON arguments of each call; there is at least one call."""
    setup: str = ""
    """Trusted code that runs in a separate namespace before the candidate. This code may define `inputs(*args)`, which
    converts the JSON arguments of a case to the arguments of the call."""
    qubits: int | None = None
    """The number of qubits of a `unitary` or a `circuit`; the qubits are 0, 1, ..., in this order."""


@dataclass(frozen=True)
class Instances:
    """Calls to a solver that returns circuits, each in a separate process (`executors.instances`).

    The limit `cpu_seconds` applies to each call separately, in normalised CPU seconds.
    """

    entry_point: str
    instances: tuple[dict[str, Any], ...]
    """The JSON arguments of the calls."""
    qubits: int
    visible: int
    """The number of visible instances, which come first. Hidden instances are run only if the candidate returns a value
    for at least one visible instance."""


@dataclass(frozen=True, eq=False, kw_only=True)
class UnitTestSource:
    """The parts of a unit test that do not come from the candidate and are therefore trusted."""

    test: str
    """The code of the test, which is executed in a copy of the candidate's namespace after the candidate has been
    loaded."""
    function: str | None
    """The function in `test` to call; None if executing `test` is enough."""
    passes_candidate: bool = False
    """Whether `function` takes the entry point as its argument."""
    preamble: str = ""
    """Code that runs in the candidate's namespace before the candidate. If this code defines the entry point, the
    definition is removed."""
    sealing: Sealing | None = "stub"
    """The isolation of the test from the candidate. "stub": the test runs in a separate process that calls the
    candidate, unless the test inspects functions (`executors.sealed.isolation_mode`). "guarded": the test and the
    candidate run in one process, with guards. None: the test and the candidate run in one process without guards, as in
    the published suite. A candidate cannot choose the mode."""
    imports: tuple[str, ...] = ()
    """The import statements that are executed for an isolated test. The test uses the imported object even if the
    candidate also defines its name."""
    classes: str = ""
    """The source of the classes that the task provides. An isolated test receives copies of the task's classes."""
    canary: str = ""
    """A program that the test should reject. If the test accepts the canary, passing the test proves nothing. Default:
    a program that returns None."""
    changes: tuple[str, ...] | None = None
    """The arguments that an isolated candidate may change in place: "0" stands for the first argument, a name for a
    keyword argument. The value None allows the candidate to change all arguments, as in the published suite."""


@dataclass(frozen=True, kw_only=True)
class UnitTest(UnitTestSource):
    entry_point: str


@dataclass(frozen=True)
class Script:
    """Execution of the program as a script. The result is the printed output."""


@dataclass(frozen=True)
class Program:
    """One candidate and how to execute it."""

    framework: str
    source: str
    call: Call | Instances | UnitTest | Script
    limits: Limits = field(default_factory=Limits)
    seed: int = 0
    """The seed of `random` and `numpy.random` in the candidate's process, and therefore of the frameworks' samplers."""


class Executor(Protocol):
    """Executes programs, several at once."""

    @property
    def capacity(self) -> int:
        """The number of programs that run at once, at least 1; on a cluster, it depends on the number of nodes."""
        ...

    async def run(self, program: Program) -> Outcome:
        """Execute one program. Raises SuiteError if the task's code fails, and ExecutorError for other faults."""
        ...

    async def close(self) -> None:
        """Stop all processes of this executor."""
        ...


def needs_extra_imports(program: Program) -> bool:
    """Whether a program or its test names a package that only a framework's second fork server imports.

    A fork copies the page tables of everything that its server has imported. Therefore, a second fork server, started
    on demand, imports packages that few programs need. A program may import such a package indirectly, without
    containing its name. Such a program runs in the framework's first fork server. The import then costs the program CPU
    time, but does not change the outcome.
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
