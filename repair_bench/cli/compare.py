"""Comparing two runs, or two parts of one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from repair_bench.cli.options import CertificateOption, JsonOption, OnlyOption, stop
from repair_bench.cli.output import chosen, print_json, read_certificate, read_run

if TYPE_CHECKING:
    from repair_bench.traces.compare import Side


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
    json_: JsonOption = False,
) -> None:
    """Compare two runs, models, conditions or rules, paired by task: B minus A, and what of it is noise."""
    from repair_bench.traces import compare as comparing

    if in_ is not None:
        if by is None:
            stop("--in goes with --by: it says what A and B are, for example --by model")
        whole = _side(in_, only)
        sides = comparing.inside(whole, by, a), comparing.inside(whole, by, b)
    else:
        sides = _side(Path(a), only), _side(Path(b), only)
    found = comparing.compare(*sides, by=by, k=repairs, certificate=read_certificate(certificate))
    if json_:
        print_json(found)
    else:
        _print(found)


def _side(directory: Path, only: list[str] | None) -> Side:
    from repair_bench.traces import compare as comparing

    run = chosen(read_run(directory), only)
    return comparing.of_run(str(directory), run.manifest, run.rows)


def _print(found: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.text import Text

    from repair_bench.traces import comparison_text

    console = Console()
    for part in comparison_text.parts(found, console.width):
        console.print(Text(part) if isinstance(part, str) else part)
