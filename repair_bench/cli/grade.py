"""Grading stored answers, and what another version of a framework makes of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from repair_bench.cli.options import (
    FAULTS,
    BackendOption,
    DataOption,
    JsonOption,
    PythonOption,
    RayAddressOption,
    RuleOption,
    SandboxOption,
    WorkersOption,
    executor_options,
)
from repair_bench.cli.output import print_json, print_rows


def grade(
    solutions: Annotated[Path, typer.Argument(help="Lines of {task_id, framework, code or completion}.")],
    suite: Annotated[str, typer.Option(help="The suite the answers are for.")],
    out: Annotated[Path, typer.Option(help="File to write, in the order of the input.")],
    rule: RuleOption = None,
    fidelity: Annotated[
        bool, typer.Option("--fidelity", help="Add the process fidelity with the reference; it is not scored.")
    ] = False,
    data: DataOption = None,
    workers: WorkersOption = None,
    python: PythonOption = None,
    require_sandbox: SandboxOption = "best",
    backend: BackendOption = "local",
    ray_address: RayAddressOption = None,
    json_: JsonOption = False,
) -> None:
    """Grade stored answers. No model is asked."""
    from repair_bench.agent import grading

    executor = executor_options(workers, python, require_sandbox, backend, ray_address)
    summary = grading.grade_file(
        solutions, suite, out, data=data, executor=executor, rules=rule or (), fidelity=fidelity
    )
    if json_:
        print_json(summary)
    else:
        for name, verdicts in summary.get("rules", {"": summary["verdicts"]}).items():
            counts = "  ".join(f"{kind} {count}" for kind, count in verdicts.items()) or "nothing to grade"
            print(f"{name}: {counts}" if name else counts)
        for task in summary.get("rule_dependent", ()):
            print(f"depends on the rule: {task['task_id']} {task['framework']} ({task['answers']} answers)")
        for fault in summary.get("not_judged", ()):
            print(f"not judged: {fault['task_id']} {fault['framework']}: {fault['detail']}")
        for versions in summary["versions"].values():
            print("executed with " + ", ".join(f"{package} {version}" for package, version in versions.items()))
        print(f"wrote {out}")
    if summary["faults"]:
        raise typer.Exit(FAULTS)


def drift(
    before: Annotated[Path, typer.Argument(help="What `grade --out` wrote, under one version of a framework.")],
    after: Annotated[Path, typer.Argument(help="The same solutions, graded under another.")],
    json_: JsonOption = False,
) -> None:
    """Show which verdicts changed between two gradings of the same solutions."""
    from repair_bench.traces import drift as drifting

    found = drifting.drift(drifting.read(before), drifting.read(after))
    if json_:
        print_json(found)
        return
    for rows in (found["pairs"], found["changed"]):
        if rows:
            print_rows(rows, as_json=False)
            print()
    print(f"{len(found['changed'])} of {found['solutions']} changed; of the {found['judged']} judged in both, "
          f"{found['passed_before']} passed before and {found['passed_after']} after")  # fmt: skip
