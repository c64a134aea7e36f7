"""Looking at a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from repair_bench.cli.options import CertificateOption, DataOption, JsonOption, OnlyOption, RuleOption, stop
from repair_bench.cli.output import (
    chosen,
    print_beside,
    print_json,
    print_report,
    print_rows,
    read_certificate,
    read_run,
    read_runs,
)
from repair_bench.traces import plots

if TYPE_CHECKING:
    from repair_bench.traces.rows import Run

KINDS = ", ".join([*plots.KINDS, *plots.OF_FILES])


def report(
    run_dirs: Annotated[list[Path], typer.Argument(metavar="RUN_DIR...", help="A run's directory; several as one.")],
    rule: RuleOption = None,
    data: DataOption = None,
    html: Annotated[
        bool, typer.Option("--html", help="Write the whole report as one page for a browser, with every attempt.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Where to put the page. [RUN_DIR/report.html]")] = None,
    beside: Annotated[
        str | None, typer.Option(help="Print it beside a paper: quanbench-plus, quantum-katas or qiskit-humaneval.")
    ] = None,
    certificate: CertificateOption = None,
    only: OnlyOption = None,
    json_: JsonOption = False,
) -> None:
    """Print what a run shows; with --rule, what its first answers would be under other rules."""
    if html or out is not None:
        if not html or rule or beside or certificate or json_:
            stop("--out goes with --html, and --html with neither --rule, --beside, --certificate nor --json")
        _write_page(chosen(read_runs(run_dirs), only), out or run_dirs[0] / "report.html")
        return
    if len(run_dirs) > 1 and rule:
        stop("--rule takes one run")
    if not rule:
        run = chosen(read_runs(run_dirs), only)
        if beside is not None:
            print_beside(run, beside, as_json=json_)
        else:
            print_report(run, read_certificate(certificate), as_json=json_)
        return
    from repair_bench.agent.rejudging import rejudge

    found = rejudge(run_dirs[0], rule, data=data, workers=None)
    if json_:
        print_json(found)
        return
    for rows in (found["rows"], found["rule_dependent"]):
        if rows:
            print_rows([{**{k: v for k, v in row.items() if k != "passed"}, **row["passed"]} for row in rows],
                        as_json=False)  # fmt: skip
            print()
    print(found["note"])


def _write_page(run: Run, path: Path) -> None:
    from repair_bench.traces import report as reports

    reports.write(run.manifest, run.rows, path, run.notes)
    print(path)


def plot(
    run_dirs: Annotated[
        list[Path],
        typer.Argument(metavar="DIR...", help="A run's directory; several as one. Or one of `suites audit`."),
    ],
    kind: Annotated[list[str] | None, typer.Option(help=f"What to draw: {KINDS}. Repeats. [all there is]")] = None,
    only: OnlyOption = None,
    out: Annotated[Path | None, typer.Option(help="Where to put the files. [RUN_DIR/plots]")] = None,
) -> None:
    """Draw plots of a run, as PNG and SVG; or of a suite's grader, from the directory that `suites audit` wrote."""
    if len(run_dirs) > 1 and out is None:
        stop("say where to put the plots of several runs, by --out")
    folder = out or run_dirs[0] / "plots"
    of_run, of_files = plots.choose(run_dirs[0], kind)
    if of_run:
        run = chosen(read_runs(run_dirs), only)
        for name in of_run:
            for path in plots.draw(name, run.rows, run.manifest, folder):
                print(path)
    for name in of_files:
        for path in plots.draw_file(name, run_dirs[0], folder):
            print(path)


def show(
    run_dir: Annotated[Path, typer.Argument(help="A run's directory.")],
    episode: Annotated[str, typer.Argument(help="An episode's id, or the start of it.")],
    json_: JsonOption = False,
) -> None:
    """Print one episode: feedback, code and verdict of each attempt."""
    from repair_bench.traces import show as showing

    found = showing.find(read_run(run_dir).rows, episode)
    if json_:
        print_json([a.to_json() for a in found])
    else:
        print(showing.text(found))


def graph() -> None:
    """Print the state machine of the loop, as Mermaid."""
    from repair_bench.agent.graph import build

    print(build().get_graph().draw_mermaid())
