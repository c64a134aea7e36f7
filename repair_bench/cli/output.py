"""Print the output of commands: reports, plans, tables and JSON data."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from repair_bench.agent.session import Session
    from repair_bench.analysis.feedback_use.use import Observed
    from repair_bench.report.progress import Counter, RunProgress
    from repair_bench.suites.task import Suite, Task
    from repair_bench.traces.run.run_reader import Run


_PLAN_LINES = 30
"""Maximum number of lines about comparisons in a printed plan."""
_PAGE_SHARE = 0.1
"""Maximum share of one core's time that rewriting a page may use."""


def say(sentences: Iterable[str]) -> None:
    """Print printable sentences on standard error, one per line."""
    from repair_bench.traces.record.printable import printable

    for sentence in sentences:
        print(printable(sentence), file=sys.stderr)


def say_unused(directory: Path, data: Path | None = None, pythons: Mapping[str, str] | None = None) -> None:
    """Print, on standard error, which paths in the manifest are ignored."""
    from repair_bench.traces.run.manifest import Manifest

    say(Manifest.read(directory).unused(data, pythons or {}))


def progress(word: str, *, quiet: bool) -> Counter:
    """Return a progress counter that prints to standard error. `word`: the label that the progress counter shows."""
    from rich.console import Console

    from repair_bench.report.progress import Counter

    return Counter(word, Console(stderr=True, quiet=quiet))


def run_progress(session: Session, *, quiet: bool) -> RunProgress:
    """Return a progress display for a run on standard error."""
    from rich.console import Console

    from repair_bench.report.progress import RunProgress

    console, repairs = Console(stderr=True, quiet=quiet), session.experiment.max_attempts
    return RunProgress(len(session.episodes), console, repairs=repairs, spending=session.store.spending)


def read_run(directory: Path) -> Run:
    return read_runs([directory])


def read_runs(directories: list[Path]) -> Run:
    """Combine several runs into one; print notes on their files on standard error."""
    from repair_bench.analysis.runs.join_runs import join
    from repair_bench.traces.run.run_reader import load_rows

    run = join([load_rows(directory) for directory in directories], [str(directory) for directory in directories])
    say(run.notes)
    return run


def chosen(run: Run, only: list[str] | None) -> Run:
    """Return the part of a run that `--only` selects.

    If only some tasks are selected, no comparison counts as planned.
    """
    from dataclasses import replace

    from repair_bench.analysis.runs.join_runs import choose

    if not only:
        return run
    rows = choose(run.rows, only)
    complete = {choice.partition("=")[0] for choice in only} <= {"model", "suite", "condition"}
    return replace(run, manifest=run.manifest.of_part() if complete else run.manifest.of_choice(), rows=rows)


def observed(run: Run) -> Sequence[Observed]:
    """Return, for each episode on a task that hides a convention, how the ideal observer interprets the attempts."""
    from repair_bench import plugins

    if not {row.suite.partition("?")[0] for row in run.rows} & {"conventions", *plugins.names("suites")}:
        return ()  # do not load the hypotheses
    from repair_bench.grading.hypotheses import observer

    changed = observer.changed_suites(run.manifest)
    say(f"{name} has changed since the run, so the hidden conventions of its tasks are unknown." for name in changed)
    return observer.observed(run)


def read_certificate(path: Path | None) -> dict[str, Any] | None:
    """Read the certificate of a grader, as written by `suites audit --out`."""
    from repair_bench.analysis.comparing.effects import Certificate
    from repair_bench.traces.faults import UsageError
    from repair_bench.traces.files.record_files import read_as

    if path is None:
        return None
    try:
        certificate = read_as(path, Certificate)
    except (FileNotFoundError, UsageError):
        certificate = {}
    if not (certificate.get("tasks") and certificate.get("suite") and certificate.get("rule")):
        raise UsageError(
            f"{path} is not a certificate. Write one with `repair-bench suites audit SUITE --rule RULE --out DIR`."
        )
    return dict(certificate)


