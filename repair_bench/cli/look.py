"""Looking at a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from repair_bench.cli.options import DataOption, JsonOption, RuleOption
from repair_bench.cli.output import print_json, print_rows, print_run


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
