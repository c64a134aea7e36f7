"""A run that stops by value: after each round it is decided which attempts are worth making in the next one.

In the first round every task gets its first sample. After it, in each arm of each model, an episode that failed is
repaired while its next repair is worth more (see `worth`) than a new sample of the least solved task; else it is
stopped, and that sample is begun in its place. A task that any sample has solved is done. When nothing is left to
repair, each task that is not solved gets another sample. The run ends when every task is solved or has all its
samples, or by its budget.

Some first samples, drawn by lot, are repaired to the end whatever that is worth. They alone enter rates: what is
stopped and what is sampled again depends on how it went, so that a rate over all episodes would flatter.

A round is decided from all that is recorded, in an order that no timing changes, and the decisions are on disk before
anything is asked for: the same answers bring the same run, whenever it was killed.
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
    episodes: Sequence[PlannedEpisode],
    recorded: Iterable[Recorded],
    store: RunStore,
    *,
    contexts: Mapping[str, Context],
    concurrency: int,
    progress: Progress,
) -> RunEnd:
    """Take the run to its end, in rounds, each of them carried out by `run_all`.

    `episodes`: those that may be begun, marked by `mark_stoppable`. `recorded`: the attempts of earlier sessions.
    `store`: holds what these decided.
    """
    rounds = Rounds(episodes)
    for attempt in sorted(recorded, key=lambda attempt: attempt.attempt):
        rounds.take(attempt)
    for made in store.decisions.rounds:
        rounds.follow(made)
    faults = 0
    while True:
        progress.total, progress.done = rounds.begun, rounds.over
        work = list(rounds.work())
        end = await run_all(work, contexts=contexts, concurrency=concurrency, progress=progress)
        faults += end.faults
        for attempt in (attempt for episode in work for attempt in store.episode(episode.id)):
            rounds.take(short(attempt))
        if end.interrupted or end.exhausted is not None:
            break
        made = rounds.decide()
        if not made:
            break
        await store.decisions.add(made)
        rounds.follow(made)
    owed = sum(1 for _ in rounds.work())
    return dataclasses.replace(end, episodes=rounds.begun, owed=owed, faults=faults)


class Rounds:
    """What was decided and what came of it, of all arms of a run."""

    def __init__(self, episodes: Sequence[PlannedEpisode]) -> None:
        """`episodes`: all that may be begun."""
        self._arms: dict[tuple[str, str], _Arm] = {}
        self._arm_of: dict[str, _Arm] = {}
        for episode in episodes:
            arm = self._arms.setdefault((episode.model, episode.condition.name), _Arm())
            arm.add(episode)
            self._arm_of[episode.id] = arm

    @property
    def begun(self) -> int:
        """How many episodes were begun, by decision."""
        return sum(len(arm.until) for arm in self._arms.values())

    @property
    def over(self) -> int:
        """How many of them came to their end, or were stopped."""
        return sum(arm.over for arm in self._arms.values())

    def take(self, attempt: Recorded) -> None:
        """An attempt that is on disk."""
        if (arm := self._arm_of.get(attempt.episode)) is not None:
            arm.take(attempt)

    def follow(self, decisions: Iterable[Decision]) -> None:
        """The decisions of a round hold from now on."""
        for decision in decisions:
            self._arm_of[decision.episode].follow(decision)

    def work(self) -> Iterator[PlannedEpisode]:
        """The episodes whose next attempt was decided upon and is not made, each to be paused after it."""
        for arm in self._arms.values():
            yield from arm.work()

    def decide(self) -> list[Decision]:
        """The decisions of the next round; none at the end of the run."""
        return [decision for arm in self._arms.values() for decision in arm.decide()]


class _Arm:
    """One model under one condition. Of a task one episode at a time is open."""

    def __init__(self) -> None:
        self.until: dict[str, int] = {}
        """By episode that was begun, the last attempt that was decided upon."""
        self._episodes: dict[str, PlannedEpisode] = {}
        self._unbegun: dict[TaskKey, deque[PlannedEpisode]] = {}
        self._paths: dict[str, list[Recorded]] = {}
        self._stopped: set[str] = set()

    @property
    def over(self) -> int:
        """How many of the episodes came to their end, or were stopped."""
        ended = (name for name, path in self._paths.items() if path and is_over(self._episodes[name], path[-1]))
        return len({*ended, *self._stopped})

    def add(self, episode: PlannedEpisode) -> None:
        self._episodes[episode.id] = episode
        self._paths[episode.id] = []
        self._unbegun.setdefault(episode.task.key, deque()).append(episode)

    def take(self, attempt: Recorded) -> None:
        path = self._paths[attempt.episode]
        if attempt.verdict is not None and attempt.attempt == len(path):
            path.append(attempt)

    def follow(self, decision: Decision) -> None:
        episode = self._episodes[decision.episode]
        if decision.do == "begin":
            self._unbegun[episode.task.key].remove(episode)
            self.until[episode.id] = 0
        elif decision.do == "repair":
            self.until[episode.id] += 1
        else:
            self._stopped.add(episode.id)

    def work(self) -> Iterator[PlannedEpisode]:
        for name, until in self.until.items():
            if len(self._paths[name]) <= until:
                yield dataclasses.replace(self._episodes[name], until=until)

    def decide(self) -> list[Decision]:
        if not self.until:
            return [Decision(samples[0].id, "begin") for samples in self._unbegun.values()]
        failed = [name for name in self.until if self._is_open(name)]
        controls = [name for name in failed if not self._episodes[name].stoppable]
        others = [name for name in failed if self._episodes[name].stoppable]
        worth = RepairValueModel(self._paths.values())
        decisions = [Decision(name, "repair") for name in controls]
        if others:
            decisions += self._held_against_samples(others, worth, controls)
        elif not controls:
            decisions += [self._begun(value, task, worth) for value, task in self._samples(worth, ())]
        return decisions

    def _is_open(self, name: str) -> bool:
        """Whether an episode failed at the last attempt that was decided upon, and may be repaired."""
        path = self._paths[name]
        made = len(path) == self.until[name] + 1 and name not in self._stopped
        return made and not is_over(self._episodes[name], path[-1])

    def _held_against_samples(
        self, failed: list[str], worth: RepairValueModel, controls: list[str]
    ) -> Iterator[Decision]:
        """Repairs, or in the place of those that are worth less the best new samples, also of the same task."""
        tasks = {name: self._episodes[name].task.key for name in (*failed, *controls)}
        samples = self._samples(worth, tasks.values())
        repairs = {name: worth.of_repair(self._paths[name]) for name in failed}
        for name in sorted(failed, key=lambda name: (repairs[name], name)):
            own = [(worth.of_sample(tasks[name]), tasks[name])] if self._unbegun[tasks[name]] else []
            best = max((*samples[:1], *own), key=lambda sample: sample[0], default=None)
            if best is None or repairs[name] >= best[0]:
                yield Decision(name, "repair", repairs[name], best and best[0], worth.unit)
                continue
            yield Decision(name, "stop", repairs[name], best[0], worth.unit)
            yield self._begun(*best, worth)
            samples = sorted({*samples, *own} - {best}, key=_by_value)

    def _begun(self, value: float, task: TaskKey, worth: RepairValueModel) -> Decision:
        return Decision(self._unbegun[task][0].id, "begin", value, None, worth.unit)

    def _samples(self, worth: RepairValueModel, but: Iterable[TaskKey]) -> list[tuple[float, TaskKey]]:
        """New samples that may be begun, with what they are worth, the best first: of tasks without a solution."""
        solved = {task_key(path[-1]) for path in self._paths.values() if path and path[-1].passed}
        left = [task for task, samples in self._unbegun.items() if samples and task not in solved | {*but}]
        return sorted(((worth.of_sample(task), task) for task in left), key=_by_value)


def _by_value(sample: tuple[float, TaskKey]) -> tuple[float, TaskKey]:
    return -sample[0], sample[1]


def short(attempt: Attempt) -> Attempt:
    """An attempt without its longest texts: those of all episodes do not fit in memory."""
    answered = attempt.completion and dataclasses.replace(attempt.completion, text="", parts=None)
    return dataclasses.replace(attempt, messages=[], completion=answered, outcome=None, code=None, steps=[])
