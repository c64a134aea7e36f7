"""Planned episodes, whose ids and seeds depend only on the experiment.

The id and seed of attempt 0 depend on the model, task, sample, prompt settings and first temperature, but not on the
arm. Therefore, all feedback arms share attempt 0. The ids and seeds of repairs depend on the arm and the attempt number
as well.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from repair_bench.prompts.condition import Condition
from repair_bench.suites.task import Task
from repair_bench.traces.record.lazy_attempt import TaskKey
from repair_bench.traces.record.records import Attempt, Feedback


@dataclass(frozen=True, slots=True)
class PlannedEpisode:
    """An episode that the loop has to run: one sample of a task for one model and condition.

    `examples`: the worked examples of the condition. `prefix`: attempts copied from another run, ending with the failed
    attempt that the episode repairs. `stoppable`: whether the run may end the episode before its last repair; stoppable
    episodes are excluded from rates. `until`: the attempt after which the episode is paused; None for no pause.
    """

    model: str
    task: Task
    suite_version: str
    condition: Condition
    sample: int
    examples: tuple[Task, ...] = ()
    prefix: tuple[Attempt, ...] = ()
    stoppable: bool = False
    until: int | None = None

    @property
    def root(self) -> str:
        """The id of attempt 0, which all arms share."""
        task = self.task.suite, self.suite_version, self.task.id, self.task.framework
        return digest("attempt-0", self.model, *task, self.condition.prompt_key(), self.sample)

    @property
    def id(self) -> str:
        if self.prefix:
            key = self.condition.prompt_key() | self.condition.arm_key()
            return digest("fork", self.prefix[-1].id, self.model, key)
        return digest("episode", self.root, self.condition.arm_key())

    def begin(
        self, number: int, messages: list[dict[str, Any]], *, run: str, parent: str | None = None,
        feedback: Feedback | None = None, started_at: str | None = None,
    ) -> Attempt:  # fmt: skip
        """Return a new attempt, without an answer, of this episode."""
        task = self.task
        return Attempt(
            id=self.attempt_id(number),
            parent=parent,
            episode=self.id,
            run=run,
            model=self.model,
            suite=task.suite,
            suite_version=self.suite_version,
            task_id=task.id,
            framework=task.framework,
            category=task.category,
            difficulty=task.difficulty,
            condition=self.condition.name,
            sample=self.sample,
            attempt=number,
            feedback=feedback,
            messages=messages,
            stoppable=self.stoppable,
            started_at=started_at,
        )

    def adopt(self, attempt: Attempt) -> Attempt:
        """Copy an attempt of another episode into this episode, keeping its id and content."""
        writer = attempt.writer or attempt.model
        return dataclasses.replace(
            attempt.with_texts(),
            episode=self.id,
            condition=self.condition.name,
            model=self.model,
            writer=writer if writer != self.model else None,
            stoppable=self.stoppable,
        )

    def attempt_id(self, attempt: int) -> str:
        return self.root if attempt == 0 else digest("attempt", self.id, attempt)

    def seed(self, run_seed: int, attempt: int) -> int:
        """Return the 63-bit seed of an attempt."""
        return int(digest("seed", run_seed, self.attempt_id(attempt)), 16) >> 1

    def request_key(self, run_seed: int, attempt: int, messages: Sequence[Mapping[str, Any]]) -> str:
        """Return the key under which the reply to these messages is stored."""
        sampling = self.condition.temperature(attempt), self.condition.max_tokens, self.seed(run_seed, attempt)
        return digest(self.attempt_id(attempt), self.model, messages, *sampling)


def mark_stoppable(episodes: Sequence[PlannedEpisode], controls: float, seed: int) -> list[PlannedEpisode]:
    """Mark which episodes adaptive stopping may end.

    `controls`: the share of tasks, chosen at random, whose first sample is exempt from adaptive stopping. Adaptive
    stopping may end the episodes of all other samples and tasks.
    """
    parts: dict[tuple[str, str], set[TaskKey]] = {}
    for episode in episodes:
        parts.setdefault((episode.task.suite, episode.task.framework), set()).add(episode.task.key)
    kept: set[TaskKey] = set()
    for (suite, framework), keys in parts.items():
        shuffled = sorted(keys, key=lambda key: digest("control", seed, suite, framework, key[1]))
        kept.update(shuffled[: math.ceil(controls * len(shuffled))])
    return [dataclasses.replace(e, stoppable=e.sample > 0 or e.task.key not in kept) for e in episodes]


def digest(*parts: Any) -> str:
    """Return the first 16 hexadecimal digits of the SHA-256 hash of the parts as JSON."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
