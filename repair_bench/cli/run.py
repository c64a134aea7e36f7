"""Making a run, and looking at one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from repair_bench.cli.options import (
    FAULTS,
    INTERRUPTED,
    DataOption,
    JsonOption,
    PythonOption,
    RuleOption,
    SandboxOption,
    WorkersOption,
    executor_options,
    stop,
    was_given,
)
from repair_bench.cli.output import print_json, print_rows, print_run


def run(
    context: typer.Context,
    model: Annotated[
        list[str] | None,
        typer.Option(
            help="A litellm name (openai/gpt-4.1, ollama_chat/...), sim/novice|journeyman|expert, or "
            "sim/bernoulli?first=P&repair=Q. Repeats."
        ),
    ] = None,
    suite: Annotated[list[str] | None, typer.Option(help="A suite by name. Repeats. [aligned]")] = None,
    framework: Annotated[list[str] | None, typer.Option(help="qiskit, pennylane or cirq. Repeats. [all]")] = None,
    max_attempts: Annotated[int, typer.Option(help="Repair attempts after the first answer.")] = 5,
    samples: Annotated[int, typer.Option(help="Independent episodes for each task.")] = 1,
    limit: Annotated[int | None, typer.Option(help="Only the first N problems of each suite.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything that is drawn.")] = 0,
    temperature: Annotated[float, typer.Option(help="Temperature of the first answer.")] = 0.0,
    repair_temperature: Annotated[float, typer.Option(help="Temperature of the repairs.")] = 0.8,
    max_tokens: Annotated[int | None, typer.Option(help="Longest completion to ask for.")] = None,
    history: Annotated[str, typer.Option(help="What a repair sees: whole (conversation) or last (attempt).")] = "whole",
    starter: Annotated[bool, typer.Option(help="Show the starter code in the prompt.")] = True,
    api_base: Annotated[str | None, typer.Option(help="Address of an OpenAI-compatible server.")] = None,
    data: DataOption = None,
    out: Annotated[Path | None, typer.Option(help="Directory to make. [runs/<date>-<time>]")] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Episodes in flight.")] = 16,
    workers: WorkersOption = None,
    python: PythonOption = None,
    require_sandbox: SandboxOption = "best",
    resume: Annotated[Path | None, typer.Option(help="Go on with the run in this directory.")] = None,
    json_: JsonOption = False,
) -> None:
    """Take models through the repair loop, then print the table and draw the plots."""
    from repair_bench.agent import session
    from repair_bench.agent.experiment import OPTIONS
    from repair_bench.traces.faults import UsageError

    executor = executor_options(workers, python, require_sandbox)
    options: dict[str, Any] = {
        "models": model,
        "suites": suite,
        "frameworks": framework,
        "max_attempts": max_attempts,
        "samples": samples,
        "limit": limit,
        "seed": seed,
        "first_temperature": temperature,
        "repair_temperature": repair_temperature,
        "max_tokens": max_tokens,
        "history": history,
        "starter": starter,
        "api_base": api_base,
        "pythons": executor.pythons,
    }
    given = {name: value for name, value in options.items() if was_given(context, OPTIONS.get(name, name))}
    if resume is not None:
        if out is not None:
            stop("--resume and --out exclude each other: a resumed run stays in its directory")
        opened = session.resume(resume, given, data=data, executor=executor)
    else:
        opened = session.start(given, out=out, data=data, executor=executor)
    for note in opened.store.notes:
        print(note, file=sys.stderr)
    try:
        result = session.drive(opened, concurrency=concurrency, quiet=json_)
    except UsageError as error:
        stop(f"{error}. Nothing is lost; then go on with: {opened.resume_command}")
    print_run(opened.directory, as_json=json_)
    if opened.store.repeats:
        again = f"{opened.store.repeats} requests were sent again: after a fault, or in flight when the run was stopped"
        print(again, file=sys.stderr)
    if result.interrupted:
        print(f"stopped: {result.owed} episodes are owed. Go on with: {opened.resume_command}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED)
    if result.faults:
        print(f"{result.faults} episodes ended in a fault on our side and are owed. Go on with: "
              f"{opened.resume_command}", file=sys.stderr)  # fmt: skip
        raise typer.Exit(FAULTS)


def report(
    run_dir: Annotated[Path, typer.Argument(help="A run's directory.")],
    rule: RuleOption = None,
    data: DataOption = None,
    json_: JsonOption = False,
) -> None:
    """Print the table of a run; with --rule, what its first answers would be under other rules."""
    if not rule:
        print_run(run_dir, as_json=json_, draw=False)
        return
    from repair_bench.agent.rejudging import rejudge

    found = rejudge(run_dir, rule, data=data, workers=None)
    if json_:
        print_json(found)
        return
    for rows in (found["rows"], found["rule_dependent"]):
        if rows:
            print_rows([{**{k: v for k, v in row.items() if k != "passed"}, **row["passed"]} for row in rows],
                        as_json=False)  # fmt: skip
            print()
    print(found["note"])


def plot(
    run_dir: Annotated[Path, typer.Argument(help="A run's directory.")],
    kind: Annotated[list[str] | None, typer.Option(help="What to draw. Repeats. [all]")] = None,
    out: Annotated[Path | None, typer.Option(help="Where to put the files. [RUN_DIR/plots]")] = None,
) -> None:
    """Draw plots of a run, as PNG and SVG."""
    from repair_bench.traces import plots, store

    manifest, attempts = store.load_run(run_dir)
    for name in kind or plots.KINDS:
        for path in plots.draw(name, attempts, manifest, out or run_dir / "plots"):
            print(path)


def show(
    run_dir: Annotated[Path, typer.Argument(help="A run's directory.")],
    episode: Annotated[str, typer.Argument(help="An episode's id, or the start of it.")],
    json_: JsonOption = False,
) -> None:
    """Print one episode: feedback, code and verdict of each attempt."""
    from repair_bench.traces import show as showing
    from repair_bench.traces import store

    _, attempts = store.load_run(run_dir)
    found = showing.find(attempts, episode)
    if json_:
        print_json([a.to_json() for a in found])
    else:
        print(showing.text(found))


def graph() -> None:
    """Print the state machine of the loop, as Mermaid."""
    from repair_bench.agent.graph import build

    print(build().get_graph().draw_mermaid())