def print_run(directory: Path, *, as_json: bool) -> None:
    """Print the short report on a finished run, and write the most important plots of the run."""
    from repair_bench.analysis.summary import summary

    run = read_run(directory)
    if as_json:
        print_json(summary(run.manifest, run.rows))
    else:
        print_report(run, None, as_json=False, full=False)
    for path in draw_after_run(run, directory / "plots"):
        if not as_json:
            print(path)


def draw_after_run(run: Run, out: Path) -> Iterable[Path]:
    """Write the most important plots of a finished run to the directory `out` and return the paths of the files."""
    from repair_bench.report import plots

    return plots.draw_all(plots.AFTER_RUN, run.rows, run.manifest, out, say=say)


def print_report(run: Run, certificate: dict[str, Any] | None, *, as_json: bool, full: bool) -> None:
    """Print a one-screen report on a run. If `full` is set or a `certificate` is given, print more tables instead."""
    from repair_bench.report import sections, terminal
    from repair_bench.report.sections import printed

    data = sections.run_data(run.manifest, run.rows, certificate, observed(run))
    if as_json:
        print_json({**data.summary, "sections": sections.data(data)})
    else:
        show = printed.full if full or certificate is not None else printed.short
        terminal.show(show(data, terminal.width()))


def write_page(run: Run, path: Path, **options: Any) -> None:
    """Write the HTML page of a run (`options`: see `page.PageOptions`) and print its path."""
    from repair_bench.report import page

    page.write(run.manifest, run.rows, path, run.notes, page.PageOptions(**options, observed=observed(run)))
    print(path)


def watch_page(directory: Path, path: Path, every: float, certificate: dict[str, Any] | None) -> None:
    """Write the HTML page of a run repeatedly until the run ends."""
    from repair_bench.report import page, watching

    def write(run: Run, refresh: int | None) -> None:
        extra = page.PageOptions(certificate=certificate, observed=observed(run), refresh=refresh)
        page.write(run.manifest, run.rows, path, run.notes, extra)

    print(path)
    watching.rewrite(directory, watching.Pace(every, _PAGE_SHARE), write)


def print_plan(planned: dict[str, Any], *, as_json: bool, full: bool) -> None:
    """Print a plan from `agent.experiment.plan`; with `full`, list every comparison."""
    if as_json:
        print_json(planned)
        return
    suites = ", ".join(f"{name} {version}" for name, version in planned["suites"].items())
    print(f"{planned['tasks']} tasks of {suites}; {planned['excluded']} excluded")
    print(f"{len(planned['conditions'])} conditions: {', '.join(planned['conditions'])}")
    print(f"{planned['samples']} samples, {planned['max_attempts']} repair rounds\n")
    rows = []
    for model in planned["models"]:
        spans = {name: _span(model[name], form) for name, form in _PLANNED.items()}
        shown = f"{model['model']} (in batches)" if model["batch"] else model["model"]
        rows.append({"model": shown, "episodes": f"{model['episodes']:,}", **spans})
    print_rows(rows, as_json=False)
    for sentence in _budget_words(planned["budget"]):
        print(sentence)
    for model in planned["models"]:
        if queries := " and ".join(f"{n:,} {role}" for role, n in model["queries"].items()):
            print(f"\n{model['model']}: the calls, tokens and costs above include up to {queries} requests.")
        if model["reasoning_tokens"] is None:
            print(f"\n{model['model']} has no limit on reasoning tokens, so these figures do not include them.")
        elif model["reasoning_tokens"]:
            print(f"\n{model['model']}: includes {model['reasoning_tokens']:,} reasoning tokens per answer.")
    _print_power(planned, full=full)
    print("\nThe lower end of each range assumes that every first answer passes.")
    print("The upper end of each range assumes that no answer passes, so that every episode uses all repairs.")
    print("Answers are assumed to be as long as the reference; chain-of-thought answers use more tokens.")
    print("No request was sent and no file was written.")


