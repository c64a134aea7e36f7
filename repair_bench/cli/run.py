"""Making a run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from repair_bench.cli.options import (
    FAULTS,
    INTERRUPTED,
    BackendOption,
    ConcurrencyOption,
    DataOption,
    JsonOption,
    OutOption,
    PythonOption,
    RayAddressOption,
    SandboxOption,
    WorkersOption,
    executor_options,
    stop,
    was_given,
)
from repair_bench.cli.output import print_json, print_plan, print_run

if TYPE_CHECKING:
    from repair_bench.agent.session import Session


def run(
    context: typer.Context,
    file: Annotated[Path | None, typer.Argument(metavar="[EXPERIMENT.toml]", help="The experiment, in a file.")] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            help="A litellm name (openai/gpt-4.1, ollama_chat/...), sim/novice|journeyman|expert, "
            "sim/bernoulli?first=P&repair=Q, replay/RUN_DIR or manual/DIR. Repeats. [sim/journeyman]"
        ),
    ] = None,
    suite: Annotated[list[str] | None, typer.Option(help="A suite by name. Repeats. [aligned]")] = None,
    framework: Annotated[list[str] | None, typer.Option(help="qiskit, pennylane or cirq. Repeats. [all]")] = None,
    max_attempts: Annotated[int, typer.Option(help="Repair attempts after the first answer.")] = 5,
    samples: Annotated[int, typer.Option(help="Independent episodes for each task.")] = 1,
    limit: Annotated[int | None, typer.Option(help="Only the first N problems of each suite.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything that is drawn.")] = 0,
    feedback: Annotated[
        list[str] | None,
        typer.Option(
            help="What a model is told: default, function, verdict, output, distance, support, expected, shuffled "
            "or none. Repeats: one arm each, from the same first attempts. [default]"
        ),
    ] = None,
    history: Annotated[
        list[str] | None,
        typer.Option(help="What a repair sees: whole (conversation) or last (attempt). Repeats. [whole]"),
    ] = None,
    system: Annotated[
        list[str] | None,
        typer.Option(help="System prompt: default, minimal, detailed or chain_of_thought. Repeats. [default]"),
    ] = None,
    few_shot: Annotated[
        list[int] | None, typer.Option(help="Worked examples before the task: 0, 1, 3 or 5. Repeats. [0]")
    ] = None,
    starter: Annotated[bool, typer.Option(help="Show the starter code in the prompt.")] = True,
    assistant_prefill: Annotated[
        bool, typer.Option("--assistant-prefill", help="Begin the model's answer with the starter code.")
    ] = False,
    rule: Annotated[str, typer.Option(help="Grading rule: exact, paper or released.")] = "exact",
    temperature: Annotated[float, typer.Option(help="Temperature of the first answer.")] = 0.0,
    repair_temperature: Annotated[float, typer.Option(help="Temperature of the repairs.")] = 0.8,
    max_completion_tokens: Annotated[int | None, typer.Option(help="Longest completion to ask for.")] = None,
    max_cost: Annotated[float | None, typer.Option(help="Stop before more than this many USD are spent.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Stop before more than this many tokens are used.")] = None,
    api_base: Annotated[str | None, typer.Option(help="Address of an OpenAI-compatible server.")] = None,
    protocol: Annotated[
        str | None,
        typer.Option(
            help="Begin from a published protocol: quanbench-plus-paper, quanbench-plus-released, qiskit-humaneval "
            "or quantum-katas."
        ),
    ] = None,
    override: Annotated[
        list[str] | None,
        typer.Option("-c", metavar="PATH=VALUE", help="Set any field of the experiment, as in repair.history=last."),
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Print what would be done and spent, and stop.")] = False,
    data: DataOption = None,
    out: OutOption = None,
    concurrency: ConcurrencyOption = 16,
    workers: WorkersOption = None,
    python: PythonOption = None,
    require_sandbox: SandboxOption = "best",
    backend: BackendOption = "local",
    ray_address: RayAddressOption = None,
    shard: Annotated[
        str | None,
        typer.Option(metavar="I/N", help="Only part I of N of the episodes, for batch schedulers; see merge."),
    ] = None,
    resume: Annotated[Path | None, typer.Option(help="Go on with the run in this directory.")] = None,
    json_: JsonOption = False,
) -> None:
    """Take models through the repair loop, then print the table and draw the plots."""
    from repair_bench.agent import opening, settings
    from repair_bench.agent.sharding import Shard

    executor = executor_options(workers, python, require_sandbox, backend, ray_address)
    part = Shard.parse(shard) if shard is not None else None
    options: dict[str, Any] = {
        "model": model,
        "suite": suite,
        "framework": framework,
        "max_attempts": max_attempts,
        "samples": samples,
        "limit": limit,
        "seed": seed,
        "feedback": feedback,
        "history": history,
        "system": system,
        "few_shot": few_shot,
        "starter": starter,
        "assistant_prefill": assistant_prefill,
        "rule": rule,
        "temperature": temperature,
        "repair_temperature": repair_temperature,
        "max_completion_tokens": max_completion_tokens,
        "max_cost": max_cost,
        "max_tokens": max_tokens,
        "api_base": api_base,
        "python": executor.pythons,
    }
    flags = {name: value for name, value in options.items() if was_given(context, name)}
    given = settings.collect(file, protocol, override or (), flags)
    if plan:
        print_plan(settings.experiment(given), data=data, as_json=json_)
        return
    if resume is not None:
        if out is not None:
            stop("--resume and --out exclude each other: a resumed run stays in its directory")
        opened = opening.resume(resume, given, data=data, executor=executor, shard=part)
    else:
        if part is not None and out is None:
            stop("--shard needs --out: a directory for each shard")
        opened = opening.start(given, out=out, data=data, executor=executor, shard=part)
    finish(opened, concurrency=concurrency, as_json=json_)


def fork(
    context: typer.Context,
    run_dir: Annotated[Path, typer.Argument(help="The run whose failures are gone on from.")],
    episode: Annotated[list[str] | None, typer.Argument(help="Episodes, or the start of their ids.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Every episode that failed.")] = False,
    attempt: Annotated[int, typer.Option(min=0, help="The attempt whose failure is gone on from.")] = 0,
    model: Annotated[
        list[str] | None, typer.Option(help="The model that repairs. Repeats. [the one that wrote the answer]")
    ] = None,
    feedback: Annotated[list[str] | None, typer.Option(help="Feedback policy. Repeats. [the run's]")] = None,
    history: Annotated[list[str] | None, typer.Option(help="whole or last. Repeats. [the run's]")] = None,
    repair_temperature: Annotated[float | None, typer.Option(help="Temperature of the repairs. [the run's]")] = None,
    max_attempts: Annotated[int | None, typer.Option(help="Repair attempts. [the run's]")] = None,
    max_cost: Annotated[float | None, typer.Option(help="Stop before more than this many USD are spent.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Stop before more than this many tokens are used.")] = None,
    api_base: Annotated[str | None, typer.Option(help="Address of an OpenAI-compatible server.")] = None,
    override: Annotated[
        list[str] | None, typer.Option("-c", metavar="PATH=VALUE", help="Set any other field of the experiment.")
    ] = None,
    data: DataOption = None,
    out: OutOption = None,
    concurrency: ConcurrencyOption = 16,
    workers: WorkersOption = None,
    python: PythonOption = None,
    require_sandbox: SandboxOption = "best",
    json_: JsonOption = False,
) -> None:
    """Go on from a run's failures under another policy, history or temperature, or with another model."""
    from repair_bench.agent import opening, settings
    from repair_bench.agent.forking import Choice

    if every == bool(episode):
        stop("name the episodes to go on from, or give --all")
    executor = executor_options(workers, python, require_sandbox)
    options = {
        "feedback": feedback,
        "history": history,
        "repair_temperature": repair_temperature,
        "max_attempts": max_attempts,
        "max_cost": max_cost,
        "max_tokens": max_tokens,
        "api_base": api_base,
        "python": executor.pythons,
    }
    flags = {name: value for name, value in options.items() if was_given(context, name)}
    given = settings.collect(None, None, override or (), flags)
    chosen = Choice(tuple(episode) if episode else None, attempt, tuple(model) if model else None)
    opened = opening.fork(run_dir, chosen, given, out=out, data=data, executor=executor)
    finish(opened, concurrency=concurrency, as_json=json_)


