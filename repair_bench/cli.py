"""The commands. Thin: they parse, call the rooms and print. `--help` imports nothing heavy."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

if TYPE_CHECKING:
    from repair_bench.executors.options import ExecutorOptions
    from repair_bench.suites.task import Suite, Task

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
suites_app = typer.Typer(
    help="The sets of tasks: list, show, validate, audit, calibrate.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(suites_app, name="suites")
env_app = typer.Typer(
    help="Environments with other versions of a framework: create, list, remove.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(env_app, name="env")

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
DataOption = Annotated[Path | None, typer.Option("--data", help="Folder with the suite's official files.")]
RuleOption = Annotated[
    list[str] | None, typer.Option(help="Grading rule: exact, paper or released. Repeats: side by side. [exact]")
]

WorkersOption = Annotated[int | None, typer.Option(min=1, help="Programs executed at once. [cores]")]
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

    executor = _executor(workers, python, require_sandbox)
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
    given = {name: value for name, value in options.items() if _was_given(context, OPTIONS.get(name, name))}
    if resume is not None:
        if out is not None:
            _stop("--resume and --out exclude each other: a resumed run stays in its directory")
        opened = session.resume(resume, given, data=data, executor=executor)
    else:
        opened = session.start(given, out=out, data=data, executor=executor)
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
def report(
    run_dir: Annotated[Path, typer.Argument(help="A run's directory.")],
    rule: RuleOption = None,
    data: DataOption = None,
    json_: JsonOption = False,
) -> None:
    """Print the table of a run; with --rule, what its first answers would be under other rules."""
    if not rule:
        _print_run(run_dir, as_json=json_, draw=False)
        return
    from repair_bench.agent.rejudging import rejudge

    found = rejudge(run_dir, rule, data=data, workers=None)
    if json_:
        _print_json(found)
        return
    for rows in (found["rows"], found["rule_dependent"]):
        if rows:
            _print_rows([{**{k: v for k, v in row.items() if k != "passed"}, **row["passed"]} for row in rows],
                        as_json=False)  # fmt: skip
            print()
    print(found["note"])


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
    rule: RuleOption = None,
    fidelity: Annotated[
        bool, typer.Option("--fidelity", help="Add the process fidelity with the reference; it is not scored.")
    ] = False,
    data: DataOption = None,
    workers: WorkersOption = None,
    python: PythonOption = None,
    require_sandbox: SandboxOption = "best",
    json_: JsonOption = False,
) -> None:
    """Grade stored answers. No model is asked."""
    from repair_bench.agent import grading

    executor = _executor(workers, python, require_sandbox)
    summary = grading.grade_file(
        solutions, suite, out, data=data, executor=executor, rules=rule or (), fidelity=fidelity
    )
    if json_:
        _print_json(summary)
    else:
        for name, verdicts in summary.get("rules", {"": summary["verdicts"]}).items():
            counts = "  ".join(f"{kind} {count}" for kind, count in verdicts.items()) or "nothing to grade"
            print(f"{name}: {counts}" if name else counts)
        for task in summary.get("rule_dependent", ()):
            print(f"depends on the rule: {task['task_id']} {task['framework']} ({task['answers']} answers)")
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
    if json_:
        _print_json([{name: value for name, value in vars(t).items() if name != "check"} for t in suite.tasks])
    elif errata:
        _print_errata(suite)
    else:
        rows: dict[str, dict[str, Any]] = {}
        for t in suite.tasks:
            row = {"id": t.id, "title": t.title or t.entry_point, "category": t.category, "difficulty": t.difficulty}
            rows.setdefault(t.id, {**row, "frameworks": []})["frameworks"].append(t.framework)
        _print_rows([{**row, "frameworks": " ".join(row["frameworks"])} for row in rows.values()], as_json=False)


@suites_app.command("fetch")
def suites_fetch(name: Annotated[str, typer.Argument(help="A published suite by name.")]) -> None:
    """Download a published suite's official files into the cache, and verify them."""
    from repair_bench.suites.fetch import fetch

    print(fetch(name))


