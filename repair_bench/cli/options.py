"""Options that several commands share, and the exit codes."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from repair_bench.agent.experiment.options import FieldOption

if TYPE_CHECKING:
    from repair_bench.executors.options import ExecutorOptions


DONE, FAULTS, USAGE, UNVERIFIABLE, INTERRUPTED = 0, 1, 2, 3, 130

FB_HELP = (
    "Attempts count from 0, the first answer: FB@k is solved within k repair attempts. QuanBench+'s released code "
    "allows 5 generations in all (FB@4), its paper's text 5 repairs (FB@5)."
)


JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]

DataOption = Annotated[
    Path | None, typer.Option("--data", help="Folder with the suite's official files, or with a folder for each suite.")
]

RuleOption = Annotated[
    list[str] | None,
    typer.Option(help="Grading rule: exact, semantic, paper or released. Repeats: side by side. [exact]"),
]

OnlyOption = Annotated[
    list[str] | None,
    typer.Option(metavar="FIELD=VALUE", help="Only a part of the run, such as framework=qiskit. Repeats."),
]

CertificateOption = Annotated[
    Path | None,
    typer.Option(help="certificate.json of the suite and rule, as `suites audit --out` writes it: what new draws do."),
]

EveryOption = Annotated[float, typer.Option(min=0.1, max=3600, help="Seconds between two looks, at the least.")]

OutOption = Annotated[Path | None, typer.Option(help="Directory to make. [runs/<date>-<time>]")]

OverrideOption = Annotated[
    list[str] | None,
    typer.Option(
        "-c",
        metavar="PATH=VALUE",
        help="Set any field of the experiment, as in repair.history=last; `repair-bench schema` lists them. Repeats.",
    ),
]

LogLevelOption = Annotated[
    str | None,
    typer.Option(
        metavar="LEVEL",
        help="Show events on standard error from this level on: debug, info, warning (retries, faults, restarts) or "
        "error. [none]",
    ),
]

ConcurrencyOption = Annotated[int, typer.Option(min=1, help="Episodes in flight.")]

PreflightOption = Annotated[
    bool,
    typer.Option(
        "--preflight/--no-preflight",
        help="Ask each model for one token before the first episode, so that a wrong name stops the run at once.",
    ),
]

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
        help="strict: refuse to run when this machine lacks a layer of the sandbox; best: use all that it has, and "
        "refuse to run when none hides files from programs; none: use none, for trusted code."
    ),
]

RequireSealedOption = Annotated[
    bool,
    typer.Option("--require-sealed", help="Exclude the tasks whose test can only run beside the candidate (guarded)."),
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
    *,
    quiet: bool = True,
) -> ExecutorOptions:
    """`quiet`: print a line about the sandbox only where a layer is missing."""
    from repair_bench.executors import interpreters
    from repair_bench.executors.options import ExecutorOptions

    return ExecutorOptions(
        workers, interpreters.parse(python or ()), require_sandbox, backend, ray_address, quiet=quiet
    )


def log_to_stderr(level: str | None) -> None:
    """Show events as --log-level says. Raises UsageError for a level that does not exist."""
    from repair_bench import log

    if level not in (None, *log.LEVELS):
        stop(f"--log-level {level!r}: choose from {', '.join(log.LEVELS)}")
    log.show(level)


def takes_fields(
    options: Sequence[FieldOption], *, default: str | None = None, hide: Collection[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of these fields, where its parameter `fields` stands.

    It is called with what was given: a value by the path of its field. `default`: what the help says in place of a
    field's default. `hide`: parameters of the command itself that its help leaves out.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        names = {option.path.replace(".", "_"): option.path for option in options}

        @functools.wraps(command)
        def parsed(**values: Any) -> None:
            given = {path: values.pop(name) for name, path in names.items()}
            command(**values, fields={path: value for path, value in given.items() if value is not None})

        parameters: list[inspect.Parameter] = []
        for parameter in inspect.signature(command, eval_str=True).parameters.values():
            if parameter.name == "fields":
                parameters += [_parameter(name, o, default) for name, o in zip(names, options, strict=True)]
            else:
                parameters.append(_hidden(parameter) if parameter.name in hide else parameter)
        parsed.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        parsed.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return parsed

    return decorate


def _parameter(name: str, option: FieldOption, default: str | None) -> inspect.Parameter:
    """What a command takes for a field: None where it is not given."""
    field, flag = option.field, option.flag
    standard = field.default if isinstance(field.default, tuple) else (field.default,)
    kind: Any = field.kind
    if field.several:
        kind = list[kind]
    sentences = [field.description]
    sentences += ["Repeats."] if field.several else []
    sentences += [f"[{default or ', '.join(map(str, standard))}]"] if standard not in ((None,), (False,)) else []
    parser = functools.partial(_number_or_word, words=field.words) if field.words else None
    metavar = "|".join(["FLOAT", *field.words]) if field.words else None
    info = typer.Option(flag, help=" ".join(sentences), hidden=not option.everyday, parser=parser, metavar=metavar)
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind | None, info]
    )


def _number_or_word(text: str, *, words: Sequence[str]) -> float | str:
    if text in words:
        return text
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is neither a number nor {' or '.join(words)}") from None


def _hidden(parameter: inspect.Parameter) -> inspect.Parameter:
    kind, shown = parameter.annotation.__origin__, parameter.annotation.__metadata__[0]
    info = copy.copy(shown)
    info.hidden = True
    return parameter.replace(annotation=Annotated[kind, info])


def stop(message: str) -> NoReturn:
    from repair_bench.traces.faults import UsageError

    raise UsageError(message)
