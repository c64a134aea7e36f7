"""Looking at a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from repair_bench.cli.options import (
    DONE,
    USAGE,
    CertificateOption,
    DataOption,
    EveryOption,
    JsonOption,
    OnlyOption,
    RuleOption,
    stop,
)
from repair_bench.cli.output import (
    chosen,
    observed,
    print_json,
    print_published,
    print_report,
    print_rows,
    read_certificate,
    read_run,
    read_runs,
    say,
    say_unused,
    watch_page,
    write_page,
)
from repair_bench.report import plots

KINDS = ", ".join([*plots.KINDS, *plots.OBSERVED])


def report(
    run_dirs: Annotated[list[Path], typer.Argument(metavar="RUN_DIR...", help="A run's directory; several as one.")],
    rule: RuleOption = None,
    data: DataOption = None,
    html: Annotated[
        bool, typer.Option("--html", help="Write the whole report as one page for a browser, with every attempt.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Where to put the page. [RUN_DIR/report.html]")] = None,
    paper: Annotated[
        str | None,
        typer.Option("--beside", help="Set it beside a paper: quanbench-plus, quantum-katas or qiskit-humaneval."),
    ] = None,
    certificate: CertificateOption = None,
    only: OnlyOption = None,
    full: Annotated[bool, typer.Option("--full", help="Print every table.")] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="With --html: write the page again while the run goes on; it refreshes.")
    ] = False,
    every: EveryOption = 10.0,
    json_: JsonOption = False,
) -> None:
    """Print a run on one screen, or all of it with --full; with --rule, its first answers under other rules."""
    if full and (html or rule or json_ or paper):
        stop("--full prints tables: use it without --html, --rule, --beside and --json")
    if watch:
        if not html or rule or json_ or only or paper or len(run_dirs) > 1:
            stop("--watch goes with --html, of one run, and with neither --only nor --beside")
        watch_page(run_dirs[0], out or run_dirs[0] / "report.html", every, read_certificate(certificate))
        return
    if html or out is not None:
        if not html or rule or json_:
            stop("--out goes with --html, and --html with neither --rule nor --json")
        if len(run_dirs) > 1 and out is None:
            stop("say where to put the page of several runs, by --out FILE.html")
        write_page(
            chosen(read_runs(run_dirs), only),
            out or run_dirs[0] / "report.html",
            certificate=read_certificate(certificate),
            paper=paper,
        )
        return
    if len(run_dirs) > 1 and rule:
        stop("--rule takes one run")
    if not rule:
        run = chosen(read_runs(run_dirs), only)
        if paper is not None:
            print_published(run, paper, as_json=json_)
        else:
            print_report(run, read_certificate(certificate), as_json=json_, full=full)
        return
    from repair_bench.grading.rejudge import rejudge

    result = rejudge(run_dirs[0], rule, data=data)
    say_unused(run_dirs[0], data)
    if json_:
        print_json(result)
        return
    for rows in (result["rows"], result["rule_dependent"]):
        if rows:
            print_rows([{**{k: v for k, v in row.items() if k != "passed"}, **row["passed"]} for row in rows],
                        as_json=False)  # fmt: skip
            print()
    print(result["note"])


def plot(
    run_dirs: Annotated[list[Path], typer.Argument(metavar="RUN_DIR...", help="A run's directory; several as one.")],
    kind: Annotated[list[str] | None, typer.Option(help=f"What to draw: {KINDS}. Repeats. [all there is]")] = None,
    only: OnlyOption = None,
    out: Annotated[Path | None, typer.Option(help="Where to put the files. [RUN_DIR/plots]")] = None,
) -> None:
    """Draw plots of a run, as PNG and SVG."""
    if len(run_dirs) > 1 and out is None:
        stop("say where to put the plots of several runs, by --out")
    folder = out or run_dirs[0] / "plots"
    plots.check(kind or ())
    run = chosen(read_runs(run_dirs), only)
    hidden = observed(run)
    status = USAGE
    kinds = kind or plots.of_runs(hidden)
    for path in plots.drawn(kinds, run.rows, run.manifest, folder, hidden, say=say):
        print(path)
        status = DONE
    raise typer.Exit(status)


def show(
    run_dir: Annotated[Path, typer.Argument(help="A run's directory.")],
    episode: Annotated[str | None, typer.Argument(help="An episode's id, or the start of it.")] = None,
    task: Annotated[
        str | None, typer.Option(help="The task of the episode, by its id, in place of the episode's.")
    ] = None,
    framework: Annotated[str | None, typer.Option(help="With --task: qiskit, pennylane, cirq or openqasm3.")] = None,
    json_: JsonOption = False,
) -> None:
    """Print one episode: feedback, code and verdict of each attempt. Where a task has several, their ids."""
    from repair_bench.report import show as showing

    if (episode is None) == (task is None) or (task is None and framework is not None):
        stop("name an episode by the start of its id, or its task by --task and --framework")
    run = read_run(run_dir)
    if task is not None:
        run = chosen(run, [f"task_id={task}", *([f"framework={framework}"] if framework is not None else [])])
        found = showing.listing(run.rows)
        if len(found) > 1:
            if json_:
                print_json(found)
            else:
                print(showing.listed(found))  # a table would break the ids that are to be copied
            return
        episode = found[0]["episode"]
    attempts = showing.find(run.rows, str(episode))
    if json_:
        print_json([a.to_json() for a in attempts])
    else:
        print(showing.text(attempts))


def graph() -> None:
    """Print the state machine of the loop, as Mermaid."""
    from repair_bench.agent.loop.graph import build

    print(build().get_graph(xray=True).draw_mermaid())