@suites_app.command("validate")
def suites_validate(
    name: Annotated[str, typer.Argument(help="A suite by name.")],
    data: DataOption = None,
    workers: WorkersOption = None,
    python: PythonOption = None,
    require_sandbox: SandboxOption = "best",
    json_: JsonOption = False,
) -> None:
    """Judge every reference solution by its own check. Exit 1 when one fails that the errata do not name."""
    from repair_bench.agent import session

    rows = session.validate(name, data, executor=_executor(workers, python, require_sandbox))
    _print_rows(rows, as_json=json_)
    if any(row["result"] == "fails" and not row["errata"] for row in rows):
        raise typer.Exit(FAULTS)


@suites_app.command("audit")
def suites_audit(
    name: Annotated[str, typer.Argument(help="A suite by name.")],
    rule: Annotated[str, typer.Option(help="Grading rule: exact, paper or released.")] = "exact",
    framework: Annotated[list[str] | None, typer.Option(help="qiskit, pennylane or cirq. Repeats. [all]")] = None,
    redraws: Annotated[int, typer.Option(min=1, help="How often a correct answer is judged again.")] = 1000,
    mutants: Annotated[int, typer.Option(min=0, help="Mutants to run for each task; 0 for all.")] = 24,
    runs: Annotated[int, typer.Option(min=1, help="How often each reference is executed.")] = 3,
    seed: Annotated[int, typer.Option(help="Seed of everything that is drawn.")] = 0,
    data: DataOption = None,
    out: Annotated[Path | None, typer.Option(help="Directory for certificate.json, .png and .svg.")] = None,
    workers: WorkersOption = None,
    python: PythonOption = None,
    require_sandbox: SandboxOption = "best",
    json_: JsonOption = False,
) -> None:
    """Certify a grader: what it lets pass that ought to fail, and what it rejects that ought to pass."""
    from repair_bench.agent import session
    from repair_bench.suites.audit import Settings

    settings = Settings(redraws=redraws, mutants_per_task=mutants or None, runs=runs, seed=seed)
    certificate = session.audit(
        name,
        data,
        settings,
        rule=rule,
        frameworks=framework,
        executor=_executor(workers, python, require_sandbox),
        quiet=json_,
    )
    found = certificate.to_json()
    if json_:
        _print_json(found)
    else:
        _print_rows(certificate.rows(), as_json=False)
        print("\n" + "\n".join(certificate.headline()))
    if out is not None:
        from repair_bench.traces.plots.certificate import draw_certificate

        _write_json(out / "certificate.json", found)
        for path in [out / "certificate.json", *draw_certificate(found, out)]:
            print(path, file=sys.stderr)
    if found["totals"]["all"]["faults"]:
        raise typer.Exit(FAULTS)


