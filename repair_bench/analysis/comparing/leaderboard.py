"""Leaderboards across several runs. All rows of a leaderboard have the same suite, version, content, rule and tasks.

Notes list any other differences between runs that can affect verdicts. Forks are excluded, because they start from the
failures of another run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from repair_bench.analysis.feedback_use.use import Observed, grouped, use_of_feedback
from repair_bench.analysis.rates.intervals import Interval
from repair_bench.analysis.runs.notices import repairs_of
from repair_bench.traces.record.labels import DOUBTS
from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.run.manifest import Manifest


@dataclass(frozen=True)
class Standing:
    """The row for one model, condition and framework in one run.

    `board`: the suite, the suite's version and content hash, and the grading rule. `tasks`: the ids of the suite's
    tasks in the run. `regraded`: whether verdicts differ from those on which the feedback was based. `row`, `sound`:
    rows of the run's summary, over all tasks and over sound tasks; `sound` is None if no task is sound. `use`: feedback
    utilisation over all frameworks, or None if the prompts settle all conventions. `doubted`: the ids of defective
    tasks for each label in `DOUBTS`.
    """

    run: str
    board: tuple[str, str, str, str]
    tasks: tuple[str, ...]
    simulated: bool
    regraded: bool
    row: Mapping[str, Any]
    sound: Mapping[str, Any] | None
    use: Interval | None
    settings: Mapping[str, Any]
    versions: Mapping[str, str]
    doubted: Mapping[str, Sequence[str]]

    @property
    def fb(self) -> Sequence[Mapping[str, Any]]:
        points: Sequence[Mapping[str, Any]] = self.row["fb"]
        return points


def standings(
    name: str,
    manifest: Manifest,
    attempts: Sequence[Recorded],
    summary: Mapping[str, Any],
    observed: Sequence[Observed],
) -> Iterator[Standing]:
    """Yield the leaderboard rows of the run `name`. If the run repairs failures of another run, yield no rows.

    `summary`: the rates and other statistics of the run.
    """
    if manifest.is_fork:
        return
    keys = ("model", "suite", "condition", "framework")
    sound = {tuple(row[key] for key in keys): row for row in summary["rows_sound"]}
    doubts = any(manifest.labelled(label) for label in DOUBTS)
    rules, uses = _rules(attempts), _uses(observed, repairs_of(attempts, manifest))
    versions = {attempt.suite: attempt.suite_version for attempt in attempts}
    regraded = manifest.is_regrade or any(attempt.off_policy for attempt in attempts)
    tasks = _tasks(manifest, attempts)
    for row in summary["rows"]:
        suite = row["suite"]
        version, content = manifest.suite_contents.get(suite, (versions[suite], ""))
        yield Standing(
            run=name,
            board=(suite, version, content, rules.get(suite, "unknown")),
            tasks=tasks[suite],
            simulated=manifest.is_simulated(row["model"]),
            regraded=regraded,
            row=row,
            sound=sound.get(tuple(row[key] for key in keys)) if doubts else row,
            use=uses.get((row["model"], suite, row["condition"])),
            settings=manifest.conditions.get(row["condition"], {}),
            versions=manifest.versions.get(row["framework"], {}),
            doubted={label: [task for of, task in manifest.labelled(label) if of == suite] for label in DOUBTS},
        )


@dataclass(frozen=True)
class Board:
    """A leaderboard: comparable rows, sorted by the solve rate after all repairs, with notes on differences between the
    runs.
    """

    suite: str
    version: str
    content: str
    rule: str
    tasks: tuple[str, ...]
    standings: tuple[Standing, ...]
    notes: tuple[str, ...]

    @property
    def repairs(self) -> list[int]:
        """The values of k to show: 0, and the maximum k of each row."""
        return sorted({0, *(len(one.fb) - 1 for one in self.standings)})

    @property
    def doubted(self) -> dict[str, list[str]]:
        labels = [one.doubted for one in self.standings]
        return {
            label: sorted({task for tasks in labels for task in tasks[label]})
            for label in DOUBTS
            if any(tasks[label] for tasks in labels)
        }


def boards(standings: Iterable[Standing]) -> list[Board]:
    """Return the leaderboards, sorted by suite, version, content and rule, and then by descending number of tasks."""
    together: dict[tuple[tuple[str, str, str, str], tuple[str, ...]], list[Standing]] = {}
    for one in standings:
        together.setdefault((one.board, one.tasks), []).append(one)
    return [
        Board(*board, tasks, tuple(sorted(members, key=_order)), tuple(_differences(members)))
        for (board, tasks), members in sorted(
            together.items(), key=lambda item: (item[0][0], -len(item[0][1]), item[0])
        )
    ]


def _order(one: Standing) -> tuple[Any, ...]:
    last, row = one.fb[-1]["rate"], one.row
    return (last is None, -(last or 0.0), row["model"], row["condition"], row["framework"], one.run)


def _differences(members: Sequence[Standing]) -> Iterable[str]:
    """Describe each condition whose settings differ between runs, and each framework whose versions differ."""
    settings: dict[str, list[Standing]] = {}
    versions: dict[str, set[str]] = {}
    for one in members:
        settings.setdefault(one.row["condition"], []).append(one)
        framework = one.row["framework"]
        if (version := one.versions.get(framework)) is not None:
            versions.setdefault(framework, set()).add(version)
    for name, ones in settings.items():
        known = [{key: value for key, value in one.settings.items() if key != "max_attempts"} for one in ones]
        if any(other != known[0] for other in known):
            runs = ", ".join(dict.fromkeys(one.run for one in ones))
            yield f"Condition {name} has different settings in {runs}; see the runs' pages."
    for framework, used in sorted(versions.items()):
        if len(used) > 1:
            yield f"The runs used {framework} {', '.join(sorted(used))}, so their verdicts may differ."


def _rules(attempts: Iterable[Recorded]) -> dict[str, str]:
    found: dict[str, set[str]] = {}
    for attempt in attempts:
        if attempt.verdict is not None:
            found.setdefault(attempt.suite, set()).add(attempt.verdict.rule)
    return {suite: ", ".join(sorted(rules)) for suite, rules in found.items()}


def _tasks(manifest: Manifest, attempts: Iterable[Recorded]) -> dict[str, tuple[str, ...]]:
    found: dict[str, set[str]] = {}
    for suite, task in manifest.titles or {(attempt.suite, attempt.task_id) for attempt in attempts}:
        found.setdefault(suite, set()).add(task)
    return {suite: tuple(sorted(tasks)) for suite, tasks in found.items()}


def _uses(observed: Iterable[Observed], repairs: int) -> dict[tuple[str, str, str], Interval]:
    members: dict[tuple[str, str, str], list[Observed]] = {}
    for (model, suite, condition, bits), ones in grouped(observed).items():
        if bits and any(one.episode.state(repairs) == "counted" for one in ones):
            members.setdefault((model, suite, condition), []).extend(ones)
    return {key: use_of_feedback(ones, repairs) for key, ones in members.items()}
