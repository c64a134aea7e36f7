"""Commands that read stored runs: report, plot, show, compare, watch."""

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
    RunDirsArgument,
    stop,
)
from repair_bench.cli.output import (
    chosen,
    observed,
    print_json,
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
"""Maximum share of one core's time that watching a run may use, once all earlier records have been read."""
KINDS = ", ".join([*plots.KINDS, *plots.OBSERVED, *plots.INSTANCES])


def report(
    run_dirs: RunDirsArgument,
    rule: RuleOption = None,
    data: DataOption = None,
    html: Annotated[
        bool, typer.Option("--html", help="Write the full report, with every attempt, as a single HTML page.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Output file for the HTML page. [RUN_DIR/report.html]")] = None,
    published: Annotated[
        str | None,
        typer.Option(help="Compare with a published paper: quanbench-plus, quantum-katas or qiskit-humaneval."),
    ] = None,
    certificate: CertificateOption = None,
    only: OnlyOption = None,
    full: Annotated[bool, typer.Option("--full", help="Print more tables.")] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="With --html: update the page while the run continues.")
    ] = False,
    every: EveryOption = 10.0,
    json_: JsonOption = False,
) -> None:
    """Print a summary of a run, or more tables with --full. With --rule, judge the first answers by different rules."""
    from repair_bench.report import terminal
    from repair_bench.report.sections import printed
    from repair_bench.report.sections import published as papers

    if full and (html or rule or json_ or published):
        stop("--full cannot be combined with --html, --rule, --published or --json")
    if watch:
        if not html or rule or json_ or only or published or len(run_dirs) > 1:
            stop("--watch requires --html and one run: remove --rule, --json, --only and --published")
        watch_page(run_dirs[0], out or run_dirs[0] / "report.html", every, read_certificate(certificate))
        return
    if html or out is not None:
        if not html or rule or json_:
            stop("--out requires --html, and --html cannot be combined with --rule or --json")
        if len(run_dirs) > 1 and out is None:
            stop("a page that covers several runs has no default file: set --out FILE.html")
        write_page(
            chosen(read_runs(run_dirs), only),
            out or run_dirs[0] / "report.html",
            certificate=read_certificate(certificate),
            paper=published,
        )
        return
    if len(run_dirs) > 1 and rule:
        stop("--rule can only be used with a single run")
    if sum(map(bool, (rule, published, certificate))) > 1:
        stop("without --html, use only one of --rule, --published and --certificate")
    run = chosen(read_runs(run_dirs), only)
    if not rule:
        if published is None:
            print_report(run, read_certificate(certificate), as_json=json_, full=full)
            return
        figures = papers.published(published, run.manifest, run.rows)
        if json_:
            print_json(figures.to_json())
        else:
            terminal.show(printed.optional(figures.shown(), terminal.width()))
        return
    from repair_bench.grading.rejudge import rejudge

    result = rejudge(run, rule, data=data)
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
    run_dirs: RunDirsArgument,
    kind: Annotated[
        list[str] | None,
        typer.Option(help=f"Plot to draw: {KINDS}. Can be given more than once. [all that apply]"),
    ] = None,
    only: OnlyOption = None,
    out: Annotated[Path | None, typer.Option(help="Output directory for the plots. [RUN_DIR/plots]")] = None,
) -> None:
    """Draw plots of a run, as PNG and SVG."""
    if len(run_dirs) > 1 and out is None:
        stop("plots of several runs have no default directory: set --out")
    folder = out or run_dirs[0] / "plots"
    plots.check(kind or ())
    run = chosen(read_runs(run_dirs), only)
    hidden = observed(run)
    status = USAGE
    kinds = kind or plots.of_runs(run.rows, hidden)
    for path in plots.draw_all(kinds, run.rows, run.manifest, folder, hidden, say=say):
        print(path)
        status = DONE
    raise typer.Exit(status)


