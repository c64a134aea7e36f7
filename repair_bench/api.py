"""The functions that `import repair_bench` offers to scripts and notebooks."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repair_bench.arguments import in_python, speaks_python
from repair_bench.text import count
from repair_bench.traces.faults import UsageError
from repair_bench.traces.run.run_reader import Run, load_rows

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from repair_bench.traces.record.lazy_attempt import Recorded
    from repair_bench.traces.run.manifest import Manifest

    DrawnBy = Callable[[Sequence[Recorded], Manifest], Figure]

    from repair_bench.agent.experiment.file import Experiment
    from repair_bench.agent.run_setup import CustomComponents
    from repair_bench.prompts.feedback import Policy
    from repair_bench.suites.task import Suite


_COLUMNS = 100
"""The width of a table in a notebook, in characters."""


@dataclass(frozen=True, repr=False)
class Drawing:
    """A plot that displays itself in a notebook. `svg`: the content of the plot."""

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg


@dataclass(frozen=True)
class LoadedRun(Run):
    """A stored run.

    `rows`: the attempts of the run, without texts; `rows[i].with_texts()` reads an attempt with its texts. `manifest`:
    the content of `run.json`. `notes`: sentences about the run, for example about pending episodes.
    """

    directory: Path

    def __repr__(self) -> str:
        episodes = len({row.episode for row in self.rows})
        return f"<LoadedRun {str(self.directory)!r}: {count(episodes, 'episode')}, {count(len(self.rows), 'attempt')}>"

    def _repr_html_(self) -> str:
        import html

        from repair_bench.report import terminal
        from repair_bench.report.sections import printed, run_data

        shown = terminal.text(printed.short(run_data(self.manifest, self.rows), _COLUMNS), _COLUMNS)
        return f"<p>{html.escape(repr(self))}</p><pre>{html.escape(shown)}</pre>"

    @speaks_python
    def report(self, *, full: bool = False) -> None:
        """Print the report of the run, like `repair-bench report`.

        Args:
            full: Print more tables.

        """
        from repair_bench.grading.hypotheses import observer
        from repair_bench.report import terminal
        from repair_bench.report.sections import printed, run_data

        run = run_data(self.manifest, self.rows, observed=observer.observed(self))
        terminal.show((printed.full if full else printed.short)(run, terminal.width()))

    @speaks_python
    def plot(self, kind: str | DrawnBy) -> Drawing:
        """Draw a plot.

        Args:
            kind: The kind of plot, such as `repair-curve`, `errors` or `heatmap`, or a function that takes the attempts
                and the manifest and returns a figure.

        Raises:
            UsageError: The kind is unknown, or the plot would be empty for this run.

        """
        from repair_bench.grading.hypotheses import observer
        from repair_bench.report import plots

        return Drawing(plots.svg(kind, self.rows, self.manifest, observer.observed(self)))

    @speaks_python
    def frame(self, *, texts: bool = False) -> pd.DataFrame:
        """Return the attempts as a pandas data frame with the columns of `repair-bench export --format csv`.

        Args:
            texts: Include prompts, completions, code and messages, which are read from disk.

        Raises:
            UsageError: pandas is not installed.

        """
        from repair_bench.report.exports.flat import COLUMNS
        from repair_bench.traces.record.lazy_attempt import in_row

        try:
            import pandas as pd
        except ImportError:
            raise UsageError("a data frame requires pandas: pip install pandas") from None
        columns = {name: column for name, column in COLUMNS.items() if texts or in_row(column.path)}
        attempts: Iterable[Any] = (row.with_texts() for row in self.rows) if texts else self.rows
        lines = [[column(attempt) for column in columns.values()] for attempt in attempts]
        return pd.DataFrame(lines, columns=list(columns))


@speaks_python
def load(run_dir: str | PathLike[str]) -> LoadedRun:
    """Read a stored run, which may still be in progress.

    Raises:
        UsageError: The directory is not a run, or a record is damaged.

    """
    directory = Path(run_dir)
    stored = load_rows(directory)
    return LoadedRun(stored.manifest, stored.rows, stored.notes, directory)


@speaks_python
def run(
    experiment: str | PathLike[str] | Mapping[str, Any] | Experiment,
    *,
    out: str | PathLike[str] | None = None,
    data: str | PathLike[str] | None = None,
    feedback: Mapping[str, Policy] | None = None,
    resume: bool = False,
    accept_versions: bool = False,
    progress: bool = False,
    preflight: bool = True,
    concurrency: int = 16,
    workers: int | None = None,
    require_sandbox: str = "best",
) -> LoadedRun:
    """Run models through the repair loop, like `repair-bench run`.

    Args:
        experiment: A TOML file, the same fields as a mapping, or an `Experiment`. The `models` and `suites` of a
            mapping may contain `Model` and `Suite` objects.
        out: The directory of the new run (default `runs/<date>-<time>`), or with `resume` of the run to resume.
        data: The folder with the official files of a suite.
        feedback: Custom feedback policies by name, each a module or object with `feedback(task, failure)`.
        resume: Resume the run in `out`.
        accept_versions: With `resume`: accept changed package versions that can affect verdicts.
        progress: Show progress on standard error.
        preflight: Request one token from each model first, so that a wrong model name stops the run.
        concurrency: Maximum number of concurrent episodes.
        workers: Number of programs executed concurrently.
        require_sandbox: `strict`, `best` or `none`.

    Returns:
        The stored run. Its field `notes` states how many episodes are pending and why they are pending.

    Raises:
        UsageError: The settings are invalid or cannot be satisfied.
        KeyboardInterrupt: The run was interrupted. No results are lost; `resume` continues the run.

    """
    from repair_bench.agent import run_setup, session
    from repair_bench.cli.output import run_progress
    from repair_bench.executors.options import ExecutorOptions
    from repair_bench.prompts.feedback import registered_policies

    if accept_versions and not resume:
        raise UsageError("accept_versions requires resume")
    given, own = settings_of(experiment)
    options: dict[str, Any] = {
        "data": Path(data) if data is not None else None,
        "executor": ExecutorOptions(workers, require_sandbox=require_sandbox, quiet=not progress),
        "own": own,
    }
    with registered_policies(feedback or {}):
        if resume:
            if out is None:
                raise UsageError("resume requires `out`, the directory of the run to resume")
            opened = run_setup.resume(Path(out), given, accept_versions=accept_versions, **options)
        else:
            opened = run_setup.start(given, out=Path(out) if out is not None else None, **options)
        with run_progress(opened, quiet=not progress) as shown:
            result = session.drive(opened, concurrency=concurrency, progress=shown, preflight=preflight)
    if result.interrupted:
        raise KeyboardInterrupt(f"the run was interrupted; use resume to continue {opened.directory}")
    loaded = load(opened.directory)
    return replace(loaded, notes=[*loaded.notes, *map(in_python, session.closing_lines(opened, result))])


@speaks_python
def grade(
    answers: str | PathLike[str] | Iterable[Mapping[str, Any]],
    suite: str | Suite,
    *,
    data: str | PathLike[str] | None = None,
    rules: Iterable[str] = (),
    require_sealed: bool = False,
    workers: int | None = None,
    require_sandbox: str = "best",
) -> list[dict[str, Any]]:
    """Grade answers, like `repair-bench grade`. Calls no model.

    Args:
        answers: A JSONL file, or mappings with `task_id`, `framework` and `code` or `completion`.
        suite: The name of a suite, or a `Suite`.
        data: The folder with the official files of the suite.
        rules: Grading rules (default `exact`).
        require_sealed: Exclude tasks whose test must run in the same process as the candidate.
        workers: Number of programs executed concurrently.
        require_sandbox: `strict`, `best` or `none`.

    Returns:
        The mappings of `answers`, in the same order, with the additional keys `verdict`, `error_type`, `detail`,
        `assertion`, `sealed` and `seconds`. If there are several `rules`, each mapping also has the key `verdicts`. A
        verdict is `pass`, `exception`, `wrong_answer`, `no_code`, `limit` or None.

    Raises:
        UsageError: An answer is unreadable.

    """
    from repair_bench.executors.options import ExecutorOptions
    from repair_bench.grading.grade import grade_file

    with tempfile.TemporaryDirectory() as folder:
        graded = Path(folder) / "graded.jsonl"
        if isinstance(answers, str | PathLike):
            path = Path(answers)
        else:
            path = Path(folder) / "answers.jsonl"
            with path.open("w", encoding="utf-8") as file:
                file.writelines(json.dumps(dict(answer)) + "\n" for answer in answers)
        try:
            grade_file(
                path,
                suite,
                graded,
                data=Path(data) if data is not None else None,
                executor=ExecutorOptions(workers, require_sandbox=require_sandbox),
                rules=tuple(rules),
                require_sealed=require_sealed,
            )
        except UsageError as error:  # refer to the caller's list instead of the temporary file
            line = re.escape(f"{folder}/answers.jsonl") + r":(\d+)"
            raise UsageError(re.sub(line, lambda m: f"answers[{int(m[1]) - 1}]", str(error))) from None
        with graded.open(encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]


def settings_of(
    experiment: str | PathLike[str] | Mapping[str, Any] | Experiment,
) -> tuple[dict[str, Any], CustomComponents]:
    """Return the settings, and any models and suites that the caller passed as objects."""
    from repair_bench.agent.experiment import settings
    from repair_bench.agent.run_setup import CustomComponents

    if isinstance(experiment, str | PathLike):
        return settings.collect(Path(experiment), (), {}), CustomComponents()
    if not isinstance(experiment, Mapping):
        return {**experiment.settings(), **experiment.resources()}, CustomComponents()
    given = settings.over_protocol(experiment)
    return given, CustomComponents(_objects("models", given), _objects("suites", given))


def _objects(field: str, given: dict[str, Any]) -> dict[str, Any]:
    """Replace each object in the list `given[field]` with the object's name. Return the objects, keyed by name."""
    listed = given.get(field, ())
    listed = list(listed) if isinstance(listed, list | tuple) else [listed]
    if listed:
        given[field] = [item if isinstance(item, str) else item.name for item in listed]
    return {item.name: item for item in listed if not isinstance(item, str)}
