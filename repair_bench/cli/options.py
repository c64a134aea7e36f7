"""Options that several commands share, and the exit codes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from repair_bench.executors.options import ExecutorOptions


DONE, FAULTS, USAGE, INTERRUPTED = 0, 1, 2, 130

FB_NOTE = (
    "Attempts count from 0, the first answer: FB@k is solved within k repair attempts. QuanBench+'s released code "
    "allows 5 generations in all (FB@4), its paper's text 5 repairs (FB@5)."
)


JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]

DataOption = Annotated[Path | None, typer.Option("--data", help="Folder with the suite's official files.")]

RuleOption = Annotated[
    list[str] | None, typer.Option(help="Grading rule: exact, paper or released. Repeats: side by side. [exact]")
]

OnlyOption = Annotated[
    list[str] | None,
    typer.Option(metavar="FIELD=VALUE", help="Only a part of the run, such as framework=qiskit. Repeats."),
]

CertificateOption = Annotated[
    Path | None,
    typer.Option(help="certificate.json of the suite and rule, as `suites audit --out` writes it: what luck can do."),
]

OutOption = Annotated[Path | None, typer.Option(help="Directory to make. [runs/<date>-<time>]")]

ConcurrencyOption = Annotated[int, typer.Option(min=1, help="Episodes in flight.")]

WorkersOption = Annotated[
    int | None, typer.Option(min=1, help="Programs executed at once. [cores + 1; on each node of a cluster its cores]")
]

PythonOption = Annotated[
    list[str] | None,
    typer.Option(
        "--python",
        metavar="FRAMEWORK=INTERPRETER",
        help="What runs a framework: a path, or a name that `repair-bench env list` shows. Repeats. [this Python]",
    ),
]

SandboxOption = Annotated[
    str,
    typer.Option(
        help="strict: refuse to run when this machine lacks a layer of the sandbox; best: use all that it has; "
        "none: use none, for trusted code."
    ),
]


BackendOption = Annotated[
    str, typer.Option(help="Where programs are executed: local, or ray: every node of a Ray cluster.")
]

RayAddressOption = Annotated[
    str | None,
    typer.Option(help="The cluster: HOST:PORT, or auto. [RAY_ADDRESS, else a Ray of its own on this machine]"),
]


def executor_options(
    workers: int | None,
    python: list[str] | None,
    require_sandbox: str,
    backend: str = "local",
    ray_address: str | None = None,
) -> ExecutorOptions:
    from repair_bench.executors import interpreters
    from repair_bench.executors.options import ExecutorOptions

    return ExecutorOptions(workers, interpreters.parse(python or ()), require_sandbox, backend, ray_address)


def was_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def stop(message: str) -> NoReturn:
    from repair_bench.traces.faults import UsageError

    raise UsageError(message)
