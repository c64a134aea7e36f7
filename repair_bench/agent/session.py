"""A run that was opened, driven to its end."""

from __future__ import annotations

import asyncio
import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from repair_bench.agent.budget import Budget
from repair_bench.agent.experiment import Experiment
from repair_bench.agent.models.base import Model
from repair_bench.agent.progress import Progress
from repair_bench.executors.options import Backend
from repair_bench.prompts.feedback import Donor
from repair_bench.traces.notices import count
from repair_bench.traces.rows import load_rows
from repair_bench.traces.store import RunStore

if TYPE_CHECKING:
    from repair_bench.agent.identity import Episode
    from repair_bench.agent.runner import Result

NODES = "nodes.jsonl"


@dataclass(frozen=True)
class Session:
    """A run that is ready to be driven."""

    directory: Path
    experiment: Experiment
    episodes: Sequence[Episode]
    models: Mapping[str, Model]
    executor: Backend
    store: RunStore
    budget: Budget
    donors: Sequence[Donor]

    @property
    def resume_command(self) -> str:
        return f"repair-bench run --resume {shlex.quote(str(self.directory))}"


def drive(session: Session, *, concurrency: int, quiet: bool) -> Result:
    """Take every episode to its end, and stop everything that was started."""
    from repair_bench.agent.graph import Context  # brings LangGraph, a second that a mistyped option need not cost
    from repair_bench.agent.runner import run_all

    async def go() -> Result:
        console = Console(stderr=True, quiet=quiet)
        try:
            with Progress(len(session.episodes), console) as progress:
                progress.resumed(load_rows(session.directory).rows)
                contexts = {
                    name: Context(
                        run=session.directory.name,
                        run_seed=session.experiment.seed,
                        model=model,
                        executor=session.executor,
                        store=session.store,
                        budget=session.budget,
                        on_attempt=progress.attempt_done,
                        donors=session.donors,
                    )
                    for name, model in session.models.items()
                }
                return await run_all(session.episodes, contexts=contexts, concurrency=concurrency, progress=progress)
        finally:
            for model in session.models.values():
                await model.close()
            await session.executor.close()
            await session.store.close()
            _keep_nodes(session)

    return asyncio.run(go())


def closing_lines(session: Session, result: Result) -> list[str]:
    """What a person must know of how the run ended, one sentence each."""
    said = []
    if again := session.store.repeats:
        said.append(f"{count(again, 'request')} sent again: after a fault, or in flight when the run was stopped")
    if spent := session.budget.spent_words():
        said.append(spent)
    said += session.executor.closing_lines()
    said += [line for model in session.models.values() if (line := getattr(model, "closing_line", lambda: None)())]
    if not result.owed:
        return said
    why = f"{result.faults:,} ended in a fault on our side" if result.faults else None
    if result.interrupted:
        why = "the run was stopped"
    elif result.exhausted:
        why = result.exhausted
    owed = f"{count(result.owed, 'episode')} owed{f': {why}' if why else ''}"
    said.append(f"{owed}. Go on with: {session.resume_command}")
    return said


def _keep_nodes(session: Session) -> None:
    """How a cluster served this session: the manifest holds the nodes at its start, others may have joined since."""
    if session.executor.nodes:
        ended = datetime.now(UTC).isoformat(timespec="seconds")
        line = {"ended_at": ended, "nodes": session.executor.nodes, "said": session.executor.closing_lines()}
        with (session.directory / NODES).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