def _print_power(planned: dict[str, Any], *, full: bool) -> None:
    from repair_bench.report import terminal
    from repair_bench.report.sections.plan_summary import summary
    from repair_bench.report.sections.planned import power
    from repair_bench.report.sections.printed import fitting

    columns = terminal.width()
    if full:
        terminal.show(terminal.table(power(planned), columns))
    else:
        print()
        terminal.show(fitting([summary(planned)], columns, _PLAN_LINES))


def _budget_words(budget: dict[str, Any]) -> Iterator[str]:
    """Yield one sentence that states whether the budget is sufficient; yield nothing if there is no budget."""
    limits = [f"{budget['max_cost']:g} USD"] if budget["max_cost"] is not None else []
    limits += [f"{budget['max_tokens']:,} tokens"] if budget["max_tokens"] is not None else []
    if not limits:
        return
    limit = " and ".join(limits)
    match budget["suffices"]["least"], budget["suffices"]["most"]:
        case False, _:
            yield f"\nThe budget of {limit} is insufficient even if every first answer passes."
        case True, True:
            yield f"\nThe budget of {limit} is sufficient even if no answer passes."
        case True, False:
            yield f"\nThe budget of {limit} is sufficient if every first answer passes, but insufficient if none does."
        case _:
            yield f"\nThe budget of {limit} may be insufficient: the cost of the run is unknown."


_PLANNED = {"calls": ",d", "tokens": ",.0f", "cost_usd": ",.4f"}


def _span(figure: dict[str, Any], form: str) -> str:
    lower, upper = (("unknown" if v is None else format(v, form)) for v in (figure["least"], figure["most"]))
    return lower if lower == upper else f"{lower} to {upper}"


def print_rows(rows: list[dict[str, Any]], *, as_json: bool) -> None:
    from repair_bench.report import terminal
    from repair_bench.report.table import Table

    if as_json:
        print_json(rows)
    else:
        terminal.show(terminal.rows(Table.listing(rows), terminal.width()) if rows else terminal.lines([""]))


def print_errata(suite: Suite) -> None:
    """Print one paragraph per problem; an erratum shared by all frameworks is printed once."""
    import textwrap

    from repair_bench.traces.record.printable import printable

    problems: dict[tuple[str, str, tuple[str, ...]], list[Task]] = {}
    for task in suite.tasks:
        unsaid = task.underspecified and f"Underspecified: {task.underspecified}"
        weak = task.weak and f"Accepts {', '.join(name.replace('_', ' ') for name in task.weak)}"
        lenient = task.lenient and f"Accepts modified answers: {task.lenient}"
        excluded = task.excluded and f"Excluded: {task.excluded}"
        none = task.no_oracle and f"No oracle: {task.no_oracle}"
        text = " ".join(f"{part.rstrip('.')}." for part in (task.errata, weak, lenient, unsaid, none, excluded) if part)
        if text:
            problems.setdefault((task.id, text, task.labels), []).append(task)
    for (name, text, _), tasks in problems.items():
        everywhere = len(tasks) == sum(task.id == name for task in suite.tasks)
        where = "" if everywhere else f" ({', '.join(task.framework for task in tasks)})"
        labels = f"  [{', '.join(tasks[0].labels)}]" if tasks[0].labels else ""
        print(printable(f"{name}  {tasks[0].title or tasks[0].entry_point}{where}{labels}"))
        print(textwrap.fill(printable(text, keep="\n\t"), 100, initial_indent="    ", subsequent_indent="    "))


def print_json(data: Any) -> None:
    import json

    print(json.dumps(data, indent=1))


def write_json(path: Path, data: Any) -> None:
    """Write a file atomically, and print its path on standard error."""
    import json

    from repair_bench.traces.files.atomic_file import write_whole

    write_whole(path, [json.dumps(data, indent=1), "\n"])
    print(path, file=sys.stderr)
