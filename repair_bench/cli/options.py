"""Options shared by several commands, and the exit codes."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from repair_bench.agent.experiment.options import FieldOption

Command = Callable[..., None]

DONE, FAULTS, USAGE, UNVERIFIABLE, INTERRUPTED = 0, 1, 2, 3, 130

FB_HELP = (
    "FB@k is the share of tasks solved within k repair attempts; FB@0 counts first answers only. The released code of "
    "QuanBench+ generates 5 answers per task: a first answer and 4 repairs (FB@4). The paper on QuanBench+ describes 5 "
    "repairs (FB@5)."
)


RunDirsArgument = Annotated[
    list[Path],
    typer.Argument(metavar="RUN_DIR...", help="Directory of a run. Several runs are reported as a single run."),
]

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]

DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data", help="Folder with the official files of the suite, or with one subfolder of official files per suite."
    ),
]

RuleOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Grading rule: exact, semantic, paper (QuanBench+'s text) or released (QuanBench+'s code). Can be given "
        "more than once. [exact]"
    ),
]

OnlyOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FIELD=VALUE",
        help="Restrict to matching attempts, e.g. framework=qiskit. Can be given more than once.",
    ),
]

CertificateOption = Annotated[
    Path | None,
    typer.Option(
        help="Audit report on the grader for this suite and rule (certificate.json from `suites audit --out`). "
        "With this option, the report also states the effect of grading noise."
    ),
]

EveryOption = Annotated[float, typer.Option(min=0.1, max=3600, help="Minimum seconds between refreshes.")]

OutOption = Annotated[Path | None, typer.Option(help="Directory for the new run. [runs/<date>-<time>]")]

OverrideOption = Annotated[
    list[str] | None,
    typer.Option(
        "-c",
        metavar="PATH=VALUE",
        help="Set any field of the experiment, e.g. repair.history=last; `repair-bench schema` lists them. Can be "
        "given more than once.",
    ),
]

LogLevelOption = Annotated[
    str | None,
    typer.Option(
        metavar="LEVEL",
        help="Print log events at or above this level on standard error: debug, info, warning (retries, "
        "infrastructure errors, restarts) or error. [none]",
    ),
]

ConcurrencyOption = Annotated[int, typer.Option(min=1, help="Maximum number of concurrent episodes.")]

PreflightOption = Annotated[
    bool,
    typer.Option(
        "--preflight/--no-preflight",
        help="Request one token from each model before the first episode, to detect wrong model names.",
    ),
]

RequireSealedOption = Annotated[
    bool,
    typer.Option(
        "--require-sealed", help="Exclude guarded tasks, whose test must run in the same process as the candidate."
    ),
]


def takes_executor(*, cluster: bool = False, announce: bool = False) -> Callable[[Command], Command]:
    """Replace a command's parameter `executor` with options that configure execution.

    `cluster`: whether to include options for a Ray cluster. `announce`: whether to report the state of the sandbox on
    standard error; with --json, the state is never reported.
    """

    def decorate(command: Command) -> Command:
        left_out = ("quiet",) if cluster else ("quiet", "backend", "ray_address")
        signature = inspect.signature(_executor, eval_str=True)
        parameters = {name: p for name, p in signature.parameters.items() if name not in left_out}

        @functools.wraps(command)
        def parsed(**values: Any) -> None:
            chosen = {name: values.pop(name) for name in parameters}
            quiet = not announce or values.get("json_", False)
            command(**values, executor=_executor(**chosen, quiet=quiet))

        command.__annotations__["executor"] = Any  # its type is not imported for `--help`
        return _with_parameters(parsed, command, "executor", list(parameters.values()))

    return decorate


def _executor(
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, help="Maximum number of concurrent programs. [cores + 1; on a cluster, the cores of each node]"
        ),
    ] = None,
    python: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FRAMEWORK=INTERPRETER",
            help="Interpreter for a framework: a path, or the name of an environment (`repair-bench env list`). Can "
            "be given more than once. [this Python]",
        ),
    ] = None,
    require_sandbox: Annotated[
        str,
        typer.Option(
            help="strict: fail if this machine lacks any sandbox layer; best: use the available layers, and "
            "fail if none of them hides files from programs; none: no sandbox, for trusted code."
        ),
    ] = "best",
    backend: Annotated[str, typer.Option(help="Execution backend: local, or ray (all nodes of a Ray cluster).")] = (
        "local"
    ),
    ray_address: Annotated[
        str | None,
        typer.Option(
            help="Address of the Ray cluster: HOST:PORT, or auto. [RAY_ADDRESS, otherwise a new local instance]"
        ),
    ] = None,
    *,
    quiet: bool = True,
) -> Any:
    from repair_bench.executors import interpreters
    from repair_bench.executors.options import ExecutorOptions

    pythons = interpreters.parse(python or ())
    return ExecutorOptions(workers, pythons, require_sandbox, backend, ray_address, quiet=quiet)


def log_to_stderr(level: str | None) -> None:
    """Print log events at or above a level. Raises UsageError for an unknown level."""
    from repair_bench import log

    if level not in (None, *log.LEVELS):
        stop(f"unknown --log-level {level!r}: choose from {', '.join(log.LEVELS)}")
    log.show(level)


def takes_fields(
    options: Sequence[FieldOption], *, default: str | None = None, hide: Collection[str] = ()
) -> Callable[[Command], Command]:
    """Replace a command's parameter `fields` with an option for each of these experiment fields.

    The command receives the values that were set, keyed by field path. `default`: a text that the help shows for every
    option in place of the default of the option's field. `hide`: the shared parameters to leave out of this command's
    help.
    """

    def decorate(command: Command) -> Command:
        names = {option.path.replace(".", "_"): option.path for option in options}

        @functools.wraps(command)
        def parsed(**values: Any) -> None:
            given = {path: values.pop(name) for name, path in names.items()}
            command(**values, fields={path: value for path, value in given.items() if value is not None})

        parameters = [_parameter(name, option, default) for name, option in zip(names, options, strict=True)]
        return _with_parameters(parsed, command, "fields", parameters, hide)

    return decorate


def _with_parameters(
    parsed: Command,
    command: Command,
    replaced: str,
    replacement: Sequence[inspect.Parameter],
    hide: Collection[str] = (),
) -> Command:
    """Give `parsed` the signature of `command`, but with several parameters in place of the parameter `replaced`."""
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        if parameter.name == replaced:
            parameters += [new.replace(kind=parameter.kind) for new in replacement]
        else:
            parameters.append(_hidden(parameter) if parameter.name in hide else parameter)
    parsed.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    parsed.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return parsed


def _parameter(name: str, option: FieldOption, default: str | None) -> inspect.Parameter:
    field, flag = option.field, option.flag
    standard = field.default if isinstance(field.default, tuple) else (field.default,)
    kind: Any = field.kind
    if field.is_list:
        kind = list[kind]
    sentences = [field.description]
    sentences += ["Can be given more than once."] if field.is_list else []
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
    kind, info = parameter.annotation.__origin__, copy.copy(parameter.annotation.__metadata__[0])
    info.hidden = True
    return parameter.replace(annotation=Annotated[kind, info])


def stop(message: str) -> NoReturn:
    """Raise UsageError. This exception is imported only in this function, so that `--help` starts fast."""
    from repair_bench.traces.faults import UsageError

    raise UsageError(message)