def show(
    run_dir: Annotated[Path, typer.Argument(help="Directory of the run.")],
    episode: Annotated[str | None, typer.Argument(help="Id of the episode; a unique prefix is enough.")] = None,
    task: Annotated[str | None, typer.Option(help="Only episodes of this task.")] = None,
    framework: Annotated[str | None, typer.Option(help="Only episodes in this framework.")] = None,
    json_: JsonOption = False,
) -> None:
    """Print one episode: feedback, code and verdict of each attempt. If several are selected, list them."""
    from repair_bench.analysis.runs.join_runs import choose
    from repair_bench.report import show as showing

    selected = [f"{name}={value}" for name, value in (("task_id", task), ("framework", framework)) if value is not None]
    if episode is not None and selected:
        stop("use either the id of an episode, or --task and --framework")
    rows = choose(read_run(run_dir).rows, selected)
    if episode is None:
        found = showing.listing(rows)
        if len(found) > 1:
            if json_:
                print_json(found)
            else:
                print(showing.listed(found))  # a table would break the ids that are to be copied
            return
        episode = found[0]["episode"]
    attempts = showing.find(rows, str(episode))
    if json_:
        print_json([a.to_json() for a in attempts])
    else:
        print(showing.text(attempts))


def compare(
    a: Annotated[
        str,
        typer.Argument(help="Baseline: a run directory. With --in: a value of the --by field."),
    ],
    b: Annotated[
        str,
        typer.Argument(help="Compared with A: a run directory. With --in: another value of the --by field."),
    ],
    by: Annotated[
        str | None,
        typer.Option(help="Field that differs: model, condition, suite, framework, rule or interpreter."),
    ] = None,
    in_: Annotated[
        Path | None,
        typer.Option("--in", help="Directory of a single run. Arguments A and B are values of the --by field."),
    ] = None,
    repairs: Annotated[
        int | None, typer.Option("--k", help="Compare FB@K. [the largest K that both sides have]")
    ] = None,
    only: OnlyOption = None,
    certificate: CertificateOption = None,
    html: Annotated[
        bool,
        typer.Option(
            "--html",
            help="Write an HTML page with the comparison and a full report on run B, or on the run given with --in.",
        ),
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Output file for the HTML page. [RUN_DIR/compare.html]")] = None,
    json_: JsonOption = False,
) -> None:
    """Compare two runs, models, conditions or rules, paired by task: B minus A with its confidence interval."""
    from repair_bench.analysis.comparing import paired_comparison as comparing
    from repair_bench.report import terminal
    from repair_bench.report.sections import comparison as sections
    from repair_bench.report.sections import printed

    if (out is not None and not html) or (html and json_):
        stop("use --out only with --html, and --html without --json")

    def side(directory: Path) -> tuple[Run, Side]:
        run = chosen(read_run(directory), only)
        return run, comparing.of_run(str(directory), run.manifest, run.rows, observed(run))

    if in_ is None:
        directory = Path(b)
        (_, first), (run, second) = side(Path(a)), side(directory)
    elif by is None:
        stop("with --in, use --by to name the field that is compared, for example --by model")
    else:
        directory = in_
        run, both = side(directory)
        first, second = (comparing.inside(both, by, value) for value in (a, b))
    result = comparing.compare(first, second, by=by, k=repairs, certificate=read_certificate(certificate))
    if html:
        write_page(run, out or directory / "compare.html", comparison=result)
    elif json_:
        print_json(result)
    else:
        terminal.show(printed.optional(sections.shown(result), terminal.width()))


def watch(
    run_dir: Annotated[Path, typer.Argument(metavar="RUN_DIR", help="Directory of the run; the run may start later.")],
    *,
    once: Annotated[bool, typer.Option("--once", help="Print the current progress once, then exit.")] = False,
    every: EveryOption = 2.0,
) -> None:
    """Show the progress of a run: rates so far, infrastructure errors, waits, spending, and remaining time.

    It only reads files, so any run can be watched from any terminal. The command exits when all episodes are done.
    Ctrl-C stops the display, not the run.
    """
    import math
    from functools import partial

    from repair_bench.report import terminal, watching
    from repair_bench.traces.run.manifest import Manifest

    if once:
        Manifest.read(run_dir)  # raises UsageError if there is no run
        watched = next(watching.updates(run_dir, watching.Pace(every, WATCH_SHARE), math.inf))
        terminal.show(watching.frame(watched, terminal.width()))
        return
    os.nice(19)
    with contextlib.suppress(KeyboardInterrupt), terminal.live() as draw:
        for watched in watching.updates(run_dir, watching.Pace(every, WATCH_SHARE), watching.FIRST_FRAME_SECONDS):
            draw(partial(watching.frame, watched))


def graph() -> None:
    """Print the state machine of the repair loop as a Mermaid diagram."""
    from repair_bench.agent.loop.graph import build

    print(build().get_graph(xray=True).draw_mermaid())
