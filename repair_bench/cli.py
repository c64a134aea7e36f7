"""The commands. Thin: they parse, call the rooms and print. `--help` imports nothing heavy."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

DONE, FAULTS, USAGE, INTERRUPTED = 0, 1, 2, 130

FB_NOTE = (
    "Attempts count from 0, the first answer: FB@k is solved within k repair attempts. QuanBench+'s released code "
    "allows 5 generations in all (FB@4), its paper's text 5 repairs (FB@5)."
)

app = typer.Typer(
    help="Measure how well language models repair their own quantum programs.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
suites_app = typer.Typer(help="The sets of tasks: list, show.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(suites_app, name="suites")

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
DataOption = Annotated[Path | None, typer.Option("--data", help="Folder with the suite's official files.")]


@app.command(epilog=FB_NOTE)
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
    workers: Annotated[int | None, typer.Option(min=1, help="Candidates executed at once. [cores]")] = None,
    resume: Annotated[Path | None, typer.Option(help="Go on with the run in this directory.")] = None,
    json_: JsonOption = False,
) -> None:
    """Take models through the repair loop, then print the table and draw the plots."""
    from repair_bench.agent import session
    from repair_bench.agent.experiment import OPTIONS
    from repair_bench.traces.faults import UsageError

    options = {
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
    }
    given = {name: value for name, value in options.items() if _was_given(context, OPTIONS.get(name, name))}
    if resume is not None:
        if out is not None:
            _stop("--resume and --out exclude each other: a resumed run stays in its directory")
        opened = session.resume(resume, given, data=data, workers=workers)
    else:
        opened = session.start(given, out=out, data=data, workers=workers)
    try:
        result = session.drive(opened, concurrency=concurrency, quiet=json_)
    except UsageError as error:
        _stop(f"{error}. Nothing is lost; then go on with: {opened.resume_command}")
    _print_run(opened.directory, as_json=json_)
    if result.interrupted:
        print(f"stopped: {result.owed} episodes are owed. Go on with: {opened.resume_command}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED)
    if result.faults:
        print(f"{result.faults} episodes ended in a fault on our side and are owed. Go on with: "
              f"{opened.resume_command}", file=sys.stderr)  # fmt: skip
        raise typer.Exit(FAULTS)


@app.command(epilog=FB_NOTE)
def report(run_dir: Annotated[Path, typer.Argument(help="A run's directory.")], json_: JsonOption = False) -> None:
    """Print the table of a run."""
    _print_run(run_dir, as_json=json_, draw=False)


@app.command()
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


@app.command()
def grade(
    solutions: Annotated[Path, typer.Argument(help="Lines of {task_id, framework, code or completion}.")],
    suite: Annotated[str, typer.Option(help="The suite the answers are for.")],
    out: Annotated[Path, typer.Option(help="File to write, in the order of the input.")],
    data: DataOption = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Candidates executed at once. [cores]")] = None,
    json_: JsonOption = False,
) -> None:
    """Grade stored answers. No model is asked."""
    from repair_bench.agent import grading

    summary = grading.grade_file(solutions, suite, out, data=data, workers=workers)
    if json_:
        _print_json(summary)
    else:
        print("  ".join(f"{kind} {count}" for kind, count in summary["verdicts"].items()) or "nothing to grade")
        print(f"wrote {out}")
    if summary["faults"]:
        raise typer.Exit(FAULTS)


@app.command()
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
        _print_json([a.to_json() for a in found])
    else:
        print(showing.text(found))


@suites_app.command("list")
def suites_list(json_: JsonOption = False) -> None:
    """Name the suites."""
    from repair_bench import suites

    rows = [{"suite": name, "holds": text} for name, text in suites.describe().items()]
    _print_rows(rows, as_json=json_)


@suites_app.command("show")
def suites_show(
    name: Annotated[str, typer.Argument(help="A suite by name.")],
    task: Annotated[str | None, typer.Argument(help="One task's id: print its prompt.")] = None,
    framework: Annotated[str, typer.Option(help="The framework of the task to print.")] = "qiskit",
    errata: Annotated[bool, typer.Option("--errata", help="What is wrong with which task, and why.")] = False,
    data: DataOption = None,
    json_: JsonOption = False,
) -> None:
    """List a suite's tasks, or print what a model is told of one."""
    from repair_bench.agent import session
    from repair_bench.prompts.compose import compose
    from repair_bench.prompts.condition import Condition

    suite = session.load_suite(name, data)
    if task is not None:
        found = [t for t in suite.tasks if t.id == task and t.framework == framework]
        if not found:
            _stop(f"{name} has no task {task!r} in {framework}; `repair-bench suites show {name}` lists them")
        for message in compose(found[0], Condition()):
            print(f"--- {message['role']}\n{message['content']}\n")
        return
    rows: list[dict[str, Any]] = [
        {
            "id": t.id,
            "framework": t.framework,
            "title": t.title or t.entry_point,
            "category": t.category,
            "difficulty": t.difficulty,
            **({"errata": t.errata, "reference_wrong": t.reference_wrong, "excluded": t.excluded} if errata else {}),
        }
        for t in suite.tasks
        if not errata or t.errata or t.excluded
    ]
    _print_rows(rows, as_json=json_)


@suites_app.command("validate")
def suites_validate(
    name: Annotated[str, typer.Argument(help="A suite by name.")],
    data: DataOption = None,
    workers: Annotated[int | None, typer.Option(min=1, help="References executed at once. [cores]")] = None,
    json_: JsonOption = False,
) -> None:
    """Judge every reference solution by its own check. Exit 1 when one fails that the errata do not name."""
    from repair_bench.agent import session

    rows = session.validate(name, data, workers=workers)
    _print_rows(rows, as_json=json_)
    if any(row["result"] == "fails" and not row["errata"] for row in rows):
        raise typer.Exit(FAULTS)


@app.command()
def graph() -> None:
    """Print the state machine of the loop, as Mermaid."""
    from repair_bench.agent.graph import build

    print(build().get_graph().draw_mermaid())


def _was_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def _print_run(directory: Path, *, as_json: bool, draw: bool = True) -> None:
    from repair_bench.traces import store, tables

    manifest, attempts = store.load_run(directory)
    figures = tables.summary(manifest, attempts)
    if as_json:
        _print_json(figures)
    else:
        from rich.console import Console

        console = Console()
        console.print(tables.render(figures, console.width))
    if draw:
        from repair_bench.traces import plots

        for kind in plots.KINDS:
            for path in plots.draw(kind, attempts, manifest, directory / "plots"):
                if not as_json:
                    print(path)


def _print_rows(rows: list[dict[str, Any]], *, as_json: bool) -> None:
    if as_json:
        _print_json(rows)
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for name in rows[0] if rows else ():
        table.add_column(name.replace("_", " "), overflow="fold")
    for row in rows:
        table.add_row(*(Text("" if value is None else str(value)) for value in row.values()))
    Console().print(table)


def _print_json(data: Any) -> None:
    import json

    print(json.dumps(data, indent=1))


def _stop(message: str) -> NoReturn:
    from repair_bench.traces.faults import UsageError

    raise UsageError(message)


def main() -> None:
    """The entry point: a usage error is one line and exit 2, a broken pipe is silence."""
    from repair_bench.traces.faults import Fault, UsageError

    try:
        app()
    except UsageError as error:
        print(f"repair-bench: {error}", file=sys.stderr)
        sys.exit(USAGE)
    except Fault as fault:
        print(f"repair-bench: a fault on our side ({fault.boundary}): {fault}", file=sys.stderr)
        sys.exit(FAULTS)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(DONE)
