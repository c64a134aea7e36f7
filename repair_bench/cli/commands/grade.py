"""Grading stored answers, and what another version of a framework makes of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from repair_bench.cli.options import (
    FAULTS,
    INTERRUPTED,
    BackendOption,
    DataOption,
    JsonOption,
    LogLevelOption,
    PythonOption,
    RayAddressOption,
    RequireSealedOption,
    RuleOption,
    SandboxOption,
    WorkersOption,
    executor_options,
    log_to_stderr,
)
from repair_bench.cli.output import print_json, print_rows, progress


def grade(
    solutions: Annotated[Path, typer.Argument(help="Lines of {task_id, framework, code or completion}.")],
    suite: Annotated[str, typer.Option(help="The suite the answers are for.")],
    out: Annotated[Path, typer.Option(help="File to write, in the order of the input.")],
    rule: RuleOption = None,
    beside: Annotated[
        str | None,
        typer.Option(
            metavar="FIELD",
            help="The field of the lines that holds a published verdict (true or false) to set ours beside.",
        ),
    ] = None,
    data: DataOption = None,
    workers: WorkersOption = None,
    python: PythonOption = None,
    require_sandbox: SandboxOption = "best",
    require_sealed: RequireSealedOption = False,
    backend: BackendOption = "local",
    ray_address: RayAddressOption = None,
    log_level: LogLevelOption = None,
    json_: JsonOption = False,
) -> None:
    """Grade stored answers, or go on with a grading that was stopped. No model is asked."""
    from repair_bench.grading.grade import grade_file
    from repair_bench.grading.part_file import part_of

    log_to_stderr(log_level)
    executor = executor_options(workers, python, require_sandbox, backend, ray_address, quiet=json_)
    try:
        with progress("graded", quiet=json_) as counter:
            summary = grade_file(
                solutions, suite, out, data=data, executor=executor, rules=rule or (),
                require_sealed=require_sealed, beside=beside, progress=counter.at,
            )  # fmt: skip
    except KeyboardInterrupt:
        if part_of(out).exists():
            print(
                f"stopped: what is graded stays in {part_of(out)}. The same command goes on with it.", file=sys.stderr
            )
        raise typer.Exit(INTERRUPTED) from None
    if json_:
        print_json(summary)
    else:
        for line in _lines(summary):
            print(line)
        if beside is not None:
            _print_beside(summary["beside"], out)
        print(f"wrote {out}")
    if summary["faults"]:
        raise typer.Exit(FAULTS)


def _lines(summary: dict[str, Any]) -> Iterator[str]:
    from repair_bench.text import count

    if "continued" in summary:
        yield f"{summary['continued']:,} of {summary['solutions']:,} answers were graded already"
    for name, verdicts in summary.get("rules", {"": summary["verdicts"]}).items():
        yield f"{name}: {_counts(verdicts)}" if name else _counts(verdicts) or "nothing to grade"
    if "guarded" in summary:
        yield f"of these guarded, beside their test: {_counts(summary['guarded'])}"
    if oracles := summary.get("oracles"):
        judged = count(oracles["answers"], "answer")
        disputed = f"fails {oracles['fails_right']} that are right, passes {oracles['passes_wrong']} that are wrong"
        yield f"the published test, of {judged} that an oracle judged: {disputed}"
    for reason, number in summary.get("excluded", {}).items():
        yield f"excluded, not judged: {count(number, 'answer')}: {reason}"
    for task in summary.get("rule_dependent", ()):
        yield f"depends on the rule: {task['task_id']} {task['framework']} ({task['answers']} answers)"
    for fault in summary.get("not_judged", ()):
        yield f"not judged: {fault['task_id']} {fault['framework']}: {fault['detail']}"
    for versions in summary["versions"].values():
        yield "executed with " + ", ".join(f"{package} {version}" for package, version in versions.items())


def _print_beside(figures: dict[str, Any], out: Path) -> None:
    from repair_bench.text import count
    from repair_bench.traces.record.printable import printable

    column = printable(figures["column"])
    agreed = "-" if figures["agreement"] is None else f"{figures['agreement']:.1%}"
    kappa = "not defined" if figures["kappa"] is None else f"{figures['kappa']:.3f}"
    left_out = "".join(f"; {figures[name]} {why}" for name, why in _NOT_COMPARED.items() if figures[name])
    print(f"\nbeside {column}: {figures['agree']} of {count(figures['answers'], 'verdict')} agree ({agreed}), "
          f"kappa {kappa}{left_out}")  # fmt: skip
    if figures["table"]:
        print_rows(figures["table"], as_json=False)
    for row in figures["disagreements"]:
        named = ", ".join(f"{one['task_id']} {one['framework']} (line {one['line']})" for one in row["named"])
        print(printable(f"{row['ours']} here, {row['theirs']} there: {row['answers']}: {named}"))
        if row["answers"] > len(row["named"]):
            print(f"  the others stand in {out}: lines where one of `verdict` and `{column}` is a pass alone")
    print()


_NOT_COMPARED = {"unknown": "without a verdict there", "unjudged": "not judged here"}


def _counts(verdicts: dict[str, int]) -> str:
    return "  ".join(f"{kind} {number}" for kind, number in verdicts.items())


def drift(
    before: Annotated[Path, typer.Argument(help="What `grade --out` wrote, under one version of a framework.")],
    after: Annotated[Path, typer.Argument(help="The same solutions, graded under another.")],
    json_: JsonOption = False,
) -> None:
    """Show which verdicts changed between two gradings of the same solutions."""
    from repair_bench.grading.audit import drift as drifting

    result = drifting.drift(drifting.read(before), drifting.read(after))
    if json_:
        print_json(result)
        return
    for rows in (result["pairs"], result["changed"]):
        if rows:
            print_rows(rows, as_json=False)
            print()
    print(f"{len(result['changed'])} of {result['solutions']} changed; of the {result['judged']} judged in both, "
          f"{result['passed_before']} passed before and {result['passed_after']} after")  # fmt: skip
