"""Commands that grade stored answers: grade, regrade, drift."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from repair_bench.cli.options import (
    FAULTS,
    INTERRUPTED,
    DataOption,
    JsonOption,
    LogLevelOption,
    RequireSealedOption,
    RuleOption,
    log_to_stderr,
    takes_executor,
)
from repair_bench.cli.output import print_json, print_rows, progress, say_unused

if TYPE_CHECKING:
    from repair_bench.executors.options import ExecutorOptions
    from repair_bench.report.progress import Counter


@takes_executor(cluster=True, announce=True)
def grade(
    solutions: Annotated[
        Path, typer.Argument(help="JSONL file, one answer per line: {task_id, framework, code or completion}.")
    ],
    suite: Annotated[str, typer.Option(help="Suite of the answers.")],
    out: Annotated[Path, typer.Option(help="Output file: one line per answer, in the order of the input.")],
    *,
    rule: RuleOption = None,
    verdict_field: Annotated[
        str | None,
        typer.Option(metavar="FIELD", help="Field with a published verdict (true or false), for comparison."),
    ] = None,
    data: DataOption = None,
    executor: ExecutorOptions,
    require_sealed: RequireSealedOption = False,
    log_level: LogLevelOption = None,
    json_: JsonOption = False,
) -> None:
    """Grade stored answers, or resume an interrupted grading run. Calls no model."""
    from repair_bench.grading.grade import grade_file
    from repair_bench.grading.part_file import part_of

    log_to_stderr(log_level)
    with _resumable("graded", part_of(out), quiet=json_) as counter:
        summary = grade_file(
            solutions, suite, out, data=data, executor=executor, rules=rule or (),
            require_sealed=require_sealed, beside=verdict_field, progress=counter.at,
        )  # fmt: skip
    if json_:
        print_json(summary)
    else:
        for line in _lines(summary):
            print(line)
        if verdict_field is not None:
            _print_agreement(summary["beside"], out)
        print(f"wrote {out}")
    if summary["faults"]:
        raise typer.Exit(FAULTS)


@contextmanager
def _resumable(word: str, kept: Path, *, quiet: bool) -> Iterator[Counter]:
    """Show the progress of a command. On Ctrl-C, report which file contains the finished part, and exit. `word`: see
    `progress`.
    """
    try:
        with progress(word, quiet=quiet) as counter:
            yield counter
    except KeyboardInterrupt:
        if kept.exists():
            print(f"Interrupted. {kept} contains the finished part; repeat the command to continue.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None


def _lines(summary: dict[str, Any]) -> Iterator[str]:
    from repair_bench.text import count

    if "continued" in summary:
        yield f"{summary['continued']:,} of {summary['solutions']:,} answers were already graded"
    for name, verdicts in summary.get("rules", {"": summary["verdicts"]}).items():
        yield f"{name}: {_counts(verdicts)}" if name else _counts(verdicts) or "nothing to grade"
    if "guarded" in summary:
        yield f"of these, guarded (run in the same process as the test): {_counts(summary['guarded'])}"
    if oracles := summary.get("oracles"):
        judged = count(oracles["answers"], "answer")
        rejected, accepted = (count(oracles[name], "answer") for name in ("fails_right", "passes_wrong"))
        yield (
            f"compared with the oracle verdicts on {judged}, the published test incorrectly rejects {rejected} and "
            f"incorrectly accepts {accepted}"
        )
    for reason, number in summary.get("excluded", {}).items():
        yield f"excluded: {count(number, 'answer')}: {reason}"
    for task in summary.get("rule_dependent", ()):
        dependent = f"{task['task_id']} {task['framework']} ({task['answers']} answers)"
        yield f"the verdict depends on the grading rule: {dependent}"
    for fault in summary.get("not_judged", ()):
        yield f"not graded: {fault['task_id']} {fault['framework']}: {fault['detail']}"
    for versions in summary["versions"].values():
        yield "executed with " + ", ".join(f"{package} {version}" for package, version in versions.items())


def _print_agreement(figures: dict[str, Any], out: Path) -> None:
    from repair_bench.text import count
    from repair_bench.traces.record.printable import printable

    column = printable(figures["column"])
    agreed = "-" if figures["agreement"] is None else f"{figures['agreement']:.1%}"
    kappa = "undefined" if figures["kappa"] is None else f"{figures['kappa']:.3f}"
    left_out = "".join(f"; {figures[name]} {why}" for name, why in _NOT_COMPARED.items() if figures[name])
    print(f"\ncompared with {column}: {figures['agree']} of {count(figures['answers'], 'verdict')} agree ({agreed}), "
          f"kappa {kappa}{left_out}")  # fmt: skip
    if figures["table"]:
        print_rows(figures["table"], as_json=False)
    for row in figures["disagreements"]:
        named = ", ".join(f"{one['task_id']} {one['framework']} (line {one['line']})" for one in row["named"])
        print(printable(f"ours {row['ours']}, published {row['theirs']}: {row['answers']}: {named}"))
        if row["answers"] > len(row["named"]):
            print(f"  for the other answers, see the lines in {out} where `verdict` and `{column}` disagree")
    print()


_NOT_COMPARED = {"unknown": "without a published verdict", "unjudged": "not graded by us"}


def _counts(verdicts: dict[str, int]) -> str:
    return "  ".join(f"{kind} {number}" for kind, number in verdicts.items())


@takes_executor()
def regrade(
    run_dir: Annotated[Path, typer.Argument(help="Directory of the run to regrade.")],
    out: Annotated[
        Path, typer.Option(help="Directory for the new run, or directory of an interrupted regrade to continue.")
    ],
    *,
    rule: Annotated[
        str | None,
        typer.Option(
            help="Grading rule: exact, semantic, paper (QuanBench+'s text) or released (QuanBench+'s code). [the rule "
            "of the run]"
        ),
    ] = None,
    data: DataOption = None,
    executor: ExecutorOptions,
    require_sealed: RequireSealedOption = False,
    log_level: LogLevelOption = None,
    json_: JsonOption = False,
) -> None:
    """Grade the stored answers of a run again, as a new run. Calls no model."""
    from repair_bench.agent.studies import regrading
    from repair_bench.text import count

    log_to_stderr(log_level)
    with _resumable("regraded", out, quiet=json_) as counter:
        result = regrading.regrade(
            run_dir, out, rule=rule, data=data, executor=executor,
            require_sealed=require_sealed, progress=counter.at,
        )  # fmt: skip
    say_unused(run_dir, data, executor.pythons)
    if json_:
        print_json(result)
    else:
        if result["tasks"]:
            print_rows(result["tasks"], as_json=False)
            print()
        for line in _regrade_lines(result):
            print(line)
        print(f"To see the new run: repair-bench report {out}")
    if result["faults"]:
        ungraded = count(result["faults"], "answer")
        print(
            f"Infrastructure errors prevented the grading of {ungraded}. Repeat the command to retry.",
            file=sys.stderr,
        )
        raise typer.Exit(FAULTS)


def _regrade_lines(result: dict[str, Any]) -> list[str]:
    from repair_bench.text import count

    changed = sum(result["changed"].values())
    graded = f"{count(result['answers'], 'answer')} of {result['of']} graded with the rule {result['rule']}"
    lines = [f"{graded}: {count(changed, 'verdict')} changed"]
    if result["off_policy"]:
        lines.append(f"off-policy: {count(result['off_policy'], 'attempt')} that received feedback on the old verdict")
    if result["censored"]:
        censored = count(result["censored"], "episode")
        lines.append(f"censored: {censored}, so the repair curve is drawn as lower and upper bounds")
    if result["excluded"]:
        lines.append(f"omitted: {count(result['excluded'], 'episode')} whose tasks cannot be graded on this machine")
    return lines


def drift(
    before: Annotated[Path, typer.Argument(help="Output of `grade --out` under one framework version.")],
    after: Annotated[Path, typer.Argument(help="Output of `grade` for the same solutions under another version.")],
    json_: JsonOption = False,
) -> None:
    """Compare two gradings of the same solutions and list the changed verdicts."""
    from repair_bench.grading.audit import drift as drifting

    result = drifting.drift(drifting.read(before), drifting.read(after))
    if json_:
        print_json(result)
        return
    for rows in (result["pairs"], result["changed"]):
        if rows:
            print_rows(rows, as_json=False)
            print()
    print(f"{len(result['changed'])} of {result['solutions']} verdicts changed. {result['judged']} answers were "
          f"graded twice: {result['passed_before']} passed before and {result['passed_after']} after")  # fmt: skip
