"""Check the parts of a run directory other than attempts: saved completions, batches, prices and the budget."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.loop.consult import query_key
from repair_bench.agent.loop.first_requests import PREFLIGHT
from repair_bench.agent.loop.turn import in_all
from repair_bench.agent.models.network.pricing import at_own_price
from repair_bench.agent.models.network.providers import PRICES, ProviderSettings, settings_of
from repair_bench.agent.studies.verifying.findings import VerificationReport
from repair_bench.analysis.rates.metrics import queries
from repair_bench.log import RUN_LOG
from repair_bench.prompts import tools
from repair_bench.traces.faults import UsageError
from repair_bench.traces.files.journal import Span, parse, read_lines
from repair_bench.traces.record.records import Attempt, Completion
from repair_bench.traces.record.spending import known_cost, known_usage
from repair_bench.traces.run.batches import BATCHES
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.store import COMPLETIONS


def stated_providers(manifest: Manifest) -> dict[str, ProviderSettings]:
    """Return the settings of all providers, or an empty dictionary if prices changed between sessions.

    Raises UsageError.
    """
    priced = any(name.rpartition(".")[2] in PRICES for name in _changed(manifest))
    stated = {} if priced else manifest.resources.get("providers") or {}
    try:
        return {name: ProviderSettings(**settings) for name, settings in stated.items()}
    except (TypeError, ValueError) as error:
        raise UsageError(f"run.json has unreadable provider settings: {error}") from None


def wrong_costs(attempt: Attempt, providers: Mapping[str, ProviderSettings]) -> Iterator[str]:
    """Yield a sentence for each recorded cost that differs from the cost at the experiment's prices.

    If a turn consists of several replies, each reply is priced separately.
    """
    turn = [Completion(**step["completion"]) for step in attempt.steps]
    turn = turn or ([] if attempt.completion is None else [attempt.completion])
    replies = [("the answer", attempt.model, reply) for reply in turn]
    replies += [
        (f"the {role}", query.model, reply) for role, query in queries(attempt).items() if (reply := query.completion)
    ]
    for whose, model, reply in replies:
        cost = at_own_price(settings_of(model, providers), reply.usage)
        if cost is not None and reply.cost_usd != cost:
            yield f"the recorded cost of {whose} is {reply.cost_usd} USD, but the experiment's prices give {cost} USD"


class Saved:
    """The completions of a run as they were received, keyed by request."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._places: dict[str, int] = {}
        self._asked: set[str] = set()
        self._used: set[str] = set()
        self._cost = 0.0
        for line in read_lines(directory / COMPLETIONS, parse):
            key, event, data = str(line.data.get("key")), line.data.get("event"), line.data.get("data")
            if event == "request":
                self._asked.add(key)
            elif event == "completion" and isinstance(data, dict) and key not in self._places:
                self._places[key] = line.span.packed()
                self._cost += known_cost(data.get("cost_usd")) or 0.0

    def contradict(self, attempt: Attempt, episode: PlannedEpisode, seed: int) -> Iterator[str]:
        """Yield each difference between an attempt and its saved replies. `seed`: the run's random seed."""
        yield from self._contradict_queries(attempt, episode)
        completion, replies = attempt.completion, []
        for number in range(len(attempt.steps) + (completion is not None and not attempt.filled_context)):
            messages = [*attempt.messages, *tools.exchange(attempt.steps[:number], reasoning=True)]
            key = episode.request_key(seed, attempt.attempt, messages)
            reply = self._read(key)
            if reply is None:
                yield "no reply to the attempt's messages was saved"
                return
            self._used.add(key)
            replies.append(dataclasses.asdict(reply))
            steps = attempt.steps[number : number + 1]
            if any(_plain(reply) != _plain(Completion(**step["completion"])) for step in steps):
                yield "an earlier reply in the conversation differs from the saved reply"
        if completion is None or not replies or _plain(completion) == _plain(saved := in_all(replies)):
            return
        if completion.text != saved.text:
            yield "the answer differs from the saved answer"
        elif completion.cost_usd != saved.cost_usd:
            yield f"the answer costs {completion.cost_usd} USD, but the saved answer costs {saved.cost_usd} USD"
        else:
            yield "the completion differs from the saved completion"

    def _contradict_queries(self, attempt: Attempt, episode: PlannedEpisode) -> Iterator[str]:
        """Yield a sentence for each recorded reply that differs from its saved copy.

        Each copy was saved when the reply arrived. The checked replies are a critic's reply and the model's reply to a
        probe.
        """
        for role, query in queries(attempt).items():
            if query.completion is None:
                continue
            key = query_key(query.model, role, query.messages, episode, attempt.attempt)
            self._used.add(key)
            reply = self._read(key)
            if reply is None or _plain(reply) != _plain(query.completion):
                yield f"the reply of the {role} differs from the saved reply"

    def close(self, manifest: Manifest, pending: int | None, found: VerificationReport) -> None:
        """Run the checks that require the attempts of all episodes.

        `pending`: the number of unfinished episodes, or None if some episodes could not be checked because their tasks
        are not available.
        """
        stated = manifest.conditions.values()
        # an unfinished turn has a reply per call of a tool, and those of a critic and a probe
        per_episode = 3 + max((one.get("tools", 0) + one.get("ask", 0) for one in stated), default=0)
        unused = sum(not key.startswith(PREFLIGHT) for key in self._places.keys() - self._used)
        if pending is not None and unused > pending * per_episode:
            found.contradict(f"{COMPLETIONS} has {unused} answers that no attempt uses")
        known = self._asked | self._places.keys()
        for line in read_lines(self._directory / BATCHES, parse):
            if line.data.get("event") == "prepared" and not known.issuperset(line.data["params"]):
                found.contradict(
                    f"{BATCHES}: some requests of the batch {line.data['id']} do not belong to any attempt"
                )
        limit = (manifest.resources.get("budget") or {}).get("max_cost")
        if limit is not None and self._cost > limit and not any("budget" in name for name in _changed(manifest)):
            found.doubt(f"the run spent {self._cost:.4f} USD, more than the budget of {limit} USD")
        if pending and _unfinished(self._directory) == 0:
            found.contradict(f"{RUN_LOG} reports a finished run, but {pending} episodes are unfinished")

    def _read(self, key: str) -> Completion | None:
        if (place := self._places.get(key)) is None:
            return None
        span = Span.unpacked(place)
        with (self._directory / COMPLETIONS).open("rb") as file:
            file.seek(span.offset)
            return Completion(**json.loads(file.read(span.length))["data"])


def _plain(completion: Completion) -> Mapping[str, Any]:
    """Return the fields of a completion, normalised so that a saved copy can be compared with a recorded copy."""
    usage, cost = known_usage(completion.usage), known_cost(completion.cost_usd)
    made = dataclasses.replace(completion, usage=usage, cost_usd=cost, cached=False)
    return dict(json.loads(json.dumps(dataclasses.asdict(made))))


def _changed(manifest: Manifest) -> list[str]:
    return [name for entry in manifest.resumed for name in entry.get("changed", {})]


def _unfinished(directory: Path) -> int | None:
    """Return the number of pending episodes in the last session's log; None if the session was not closed."""
    unfinished = None
    for line in read_lines(directory / RUN_LOG, lambda raw: parse(raw) or {}):  # a kill may have torn any line
        if line.data.get("event") in ("opened", "resumed", "closed"):
            unfinished = line.data.get("owed")
    return unfinished
