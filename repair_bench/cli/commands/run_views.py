"""Looking at runs."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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

if TYPE_CHECKING:
    from repair_bench.analysis.comparing.paired_comparison import Side
    from repair_bench.traces.run.run_reader import Run

WATCH_SHARE = 0.008
"""Of one core's time that watching takes at most, once it has read what is there."""
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
    for path in plots.draw_all(kinds, run.rows, run.manifest, folder, hidden, say=say):
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


def compare(
    a: Annotated[str, typer.Argument(help="A run's directory; with --in, a value of --by.")],
    b: Annotated[str, typer.Argument(help="What is compared with it: a run's directory; with --in, another value.")],
    by: Annotated[
        str | None,
        typer.Option(help="The one thing that differs: model, condition, suite, framework, rule or interpreter."),
    ] = None,
    in_: Annotated[Path | None, typer.Option("--in", help="Compare inside this run: A and B are values.")] = None,
    repairs: Annotated[int | None, typer.Option("--k", help="Compare FB@K. [all repairs of both]")] = None,
    only: OnlyOption = None,
    certificate: CertificateOption = None,
    html: Annotated[
        bool, typer.Option("--html", help="Write it into the report of B, with --in of the run, as one page.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Where to put the page. [the run's directory/compare.html]")] = None,
    json_: JsonOption = False,
) -> None:
    """Compare two runs, models, conditions or rules, paired by task: B minus A, and what of it is noise."""
    from repair_bench.analysis.comparing import paired_comparison as comparing
    from repair_bench.report import terminal
    from repair_bench.report.sections import comparison as sections
    from repair_bench.report.sections import printed

    if (out is not None and not html) or (html and json_):
        stop("--out goes with --html, and --html without --json")

    def side(directory: Path) -> tuple[Run, Side]:
        run = chosen(read_run(directory), only)
        return run, comparing.of_run(str(directory), run.manifest, run.rows, observed(run))

    if in_ is None:
        directory = Path(b)
        (_, first), (run, second) = side(Path(a)), side(directory)
    elif by is None:
        stop("--in goes with --by: it says what A and B are, for example --by model")
    else:
        directory = in_
        run, whole = side(directory)
        first, second = (comparing.inside(whole, by, value) for value in (a, b))
    result = comparing.compare(first, second, by=by, k=repairs, certificate=read_certificate(certificate))
    if html:
        write_page(run, out or directory / "compare.html", comparison=result)
    elif json_:
        print_json(result)
    else:
        terminal.show(printed.optional(sections.shown(result), terminal.width()))


def watch(
    run_dir: Annotated[Path, typer.Argument(metavar="RUN_DIR", help="A run's directory; it may begin later.")],
    *,
    once: Annotated[bool, typer.Option("--once", help="Print how it stands now, and leave.")] = False,
    every: EveryOption = 2.0,
) -> None:
    """Show how a run stands while another process writes it: rates so far, faults, waits, spend, time left.

    It reads the files alone, so that any run can be watched from any terminal. It ends when every episode is done;
    Ctrl-C ends the watch and not the run.
    """
    import math
    from functools import partial

    from repair_bench.report import terminal, watching
    from repair_bench.traces.run.manifest import Manifest

    if once:
        Manifest.read(run_dir)  # says so where there is none
        watched = next(watching.looks(run_dir, watching.Pace(every, WATCH_SHARE), math.inf))
        terminal.show(watching.frame(watched, terminal.width()))
        return
    os.nice(19)
    with contextlib.suppress(KeyboardInterrupt), terminal.live() as draw:
        for watched in watching.looks(run_dir, watching.Pace(every, WATCH_SHARE), watching.FIRST_FRAME_SECONDS):
            draw(partial(watching.frame, watched))


def graph() -> None:
    """Print the state machine of the loop, as Mermaid."""
    from repair_bench.agent.loop.graph import build

    print(build().get_graph(xray=True).draw_mermaid())