@suites_app.command("calibrate")
def suites_calibrate(
    name: Annotated[str, typer.Argument(help="A suite by name.")],
    repetitions: Annotated[int, typer.Option(min=2, help="How often each reference is drawn.")] = 1000,
    shots: Annotated[int, typer.Option(min=1, help="Shots of one draw.")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the draws.")] = 0,
    data: DataOption = None,
    out: Annotated[Path | None, typer.Option(help="Directory for calibration.json, .png and .svg.")] = None,
    workers: WorkersOption = None,
    python: PythonOption = None,
    require_sandbox: SandboxOption = "best",
    json_: JsonOption = False,
) -> None:
    """Measure how far correct samples lie from their reference: the calibration of QuanBench+, appendix E."""
    from repair_bench.agent import session

    calibration = session.calibrate(
        name,
        data,
        repetitions=repetitions,
        shots=shots,
        seed=seed,
        executor=_executor(workers, python, require_sandbox),
    )
    found = calibration.to_json()
    if json_:
        _print_json({key: value for key, value in found.items() if key != "tasks"})
    else:
        _print_rows(found["rows"], as_json=False)
        print("\n" + calibration.headline())
    if out is not None:
        from repair_bench.traces.plots.calibration import draw_calibration

        _write_json(out / "calibration.json", found)
        for path in [out / "calibration.json", *draw_calibration(found, out)]:
            print(path, file=sys.stderr)


@env_app.command("create")
def env_create(
    name: Annotated[str, typer.Argument(help="A name for it.")],
    packages: Annotated[
        list[str], typer.Argument(help='What to install: "qiskit==0.46.0" "qiskit-aer==0.14.2", and what tasks import.')
    ],
    python: Annotated[str | None, typer.Option(help="The interpreter to build it on, 3.8 or newer. [this one]")] = None,
) -> None:
    """Make an environment with a framework, for --python; with uv where it is there, else venv and pip."""
    from repair_bench.executors import environments

    made = environments.create(name, packages, python)
    _print_rows([made.row()], as_json=False)


@env_app.command("list")
def env_list(json_: JsonOption = False) -> None:
    """List the environments: interpreter and framework packages of each."""
    from repair_bench.executors import environments

    _print_rows([environment.row() for environment in environments.listed()], as_json=json_)


@env_app.command("remove")
def env_remove(name: Annotated[str, typer.Argument(help="An environment's name.")]) -> None:
    """Remove an environment."""
    from repair_bench.executors import environments

    environments.remove(name)


@app.command()
def drift(
    before: Annotated[Path, typer.Argument(help="What `grade --out` wrote, under one version of a framework.")],
    after: Annotated[Path, typer.Argument(help="The same solutions, graded under another.")],
    json_: JsonOption = False,
) -> None:
    """Show which verdicts changed between two gradings of the same solutions."""
    from repair_bench.traces import drift as drifting

    found = drifting.drift(drifting.read(before), drifting.read(after))
    if json_:
        _print_json(found)
        return
    for rows in (found["pairs"], found["changed"]):
        if rows:
            _print_rows(rows, as_json=False)
            print()
    print(f"{len(found['changed'])} of {found['solutions']} changed; of the {found['judged']} judged in both, "
          f"{found['passed_before']} passed before and {found['passed_after']} after")  # fmt: skip


@app.command()
def doctor(json_: JsonOption = False) -> None:
    """Show the sandbox layers, interpreters, environments and datasets of this machine."""
    from repair_bench.agent.diagnosis import diagnosis

    found = diagnosis()
    if json_:
        _print_json(found)
        return
    for section, rows in found.items():
        print(section)
        if rows:
            _print_rows(rows, as_json=False)
        else:
            print("none")
        print()


@app.command()
def graph() -> None:
    """Print the state machine of the loop, as Mermaid."""
    from repair_bench.agent.graph import build

    print(build().get_graph().draw_mermaid())


def _executor(workers: int | None, python: list[str] | None, require_sandbox: str) -> ExecutorOptions:
    from repair_bench.executors import interpreters
    from repair_bench.executors.options import ExecutorOptions

    return ExecutorOptions(workers, interpreters.parse(python or ()), require_sandbox)


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
        table.add_row(*(Text(_cell(value)) for value in row.values()))
    Console().print(table)


def _print_errata(suite: Suite) -> None:
    """One paragraph a problem; what is the same in every framework is said once."""
    import textwrap

    said: dict[tuple[str, str], list[Task]] = {}
    for task in suite.tasks:
        text = " ".join(filter(None, [task.errata, task.excluded and f"Excluded: {task.excluded}"]))
        if text:
            said.setdefault((task.id, text), []).append(task)
    for (name, text), tasks in said.items():
        everywhere = len(tasks) == sum(task.id == name for task in suite.tasks)
        where = "" if everywhere else f" ({', '.join(task.framework for task in tasks)})"
        wrong = "  [reference wrong]" if any(task.reference_wrong for task in tasks) else ""
        print(f"{name}  {tasks[0].title or tasks[0].entry_point}{where}{wrong}")
        print(textwrap.fill(text, 100, initial_indent="    ", subsequent_indent="    "))


def _cell(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {item}" for name, item in value.items())
    return "" if value is None else str(value)


def _print_json(data: Any) -> None:
    import json

    print(json.dumps(data, indent=1))


def _write_json(path: Path, data: Any) -> None:
    import json

    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


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
