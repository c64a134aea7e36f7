"""Execute a run that is already open."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from repair_bench._version import __version__
from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.experiment.spending_limits import SpendingLimits
from repair_bench.agent.models.base import Batched, Model, Paid, check_keys
from repair_bench.agent.telemetry import Telemetry
from repair_bench.analysis.runs.infrastructure_errors import grouped
from repair_bench.coroutines import run_to_end
from repair_bench.executors.options import Backend
from repair_bench.log import log, log_context, log_to_run
from repair_bench.prompts.feedback import PlaceboSource
from repair_bench.text import count
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.run.run_reader import load_rows
from repair_bench.traces.run.store import RunStore

if TYPE_CHECKING:
    from repair_bench.agent.experiment.episodes import PlannedEpisode
    from repair_bench.agent.loop.runner import RunEnd
    from repair_bench.agent.loop.state import Progress

NODES = "nodes.jsonl"
_MAX_FAULTS = 5  # kinds of faults that the end of a run reports


@dataclass(frozen=True)
class Session:
    """A run that is ready to start."""

    directory: Path
    experiment: Experiment
    episodes: Sequence[PlannedEpisode]
    models: Mapping[str, Model]
    executor: Backend
    store: RunStore
    budget: SpendingLimits
    placebo_sources: Sequence[PlaceboSource]
    resumed: bool = False
    telemetry: Telemetry | None = None
    given_again: Sequence[str] = ()
    """The command-line arguments that the user must pass again with `--resume`, because these settings are never read
    from a record."""

    @property
    def resume_command(self) -> str:
        return shlex.join(["repair-bench", "run", "--resume", str(self.directory), *self.given_again])


def drive(session: Session, *, concurrency: int, progress: Progress, preflight: bool = True) -> RunEnd:
    """Run every episode to completion, then stop everything that was started. `preflight`: see `first_requests`."""

    async def go() -> RunEnd:
        try:
            return await carry_out(session, concurrency=concurrency, progress=progress, preflight=preflight)
        finally:
            for model in session.models.values():
                await model.close()
            await session.executor.close()
            await session.store.close()
            _keep_nodes(session)
            if session.telemetry is not None and (trouble := session.telemetry.close()):
                progress.say(trouble)

    with log_to_run(session.directory), log_context(run=session.directory.name):
        try:
            result = run_to_end(go())
        except BaseException as error:
            log.error("closed", error=type(error).__name__)
            raise
        log.info("closed", owed=result.pending, faults=result.faults, interrupted=result.interrupted)
        return result


async def carry_out(session: Session, *, concurrency: int, progress: Progress, preflight: bool) -> RunEnd:
    """Run every episode to completion, without closing the models, the executor or the store."""
    from repair_bench.agent.loop.ask import Asker
    from repair_bench.agent.loop.first_requests import FIRST_REFUSALS, FirstRefusals
    from repair_bench.agent.loop.first_requests import preflight as ask_first
    from repair_bench.agent.loop.rounds import Rounds, run_in_rounds
    from repair_bench.agent.loop.runner import run_all
    from repair_bench.agent.loop.state import Context

    await _open_batches(session)
    recorded = load_rows(session.directory).rows
    progress.resumed(recorded)
    asker = Asker(session.store, session.budget, progress.waits)
    by_value = session.experiment.repair.stop == "value"
    rounds = Rounds.resumed(session.episodes, recorded, session.store) if by_value else None
    pending = _pending(session.episodes, recorded) if rounds is None else rounds.pending()
    if session.resumed and pending:
        check_keys(session.models.values())
    log.info(
        "resumed" if session.resumed else "opened",
        version=__version__,
        models=list(session.models),
        suites=list(session.experiment.suites),
        episodes=len(session.episodes),
        recorded=len(recorded),
    )
    if preflight:
        critic = session.experiment.critic_model
        tasks = {
            name: (episode.task, episode.condition.max_tokens)
            for episode in pending
            for name in (episode.model, critic if episode.condition.asks else None)
            if name is not None
        }
        await ask_first(session.models, tasks, asker)
    known = {row.model for row in recorded if row.verdict is not None}
    firsts = Counter(model for model, _ in {(episode.model, episode.root) for episode in pending})

    contexts = {
        name: Context(
            run=session.directory.name,
            run_seed=session.experiment.seed,
            model=model,
            executor=session.executor,
            store=session.store,
            asker=asker,
            progress=progress,
            placebo_sources=session.placebo_sources,
            critic=session.models.get(session.experiment.critic_model or ""),
            telemetry=session.telemetry,
            first=FirstRefusals(FIRST_REFUSALS if name in known else firsts[name]),
        )
        for name, model in session.models.items()
        if name in session.experiment.models
    }
    if rounds is not None:
        return await run_in_rounds(rounds, session.store, contexts=contexts, concurrency=concurrency, progress=progress)
    return await run_all(session.episodes, contexts=contexts, concurrency=concurrency, progress=progress)


async def _open_batches(session: Session) -> None:
    """Open the batches of all models.

    Raises UsageError if a model has unfinished batches but no longer uses batches: its requests would be billed twice.
    """
    for name, model in session.models.items():
        if isinstance(model, Batched):
            await model.open(session.store, session.budget.batch_round)
        elif session.store.pending_batches(name):
            raise UsageError(f"{name}: the batches of this model may still be in progress: resume with batch = true")


def _pending(episodes: Sequence[PlannedEpisode], recorded: Iterable[Recorded]) -> list[PlannedEpisode]:
    from repair_bench.agent.loop.steps import is_over

    last: dict[str, Recorded] = {}
    for row in recorded:
        if row.fault is None and (row.episode not in last or row.attempt > last[row.episode].attempt):
            last[row.episode] = row
    return [episode for episode in episodes if episode.id not in last or not is_over(episode, last[episode.id])]


def lacks_answers(session: Session) -> bool:
    """Whether answers are still to be written by hand, or are still in a provider's batch."""
    return bool(_missing_answers(session))


def _missing_answers(session: Session) -> list[str]:
    return [line for model in session.models.values() if (line := getattr(model, "closing_line", lambda: None)())]


def closing_lines(session: Session, result: RunEnd) -> list[str]:
    """Return the messages to print at the end of the run."""
    lines = []
    if again := session.store.repeats:
        lines.append(f"{count(again, 'request')} repeated because of infrastructure errors or interruptions")
    billed = any(isinstance(model, Paid) for model in session.models.values())
    if billed and (spent := session.budget.spent_words()):
        lines.append(spent)
    lines += session.executor.closing_lines()
    lines += _missing_answers(session)
    if result.faults:
        groups = grouped(load_rows(session.directory).rows)[:_MAX_FAULTS]
        errors = ((count(group.faults, "infrastructure error"), group) for group in groups)
        lines += [f"{number} ({group.boundary}): {group.message}" for number, group in errors]
    if not result.pending:
        return lines
    why = f"{result.faults:,} stopped by an infrastructure error" if result.faults else None
    if result.interrupted:
        why = "the run was interrupted"
    elif result.exhausted:
        why = result.exhausted
    pending = f"{count(result.pending, 'episode')} pending{f': {why}' if why else ''}"
    lines.append(f"{pending}. To resume: {session.resume_command}")
    return lines


def _keep_nodes(session: Session) -> None:
    """Record the cluster nodes at the end of the run. The manifest contains the nodes at the start of the run."""
    if session.executor.nodes:
        ended = datetime.now(UTC).isoformat(timespec="seconds")
        line = {"ended_at": ended, "nodes": session.executor.nodes, "said": session.executor.closing_lines()}
        with (session.directory / NODES).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
