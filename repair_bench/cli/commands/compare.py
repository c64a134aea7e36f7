"""Comparing two runs, or two parts of one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from repair_bench.cli.options import CertificateOption, JsonOption, OnlyOption, stop
from repair_bench.cli.output import chosen, observed, print_json, read_certificate, read_run, write_page

if TYPE_CHECKING:
    from repair_bench.analysis.comparing.paired_comparison import Side
    from repair_bench.traces.run.run_reader import Run


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
        terminal.show(printed.asked(sections.shown(result), terminal.width()))