def finish(opened: Session, *, concurrency: int, as_json: bool) -> None:
    """Drive a run that was opened, print what came of it, and leave with the exit code that says how it ended."""
    from repair_bench.agent import session
    from repair_bench.traces.faults import UsageError

    for note in opened.store.notes:
        print(note, file=sys.stderr)
    try:
        result = session.drive(opened, concurrency=concurrency, quiet=as_json)
    except UsageError as error:
        stop(f"{error}. Nothing is lost; then go on with: {opened.resume_command}")
    print_run(opened.directory, as_json=as_json)
    for line in session.closing_lines(opened, result):
        print(line, file=sys.stderr)
    if result.interrupted:
        raise typer.Exit(INTERRUPTED)
    if result.owed:
        raise typer.Exit(FAULTS)


def schema(
    what: Annotated[
        str, typer.Argument(help="experiment, the file that `run` takes; or attempt, a line of the trace.")
    ] = "experiment",
) -> None:
    """Print every field of an experiment file, or of a recorded attempt, as JSON Schema."""
    from repair_bench.agent.experiment import Experiment
    from repair_bench.traces.schema import attempt_schema

    schemas = {"experiment": Experiment.model_json_schema, "attempt": attempt_schema}
    if what not in schemas:
        stop(f"there is no schema of {what!r}: choose from {', '.join(schemas)}")
    print_json(schemas[what]())
