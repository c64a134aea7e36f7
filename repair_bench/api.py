"""What `import repair_bench` offers to a script or a notebook; the commands do the same, and more."""

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
    """A plot. A notebook shows it; `svg` is its text, to be written to a file."""

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg


@dataclass(frozen=True)
class LoadedRun(Run):
    """A run that was read: `rows`, its attempts without their texts; `manifest`, what `run.json` holds; `notes`, what
    has to be said of it, one sentence each. `rows[i].with_texts()` is one attempt with its texts.
    """

    directory: Path

    def __repr__(self) -> str:
        episodes = len({row.episode for row in self.rows})
        held = f"{count(episodes, 'episode')}, {count(len(self.rows), 'attempt')}"
        return f"<LoadedRun {str(self.directory)!r}: {held}>"

    def _repr_html_(self) -> str:
        import html

        from repair_bench.report import terminal
        from repair_bench.report.sections import printed, run_data

        shown = terminal.text(printed.short(run_data(self.manifest, self.rows), _COLUMNS), _COLUMNS)
        return f"<p>{html.escape(repr(self))}</p><pre>{html.escape(shown)}</pre>"

    @speaks_python
    def report(self, *, full: bool = False) -> None:
        """Print the report of the run, as `repair-bench report` does. `full`: every table."""
        from repair_bench.grading import hypotheses
        from repair_bench.report import terminal
        from repair_bench.report.sections import printed, run_data

        run = run_data(self.manifest, self.rows, observed=hypotheses.observed(self))
        terminal.show((printed.full if full else printed.short)(run, terminal.width()))

    @speaks_python
    def plot(self, kind: str | DrawnBy) -> Drawing:
        """Draw one kind of plot, such as `repair-curve`, `errors` or `heatmap`, or the figure that a function of the
        attempts and the manifest returns.

        Raises UsageError for an unknown kind, which names those there are, and for a plot that would show nothing of
        this run.
        """
        from repair_bench.grading import hypotheses
        from repair_bench.report import plots

        return Drawing(plots.svg(kind, self.rows, self.manifest, hypotheses.observed(self)))

    @speaks_python
    def frame(self, *, texts: bool = False) -> pd.DataFrame:
        """The attempts as a pandas frame, a line each, with the columns of `repair-bench export --format csv`.

        `texts`: with prompts, completions, code and messages too, which are read from the disk. Raises UsageError
        where pandas is not installed.
        """
        from repair_bench.report.exports.flat import COLUMNS
        from repair_bench.traces.record.lazy_attempt import in_row

        try:
            import pandas as pd
        except ImportError:
            raise UsageError("a frame needs pandas: pip install pandas") from None
        columns = {name: column for name, column in COLUMNS.items() if texts or in_row(column.path)}
        attempts: Iterable[Any] = (row.with_texts() for row in self.rows) if texts else self.rows
        lines = [[column(attempt) for column in columns.values()] for attempt in attempts]
        return pd.DataFrame(lines, columns=list(columns))


@speaks_python
def load(run_dir: str | PathLike[str]) -> LoadedRun:
    """Read a run of any length, also while it is still being written.

    Raises UsageError when the directory holds no run, or a record that is damaged.
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
    """Take models through the repair loop, as `repair-bench run` does, and read what was recorded.

    `experiment`: a TOML file, the same as a mapping, or an `Experiment`. Among the `models` and `suites` of a mapping
    may be objects of your own (see `Model` and `Suite`). `out`: the directory to make, by default
    `runs/<date>-<time>`; with `resume` the one to go on with, after versions that may decide verdicts changed only with
    `accept_versions`. `data`: the folder with a suite's official files.
    `feedback`: policies of your own, by the names that the experiment has for them; each is a module or an object with
    `feedback(task, failure)`. `progress`: show it on standard error. `preflight`: ask each model for one
    token first, so that a wrong name stops the run at once. `concurrency`: episodes in flight;
    `workers`: programs executed at once. `require_sandbox`: `strict`, `best` or `none`.

    What is owed, and why, is in the `notes` of the result. Raises UsageError for what you can mend, and
    KeyboardInterrupt when the run was stopped: nothing is lost then, and `resume` goes on with it.
    """
    from repair_bench.agent import run_setup, session
    from repair_bench.cli.output import run_progress
    from repair_bench.executors.options import ExecutorOptions
    from repair_bench.prompts.feedback import registered_policies

    if accept_versions and not resume:
        raise UsageError("accept_versions goes with resume")
    given, own = settings_of(experiment)
    options: dict[str, Any] = {
        "data": Path(data) if data is not None else None,
        "executor": ExecutorOptions(workers, require_sandbox=require_sandbox, quiet=not progress),
        "own": own,
    }
    with registered_policies(feedback or {}):
        if resume:
            if out is None:
                raise UsageError("resume needs `out`: the directory of the run to go on with")
            opened = run_setup.resume(Path(out), given, accept_versions=accept_versions, **options)
        else:
            opened = run_setup.start(given, out=Path(out) if out is not None else None, **options)
        with run_progress(opened, quiet=not progress) as shown:
            result = session.drive(opened, concurrency=concurrency, progress=shown, preflight=preflight)
    if result.interrupted:
        raise KeyboardInterrupt(f"the run was stopped; resume goes on with {opened.directory}")
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
    """Grade answers as `repair-bench grade` does; no model is asked.

    `answers`: a JSON Lines file, or mappings with `task_id`, `framework` and `code` or `completion`. `suite`: a name,
    or a `Suite` of your own. Returns the same mappings, in the same order, with `verdict` (`pass`, `exception`,
    `wrong_answer`, `no_code`, `limit`; None where there is none), `error_type`, `detail`, `assertion`, `sealed` and
    `seconds`; with several `rules` also `verdicts`. Raises UsageError for an answer that cannot be read.
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
        except UsageError as error:  # the caller knows a list, and not the file that was made of it
            line = re.escape(f"{folder}/answers.jsonl") + r":(\d+)"
            raise UsageError(re.sub(line, lambda m: f"answers[{int(m[1]) - 1}]", str(error))) from None
        with graded.open(encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]


def settings_of(
    experiment: str | PathLike[str] | Mapping[str, Any] | Experiment,
) -> tuple[dict[str, Any], CustomComponents]:
    """The settings, and the models and suites among them that are objects."""
    from repair_bench.agent.experiment import settings
    from repair_bench.agent.run_setup import CustomComponents

    if isinstance(experiment, str | PathLike):
        return settings.collect(Path(experiment), (), {}), CustomComponents()
    if not isinstance(experiment, Mapping):
        return {**experiment.settings(), **experiment.resources()}, CustomComponents()
    given = settings.over_protocol(experiment)
    return given, CustomComponents(_taken_out("models", given), _taken_out("suites", given))


def _taken_out(field: str, given: dict[str, Any]) -> dict[str, Any]:
    """The objects that a field lists, by name; only their names stay there."""
    listed = given.get(field, ())
    listed = list(listed) if isinstance(listed, list | tuple) else [listed]
    if listed:
        given[field] = [item if isinstance(item, str) else item.name for item in listed]
    return {item.name: item for item in listed if not isinstance(item, str)}
