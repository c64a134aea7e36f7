"""A model that returns the stored answers of a run: `replay/RUN_DIR`, with `?model=NAME` if the run has several models.

This model sends no requests and costs nothing. An answer is looked up by task, sample and attempt number. If the run
contains several such answers, the model prefers an answer to the same messages as in the new request. Among several
answers to the same messages, the model prefers an answer under the same condition as the new request. The `params` of a
replayed completion contain the id of the replayed attempt (`replayed`). They also state whether the replayed attempt
had the same messages as the new request (`same_prompt`).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from repair_bench.agent.models.base import Model, Request
from repair_bench.traces.faults import ContextFull, ModelError, UsageError
from repair_bench.traces.record.lazy_attempt import Row
from repair_bench.traces.record.records import Attempt, Completion
from repair_bench.traces.run.run_reader import load_rows

_Place = tuple[str, str, str, int, int]


class ReplayModel(Model):
    """Replays the answers that one model gave in a recorded run.

    Raises UsageError if the choice of model is ambiguous.
    """

    supports_prefill = True

    def __init__(self, name: str, directory: Path, *, model: str | None = None) -> None:
        run = load_rows(directory)
        answered = [row for row in run.rows if row.completion is not None or row.filled_context]
        models = sorted({row.model for row in answered})
        if model is None and len(models) > 1:
            raise UsageError(
                f"{directory} has answers from several models ({', '.join(models)}): set replay/{directory}?model=NAME"
            )
        if not models or (model is not None and model not in models):
            raise UsageError(
                f"{directory} has no answers{f' of {model}' if model else ''}: choose another run or model"
            )
        chosen = model or models[0]
        self.name = name
        self.simulated = run.manifest.is_simulated(chosen)
        self._directory = directory
        self._answers: dict[_Place, list[Row]] = {}
        for row in answered:
            if row.model == chosen:
                place = (row.suite, row.task_id, row.framework, row.sample, row.attempt)
                self._answers.setdefault(place, []).append(row)

    async def complete(self, request: Request) -> Completion:
        """Return the stored answer without its cost.

        Raises ContextFull if the stored attempt filled the context window, ModelError if no answer is stored, and
        UsageError for requests other than answers.
        """
        if request.role != "answer":
            raise UsageError(f"{self.name} has only answers to tasks: choose another model for the {request.role}")
        stored = self._find(request)
        if stored.completion is None:
            assert stored.verdict is not None
            raise ContextFull(stored.verdict.evidence["problem"])
        source = {"replayed": stored.id, "same_prompt": stored.messages == request.messages}
        completion = stored.completion
        return replace(completion, cost_usd=None, cached=True, params={**completion.params, **source})

    def _find(self, request: Request) -> Attempt:
        task = request.task
        rows = self._answers.get((task.suite, task.id, task.framework, request.sample, request.attempt), [])
        stored = [row.with_texts() for row in rows]
        stored = [attempt for attempt in stored if attempt.messages == request.messages] or stored
        stored = [attempt for attempt in stored if attempt.condition == request.condition] or stored
        if len({None if attempt.completion is None else attempt.completion.text for attempt in stored}) == 1:
            return stored[0]
        found = "several answers from other conditions" if stored else "no stored answer"
        raise ModelError(
            f"{self._directory} has {found} for {task.suite}/{task.id} ({task.framework}), sample {request.sample}, "
            f"attempt {request.attempt}; the episode stays pending"
        )


def create(name: str) -> Model:
    directory, _, model = name.removeprefix("replay").removeprefix("/").partition("?model=")
    if not directory:
        raise UsageError("the model `replay` requires the directory of a run with stored answers: use replay/RUN_DIR")
    return ReplayModel(name, Path(directory), model=model or None)
