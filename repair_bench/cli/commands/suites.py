"""The commands `suites ...`."""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from repair_bench.cli.options import (
    FAULTS,
    DataOption,
    JsonOption,
    OnlyOption,
    RequireSealedOption,
    RunDirsArgument,
    stop,
    takes_executor,
)
from repair_bench.cli.output import chosen, print_errata, print_json, print_rows, progress, read_runs, write_json

if TYPE_CHECKING:
    from repair_bench.executors.options import ExecutorOptions

SuiteArgument = Annotated[str, typer.Argument(help="Name of the suite.")]

app = typer.Typer(
    help="Inspect and check suites of tasks: list, show, fetch, validate, audit, calibrate, headroom.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("list")
def list_(json_: JsonOption = False) -> None:
    """List the suites."""
    from repair_bench import suites

    rows = [{"suite": name, "holds": text} for name, text in suites.describe().items()]
    print_rows(rows, as_json=json_)


@app.command("show")
def show(
    name: SuiteArgument,
    task: Annotated[str | None, typer.Argument(help="Id of the task whose prompt is printed.")] = None,
    framework: Annotated[str, typer.Option(help="Framework of the task whose prompt is printed.")] = "qiskit",
    errata: Annotated[bool, typer.Option("--errata", help="List the known errors in tasks, with reasons.")] = False,
    data: DataOption = None,
    json_: JsonOption = False,
) -> None:
    """List the tasks of a suite, or print the prompt of one task."""
    from repair_bench import suites
    from repair_bench.coroutines import run_to_end
    from repair_bench.prompts.compose import compose
    from repair_bench.prompts.condition import Condition
    from repair_bench.traces.record.printable import printable

    suite = run_to_end(suites.load(name, data=data))
    if task is not None:
        wanted = next((t for t in suite.tasks if t.id == task and t.framework == framework), None)
        if wanted is None:
            stop(f"{name} has no task {task!r} in {framework}; `repair-bench suites show {name}` lists them")
        for message in compose(wanted, Condition()):
            print(printable(f"--- {message['role']}\n{message['content']}\n", keep="\n\t"))
        return
    if json_:
        print_json(
            [
                {**{name: value for name, value in vars(t).items() if name != "check"}, "sealed": t.sealed}
                for t in suite.tasks
            ]
        )
    elif errata:
        print_errata(suite)
    else:
        rows: dict[str, dict[str, Any]] = {}
        for t in suite.tasks:
            row = {"id": t.id, "title": t.title or t.entry_point, "category": t.category, "difficulty": t.difficulty}
            rows.setdefault(t.id, {**row, "sealed": t.sealed, "frameworks": []})["frameworks"].append(t.framework)
        print_rows([{**row, "frameworks": " ".join(row["frameworks"])} for row in rows.values()], as_json=False)
        if guarded := sum(t.sealed == "guarded" and t.excluded is None for t in suite.tasks):
            which = f"{guarded} of {len(suite.tasks)} tests run in the same process as the candidate"
            print(f"\nguarded: {which}; --require-sealed excludes them")


@app.command("fetch")
def fetch(name: SuiteArgument) -> None:
    """Download the official files of a published suite into the cache and verify their checksums."""
    from repair_bench.suites.fetch import fetch

    print(fetch(name))


@app.command("validate")
@takes_executor()
def validate(
    name: SuiteArgument,
    *,
    sealing: Annotated[
        bool,
        typer.Option("--sealing", help="Only determine and store which unit tests can run in a separate process."),
    ] = False,
    all_: Annotated[bool, typer.Option("--all", help="List all tasks instead of only the failures.")] = False,
    data: DataOption = None,
    out: Annotated[Path | None, typer.Option(help="With --sealing: output file. [the suite's own file]")] = None,
    executor: ExecutorOptions,
    require_sealed: RequireSealedOption = False,
    json_: JsonOption = False,
) -> None:
    """Verify that the reference solution of every task passes the task's check.

    The exit code is 1 if a reference fails its check and has no erratum, or cannot be graded on this machine.
    """
    from repair_bench.grading.audit.sealing import seal_suite
    from repair_bench.grading.audit.validate import validate as validate_suite
    from repair_bench.grading.loading import use_suite
    from repair_bench.text import count

    if sealing:
        sealed = seal_suite(name, data, out, executor=executor)
        if json_:
            print_json(sealed)
            return
        if sealed["changed"]:
            print_rows(sealed["changed"], as_json=False)
        print(f"stub {sealed['stub']}  guarded {sealed['guarded']}\nwrote {sealed['file']}")
        return
    if out is not None:
        stop("--out requires --sealing")
    rows = use_suite(name, data, executor, validate_suite, require_sealed=require_sealed)
    if json_:
        print_json(rows)
    else:
        failures = sorted(filter(_failed, rows), key=_excused)
        shown = [*failures, *(row for row in rows if all_ and not _failed(row))]
        if shown:
            seconds = [None if row["seconds"] is None else f"{row['seconds']:.3f}" for row in shown]
            print_rows([{**row, "seconds": s} for row, s in zip(shown, seconds, strict=True)], as_json=False)
            print()
        known = sum(map(_excused, failures))
        print(f"{count(len(rows), 'task')}: {_results(rows)}" + (f" ({known} listed in the errata)" if known else ""))
        if guarded := [row for row in rows if row["sealed"] == "guarded"]:
            print(f"of these, guarded (run in the same process as the test): {_results(guarded)}")
    if any(_failed(row) and not _excused(row) for row in rows):
        raise typer.Exit(FAULTS)


def _failed(row: dict[str, Any]) -> bool:
    return row["result"] in ("fails", "fault")


def _excused(row: dict[str, Any]) -> bool:
    return row["result"] == "fails" and bool(row["errata"])


def _results(rows: list[dict[str, Any]]) -> str:
    counts = Counter(row["result"] for row in sorted(rows, key=_failed))
    return "  ".join(f"{result} {count}" for result, count in counts.items())


@app.command("audit")
@takes_executor()
def audit(
    name: SuiteArgument,
    *,
    rule: Annotated[
        str,
        typer.Option(help="Grading rule: exact, semantic, paper (QuanBench+'s text) or released (QuanBench+'s code)."),
    ] = "exact",
    framework: Annotated[
        list[str] | None,
        typer.Option(help="qiskit, pennylane, cirq or openqasm3. Can be given more than once. [all]"),
    ] = None,
    mutants: Annotated[int, typer.Option(min=0, help="Maximum number of mutants per task; 0 for all.")] = 24,
    seed: Annotated[int, typer.Option(help="Seed for all random choices.")] = 0,
    data: DataOption = None,
    out: Annotated[Path | None, typer.Option(help="Directory for certificate.json.")] = None,
    executor: ExecutorOptions,
    json_: JsonOption = False,
) -> None:
    """Audit a grader: measure how often it accepts wrong programs and rejects correct ones."""
    from repair_bench.grading.audit import Settings
    from repair_bench.grading.audit import audit as audit_suite
    from repair_bench.grading.loading import use_suite
    from repair_bench.report import graders

    settings = Settings(mutants_per_task=mutants or None, seed=seed)
    with progress("audited", quiet=json_) as counter:
        use = partial(audit_suite, settings=settings, progress=counter.at)
        certificate = use_suite(name, data, executor, use, frameworks=framework, rule=rule)
    figures = certificate.to_json()
    figures["headline"] = graders.certificate_sentences(figures)
    if json_:
        print_json(figures)
    else:
        print_rows(graders.certificate_rows(certificate.rows()), as_json=False)
        print("\n" + "\n".join(figures["headline"]))
    if out is not None:
        write_json(out / "certificate.json", figures)
    if figures["totals"]["all"]["faults"]:
        raise typer.Exit(FAULTS)


@app.command("calibrate")
@takes_executor()
def calibrate(
    name: SuiteArgument,
    *,
    data: DataOption = None,
    out: Annotated[Path | None, typer.Option(help="Directory for calibration.json.")] = None,
    executor: ExecutorOptions,
    json_: JsonOption = False,
) -> None:
    """Measure how much repeated samples of each reference solution differ, as in appendix E of QuanBench+.

    For the `horizon` suite: measure the costs of circuits produced by solvers of known strength, by family and size.
    """
    from repair_bench import suites
    from repair_bench.grading.audit.calibrate import calibrate as calibrate_suite
    from repair_bench.grading.loading import use_suite
    from repair_bench.report import graders

    if calibrator := suites.calibrator(name):
        if data is not None or executor.pythons or executor.require_sandbox != "best":
            stop(f"{name} is calibrated with its own solvers: remove --data, --python and --require-sandbox")
        with progress("solved", quiet=json_) as counter:
            figures = calibrator(name, counter.at, executor.workers)
        if json_:
            print_json({key: value for key, value in figures.items() if key != "instances"})
        else:
            print_rows(graders.solver_rows(figures["rows"]), as_json=False)
            print("\n" + "\n".join(graders.solver_sentences(figures)))
        if out is not None:
            write_json(out / "calibration.json", figures)
        return
    figures = use_suite(name, data, executor, calibrate_suite).to_json()
    if json_:
        print_json({key: value for key, value in figures.items() if key != "tasks"})
    else:
        print_rows(figures["rows"], as_json=False)
        print("\n" + graders.calibration_sentences(figures))
    if out is not None:
        write_json(out / "calibration.json", figures)


@app.command("headroom")
def headroom(
    run_dirs: RunDirsArgument,
    only: OnlyOption = None,
    json_: JsonOption = False,
) -> None:
    """Show the headroom for repair: failed first answers by cause, and the minimum detectable effect of repairs.

    A short run with --max-attempts 0 is enough.
    """
    from repair_bench.report import terminal
    from repair_bench.report.sections import headroom, run_data

    run = chosen(read_runs(run_dirs), only)
    table = headroom.section(run_data(run.manifest, run.rows))
    if json_:
        print_json(table.to_json())
    else:
        terminal.show(terminal.table(table, terminal.width()))
