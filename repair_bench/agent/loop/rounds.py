"""Adaptive stopping by expected value: each round decides which attempts to make next.

The first round starts the first sample of every task. In later rounds, the next repair of each failed episode competes
with the best new sample of an unsolved task. If the new sample has a higher value than the repair (see `repair_value`),
the failed episode stops and the episode of the new sample starts. The arms and models do not influence each other's
decisions. A task is complete when any of its samples passes. When nothing is left to repair, each unsolved task gets
another sample. The run ends when every task is solved or has all its samples, or the budget is spent.

Some tasks are chosen at random, and rates include only the first sample of each of these tasks. Adaptive stopping never
ends the episode of such a sample: the sample is repaired until it passes or has no repairs left. A rate over all
episodes would be biased upwards, because stopping and resampling depend on the results.

The decisions of a round are based on all records, in an order that does not depend on timing. The decisions are written
to disk before any request is sent. The same answers therefore lead to the same run, even if the run is killed partway
through.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.loop.repair_value import RepairValueModel
from repair_bench.agent.loop.runner import RunEnd, run_all
from repair_bench.agent.loop.state import Context, Progress
from repair_bench.agent.loop.steps import is_over
from repair_bench.traces.record.lazy_attempt import Recorded, TaskKey, task_key
from repair_bench.traces.record.records import Attempt
from repair_bench.traces.run.decisions import Decision
from repair_bench.traces.run.store import RunStore


async def run_in_rounds(
    rounds: Rounds, store: RunStore, *, contexts: Mapping[str, Context], concurrency: int, progress: Progress
) -> RunEnd:
    """Run all remaining rounds."""
    faults = 0
    while True:
        progress.total, progress.done = rounds.started, rounds.over
        work = list(rounds.work())
        end = await run_all(work, contexts=contexts, concurrency=concurrency, progress=progress)
        faults += end.faults
        for attempt in (attempt for episode in work for attempt in store.episode(episode.id)):
            rounds.take(short(attempt))
        if end.interrupted or end.exhausted is not None:
            break
        decisions = rounds.decide()
        if not decisions:
            break
        await store.decisions.add(decisions)
        rounds.follow(decisions)
    pending = sum(1 for _ in rounds.work())
    return dataclasses.replace(end, episodes=rounds.started, pending=pending, faults=faults)


class Rounds:
    """The decisions and attempts of all arms of a run."""

    def __init__(self, episodes: Sequence[PlannedEpisode]) -> None:
        self._arms: dict[tuple[str, str], _Arm] = {}
        self._arm_of: dict[str, _Arm] = {}
        for episode in episodes:
            arm = self._arms.setdefault((episode.model, episode.condition.name), _Arm())
            arm.add(episode)
            self._arm_of[episode.id] = arm

    @classmethod
    def resumed(cls, episodes: Sequence[PlannedEpisode], recorded: Iterable[Recorded], store: RunStore) -> Rounds:
        """Repeat earlier sessions. `episodes`: marked by `mark_stoppable`. `recorded`: the attempts of the sessions."""
        rounds = cls(episodes)
        for attempt in sorted(recorded, key=lambda attempt: attempt.attempt):
            rounds.take(attempt)
        for decisions in store.decisions.rounds:
            rounds.follow(decisions)
        return rounds

    @property
    def started(self) -> int:
        return sum(len(arm.until) for arm in self._arms.values())

    @property
    def over(self) -> int:
        """The number of episodes that are complete or stopped."""
        return sum(arm.over for arm in self._arms.values())

    def take(self, attempt: Recorded) -> None:
        if (arm := self._arm_of.get(attempt.episode)) is not None:
            arm.take(attempt)

    def follow(self, decisions: Iterable[Decision]) -> None:
        for decision in decisions:
            self._arm_of[decision.episode].follow(decision)

    def work(self) -> Iterator[PlannedEpisode]:
        """Yield the episodes for which an attempt was scheduled but not yet made.

        Each episode pauses after the scheduled attempt.
        """
        for arm in self._arms.values():
            yield from arm.work()

    def pending(self) -> list[PlannedEpisode]:
        """Return the episodes of the next attempts; an empty list at the end of the run."""
        return [episode for arm in self._arms.values() for episode in arm.pending()]

    def decide(self) -> list[Decision]:
        """Return the decisions of the next round; an empty list at the end of the run."""
        return [decision for arm in self._arms.values() for decision in arm.decide()]


class _Arm:
    """One model under one condition, with at most one open episode per task at a time."""

    def __init__(self) -> None:
        self.until: dict[str, int] = {}
        """For each started episode, the number (from 0) of the last scheduled attempt."""
        self._episodes: dict[str, PlannedEpisode] = {}
        self._unused: dict[TaskKey, deque[PlannedEpisode]] = {}
        self._paths: dict[str, list[Recorded]] = {}
        self._stopped: set[str] = set()

    @property
    def over(self) -> int:
        ended = (name for name, path in self._paths.items() if path and is_over(self._episodes[name], path[-1]))
        return len({*ended, *self._stopped})

    def add(self, episode: PlannedEpisode) -> None:
        self._episodes[episode.id] = episode
        self._paths[episode.id] = []
        self._unused.setdefault(episode.task.key, deque()).append(episode)

    def take(self, attempt: Recorded) -> None:
        path = self._paths[attempt.episode]
        if attempt.verdict is not None and attempt.attempt == len(path):
            path.append(attempt)

    def follow(self, decision: Decision) -> None:
        episode = self._episodes[decision.episode]
        if decision.do == "begin":
            self._unused[episode.task.key].remove(episode)
            self.until[episode.id] = 0
        elif decision.do == "repair":
            self.until[episode.id] += 1
        else:
            self._stopped.add(episode.id)

    def work(self) -> Iterator[PlannedEpisode]:
        for name, until in self.until.items():
            if len(self._paths[name]) <= until:
                yield dataclasses.replace(self._episodes[name], until=until)

    def pending(self) -> list[PlannedEpisode]:
        return [*self.work()] or [self._episodes[d.episode] for d in self.decide() if d.do != "stop"]

    def decide(self) -> list[Decision]:
        if not self.until:
            return [Decision(samples[0].id, "begin") for samples in self._unused.values()]
        failed = [name for name in self.until if self._is_open(name)]
        controls = [name for name in failed if not self._episodes[name].stoppable]
        others = [name for name in failed if self._episodes[name].stoppable]
        values = RepairValueModel(self._paths.values())
        decisions = [Decision(name, "repair") for name in controls]
        if others:
            decisions += self._repairs_or_samples(others, values, controls)
        elif not controls:
            decisions += [self._beginning(value, task, values) for value, task in self._samples(values, ())]
        return decisions

    def _is_open(self, name: str) -> bool:
        path = self._paths[name]
        made = len(path) == self.until[name] + 1 and name not in self._stopped
        return made and not is_over(self._episodes[name], path[-1])

    def _repairs_or_samples(
        self, failed: list[str], values: RepairValueModel, controls: list[str]
    ) -> Iterator[Decision]:
        """Decide for each failed episode whether to repair it. If the best new sample has a higher value than the
        repair, stop the failed episode and start the new sample instead.
        """
        tasks = {name: self._episodes[name].task.key for name in (*failed, *controls)}
        samples = self._samples(values, tasks.values())
        repairs = {name: values.of_repair(self._paths[name]) for name in failed}
        for name in sorted(failed, key=lambda name: (repairs[name], name)):
            own = [(values.of_sample(tasks[name]), tasks[name])] if self._unused[tasks[name]] else []
            best = max((*samples[:1], *own), key=lambda sample: sample[0], default=None)
            if best is None or repairs[name] >= best[0]:
                yield Decision(name, "repair", repairs[name], best and best[0], values.unit)
                continue
            yield Decision(name, "stop", repairs[name], best[0], values.unit)
            yield self._beginning(*best, values)
            samples = sorted({*samples, *own} - {best}, key=_by_value)

    def _beginning(self, value: float, task: TaskKey, values: RepairValueModel) -> Decision:
        return Decision(self._unused[task][0].id, "begin", value, None, values.unit)

    def _samples(self, values: RepairValueModel, excluded: Iterable[TaskKey]) -> list[tuple[float, TaskKey]]:
        """Return the value of a new sample for each unsolved task with unused samples, in descending order."""
        solved = {task_key(path[-1]) for path in self._paths.values() if path and path[-1].passed}
        left = [task for task, samples in self._unused.items() if samples and task not in solved | {*excluded}]
        return sorted(((values.of_sample(task), task) for task in left), key=_by_value)


def _by_value(sample: tuple[float, TaskKey]) -> tuple[float, TaskKey]:
    return -sample[0], sample[1]


def short(attempt: Attempt) -> Attempt:
    """Return a copy of an attempt without its longest texts. The complete attempts of a run may not fit in memory."""
    answered = attempt.completion and dataclasses.replace(attempt.completion, text="", parts=None)
    return dataclasses.replace(attempt, messages=[], completion=answered, outcome=None, code=None, steps=[])
