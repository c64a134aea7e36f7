"""An experiment: what is asked of which models. Resolved into episodes and a manifest that pins it."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

import repair_bench
from repair_bench.agent.identity import Episode
from repair_bench.executors.program import FRAMEWORKS, Limits
from repair_bench.prompts.condition import Condition
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.records import SCHEMA

Framework = Literal["qiskit", "pennylane", "cirq"]

OPTIONS = {
    "models": "model",
    "suites": "suite",
    "frameworks": "framework",
    "first_temperature": "temperature",
    "pythons": "python",
}
"""The options of `repair-bench run` that are not named like the field they set."""


class Experiment(BaseModel):
    """Everything that decides which records a run makes. None of it may change when the run is resumed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    models: tuple[str, ...] = ("sim/journeyman",)
    """The models, by their litellm names, or `sim/...` for the built-in simulated ones."""
    suites: tuple[str, ...] = ("aligned",)
    """The suites, by name."""
    frameworks: tuple[Framework, ...] = FRAMEWORKS  # type: ignore[assignment]
    """The frameworks whose tasks are run."""
    max_attempts: int = Field(default=5, ge=0)
    """Repair attempts after the first answer. QuanBench+'s released code makes 5 generations in all: that is 4 here."""
    samples: int = Field(default=1, ge=1)
    """Independent episodes for each task."""
    limit: int | None = Field(default=None, ge=1)
    """Only the first problems of each suite, in every framework."""
    seed: int = Field(default=0, ge=0)
    """Seeds what is drawn: the simulated models, and providers that take a seed."""
    first_temperature: float | None = Field(default=0.0, ge=0)
    """Temperature of the first answer."""
    repair_temperature: float | None = Field(default=0.8, ge=0)
    """Temperature of the repairs."""
    max_tokens: int | None = Field(default=None, ge=1)
    """Longest completion to ask for."""
    feedback: str = "default"
    """Feedback policy."""
    history: Literal["whole", "last"] = "whole"
    """What a repair sees: the whole conversation, or the last attempt alone."""
    starter: bool = True
    """Show the starter code in the prompt."""
    system: str = "default"
    """System prompt."""
    api_base: str | None = None
    """Address of an OpenAI-compatible server, for models without a provider of their own."""
    pythons: dict[str, str] = Field(default_factory=dict, exclude=True)
    """The interpreter of a framework: a path or the name of an environment. A resumed run may name others, of the same
    versions: those are what the manifest's `experiment` holds."""

    def condition(self) -> Condition:
        return Condition(
            name="default",
            system=self.system,
            starter=self.starter,
            first_temperature=self.first_temperature,
            max_tokens=self.max_tokens,
            feedback=self.feedback,
            history=self.history,
            repair_temperature=self.repair_temperature,
            max_attempts=self.max_attempts,
        )

    def tasks(self, suites: Sequence[Suite]) -> list[Task]:
        """The tasks of the chosen frameworks among the first `limit` problems of each suite, excluded ones too.

        Raises UsageError when there is none.
        """
        chosen: list[Task] = []
        for suite in suites:
            problems = list(dict.fromkeys(task.id for task in suite.tasks))[: self.limit]
            chosen += [t for t in suite.tasks if t.id in set(problems) and t.framework in self.frameworks]
        if not chosen:
            raise UsageError(f"no task of {', '.join(self.suites)} is in {', '.join(self.frameworks)}: choose others")
        return chosen

    def episodes(self, suites: Sequence[Suite]) -> list[Episode]:
        """One episode for each model, task that can be judged, and sample."""
        versions = {suite.name: suite.version for suite in suites}
        condition = self.condition()
        return [
            Episode(model, task, versions[task.suite], condition, sample)
            for sample in range(self.samples)
            for task in self.tasks(suites)
            if task.excluded is None
            for model in self.models
        ]

    def manifest(
        self,
        name: str,
        suites: Sequence[Suite],
        *,
        simulated: Sequence[str],
        data: str | None,
        sandbox: Mapping[str, Mapping[str, str]],
        versions: Mapping[str, Mapping[str, str]],
    ) -> dict[str, Any]:
        """What `run.json` holds. `experiment` is what a resumed run must share, field by field.

        `sandbox` and `versions`: the layers of each framework's fork server, and what its interpreter runs.
        """
        tasks = self.tasks(suites)
        own = {"python": platform.python_version(), "repair-bench": repair_bench.__version__}
        return {
            "schema": SCHEMA,
            "name": name,
            "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "experiment": {
                **self.model_dump(mode="json"),
                "suite_contents": {suite.name: [suite.version, suite.content_hash] for suite in suites},
                "limits": {"default": vars(Limits())},
                "versions": {"driver": own, **versions},
            },
            "data": data,
            "pythons": dict(self.pythons),
            "platform": {"system": platform.system(), "machine": platform.machine(), "cores": os.cpu_count()},
            "sandbox": sandbox,
            "episodes": sum(t.excluded is None for t in tasks) * self.samples * len(self.models),
            "simulated": list(simulated),
            "reference_wrong": sorted({(task.suite, task.id) for task in tasks if task.reference_wrong}),
            "excluded": [[t.suite, t.id, t.framework, t.excluded] for t in tasks if t.excluded is not None],
        }
