"""Whether what a run recorded still stands: what is recorded twice agrees, and answers that are drawn are graded again.

Without executing anything: the order of each episode, the ids, the code against the answer that it was taken from,
verdicts against the outcomes that they were given on, costs against the prices that the experiment states, completions
against those that were saved as they arrived, and lines against the digests that they were published with. What is
recorded once, such as how long an answer took, cannot be told from what it was in the beginning; executing again tells
whether a verdict is right, whatever is recorded.
"""

from __future__ import annotations

import dataclasses
import hashlib
import heapq
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from repair_bench.agent.experiment.episodes import digest
from repair_bench.agent.experiment.resumption import in_words, version_changes
from repair_bench.agent.models.pricing import at_own_price
from repair_bench.agent.models.providers import ProviderSettings, is_price, settings_of
from repair_bench.coroutines import run_to_end
from repair_bench.executors.bounded import stream_bounded
from repair_bench.executors.options import Backend, ExecutorOptions
from repair_bench.frameworks import USUAL
from repair_bench.grading.judge import Judge, verdict_on
from repair_bench.grading.loading import load_by_rule
from repair_bench.prompts.compose import prefill
from repair_bench.prompts.extract import extract
from repair_bench.suites.task import Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.journal import parse, read_lines
from repair_bench.traces.manifest import Manifest
from repair_bench.traces.records import Attempt, Completion
from repair_bench.traces.spending import known_cost, known_usage

_Key = tuple[str, str, str]


@dataclass(frozen=True)
class Source:
    """A record to be verified.

    `records`: its attempts, those of an episode in their order, each with whether it is as it was published (True where
    nothing says); called once or twice. `saved`: `completions.jsonl`, where there is one.
    """

    name: str
    manifest: Manifest
    records: Callable[[], Iterable[tuple[Attempt, bool]]]
    saved: Path | None = None


@dataclass(frozen=True)
class Finding:
    """What does not stand: of which attempt, and why, in words."""

    episode: str
    attempt: str
    what: str


@dataclass
class Verified:
    """What came of a record.

    `contradictions`: found without executing anything. `compared`: attempts whose verdict and code were held against
    what they were made of, where the suite is here. `answers`: those that have a verdict, one that arms share once;
    `drawn`: of them, those that were graded again; `stand` of these have the verdict that is recorded, `differ` another
    one, and `unjudged` counts the rest by the reason why they cannot be judged here.
    """

    run: str
    attempts: int = 0
    compared: int = 0
    contradictions: list[Finding] = field(default_factory=list)
    answers: int = 0
    drawn: int = 0
    stand: int = 0
    differ: list[Finding] = field(default_factory=list)
    unjudged: Counter[str] = field(default_factory=Counter)

    @property
    def stands(self) -> bool:
        """Whether nothing was found that does not."""
        return not self.contradictions and not self.differ


def verify(source: Source, *, sample: int | None, seed: int, data: Path | None, executor: ExecutorOptions) -> Verified:
    """Verify a record. `sample`: how many answers are graded again, None for all; `seed`: which ones.

    Raises UsageError where the record cannot be read.
    """
    return run_to_end(_verify(source, sample, seed, data, executor))


async def _verify(
    source: Source, sample: int | None, seed: int, data: Path | None, options: ExecutorOptions
) -> Verified:
    found = Verified(source.name)
    executor = options.open(data)
    try:
        tasks = await _Tasks.load(source.manifest, data, executor)
        drawn = _read(source, tasks, found, sample, seed)
        await _grade_again(source, tasks, found, drawn, executor)
    finally:
        await executor.close()
    return found


class _Tasks:
    """The tasks of a run by the rule that judged it, and why some cannot be judged here."""

    def __init__(self) -> None:
        self._tasks: dict[_Key, Task] = {}
        self._missing: dict[str, str] = {}  # by suite

    @classmethod
    async def load(cls, manifest: Manifest, data: Path | None, executor: Backend) -> _Tasks:
        made, rule = cls(), manifest.experiment.get("rule", "exact")
        for name, pinned in manifest.suite_contents.items():
            try:
                suite = (await load_by_rule(name, data, [rule], executor))[rule]
            except UsageError as error:
                made._missing[name] = str(error)
                continue
            if [suite.version, suite.contents(manifest.experiment.get("frameworks", USUAL))] != list(pinned):
                made._missing[name] = f"{name} is here in other contents than version {pinned[0]} of the run"
                continue
            made._tasks |= {(name, task.id, task.framework): task for task in suite.tasks}
        return made

    def of(self, attempt: Attempt) -> Task | None:
        """The task of an attempt; None where it cannot be judged here."""
        task = self._tasks.get((attempt.suite, attempt.task_id, attempt.framework))
        return task if task is not None and task.excluded is None else None

    def why_not(self, attempt: Attempt) -> str:
        """Why there is none."""
        task = self._tasks.get((attempt.suite, attempt.task_id, attempt.framework))
        if task is not None and task.excluded is not None:
            return task.excluded
        return self._missing.get(attempt.suite, f"{attempt.suite} has no such task here")


def _read(source: Source, tasks: _Tasks, found: Verified, sample: int | None, seed: int) -> set[str] | None:
    """Find all contradictions, and draw; the ids of the answers that are drawn, None for all."""
    saved = None if source.saved is None else _Saved.read(source.saved)
    priced = _Prices(source.manifest)
    origin = source.manifest.origin
    begun = int(origin.get("attempt", -1)) if origin.get("kind") == "fork" else -1
    last: dict[str, Attempt] = {}
    answers: set[str] = set()
    for attempt, unchanged in source.records():
        found.attempts += 1
        said = [] if unchanged else ["its line is not the one that was published"]
        said += _in_episode(attempt, last.get(attempt.episode))
        if attempt.attempt > max(begun, 0) and attempt.id != digest("attempt", attempt.episode, attempt.attempt):
            said.append("its id is not that of its episode and number")
        task = tasks.of(attempt)
        found.compared += task is not None
        said += _in_itself(attempt, task)
        if attempt.attempt > begun:
            said += priced.contradict(attempt)
            said += saved.contradict(attempt) if saved is not None else ()
        found.contradictions += [Finding(attempt.episode, attempt.id, what) for what in said]
        last[attempt.episode] = dataclasses.replace(attempt, messages=[], completion=None, outcome=None, code=None)
        if attempt.completion is not None and attempt.verdict is not None:
            answers.add(attempt.id)
    found.answers = len(answers)
    if sample is None or sample >= len(answers):
        return None
    return set(heapq.nsmallest(sample, answers, key=lambda name: hashlib.sha256(f"{seed} {name}".encode()).digest()))


def _in_episode(attempt: Attempt, last: Attempt | None) -> Iterator[str]:
    """What does not go with the attempt before it."""
    number, before = attempt.attempt, None if last is None else last.id
    if number != (0 if last is None else last.attempt + 1):
        yield f"it has the number {number}, and the one before it {'is missing' if last is None else last.attempt}"
    if attempt.parent != before:
        yield "its parent is not the attempt before it"
    if last is not None and (last.passed or last.fault is not None) and not attempt.off_policy:
        yield f"it follows an attempt that {'passed' if last.passed else 'ended by a fault'}"
    if (attempt.feedback is None) is (number > 0):
        yield "it is told nothing" if number else "it is told something before the first answer"


def _in_itself(attempt: Attempt, task: Task | None) -> Iterator[str]:
    """What does not agree within the attempt. `task`: None where it is not known."""
    completion, verdict, outcome = attempt.completion, attempt.verdict, attempt.outcome
    if (verdict is None) is (attempt.fault is None):
        yield "it has neither a verdict nor a fault" if verdict is None else "it has a verdict and a fault"
    if completion is not None:
        if completion.cost_usd != known_cost(completion.cost_usd):
            yield f"it cannot cost {completion.cost_usd} USD"
        if task is not None:
            text = completion.text
            begun = prefill(attempt.messages)
            code = extract(text, entry_point=task.entry_point, starter=task.starter, prefill=begun).code
            if code != attempt.code:
                yield "its code is not what is in its answer"
    if verdict is None or task is None or (outcome is None and attempt.code is not None) or verdict.kind == "context":
        return
    if task.oracle is None:
        kind = verdict_on(task, outcome, draw=attempt.id).kind
        if kind != verdict.kind:
            yield f"its verdict is {verdict.kind}, and its outcome is judged {kind}"
    elif outcome is not None and (kind := task.check.judge(task, outcome).kind) != verdict.published:
        yield f"the published test says {verdict.published}, and its outcome is judged {kind}"


class _Prices:
    """The prices that the experiment states, where they were the same in all sessions."""

    def __init__(self, manifest: Manifest) -> None:
        """Raises UsageError for settings of a provider that cannot be read."""
        changed = [name for entry in manifest.resumed for name in entry["changed"]]
        stated = {} if any(is_price(name) for name in changed) else manifest.resources.get("providers") or {}
        try:
            self._providers = {name: ProviderSettings(**settings) for name, settings in stated.items()}
        except (TypeError, ValueError) as error:
            raise UsageError(f"run.json states settings of a provider that cannot be read: {error}") from None

    def contradict(self, attempt: Attempt) -> Iterator[str]:
        """What costs something else than its counts at these prices. Of a turn, each reply has a price of its own."""
        if attempt.completion is None:
            return
        settings = settings_of(attempt.model, self._providers)
        for reply in [_completion(step["completion"]) for step in attempt.steps] or [attempt.completion]:
            cost = at_own_price(settings, reply.usage)
            if cost is not None and reply.cost_usd != cost:
                yield f"it costs {reply.cost_usd} USD, and {cost} at the prices of the experiment"


class _Saved:
    """The completions of a run as they arrived: digests of them, and of their texts."""

    def __init__(self, path: Path) -> None:
        self._all: set[bytes] = set()
        self._texts: dict[bytes, set[float | None]] = {}
        for line in read_lines(path, parse):
            if line.data.get("event") == "completion" and isinstance(line.data.get("data"), dict):
                completion = _completion(line.data["data"])
                self._all.add(_digest(completion))
                self._texts.setdefault(_hash(completion.text), set()).add(completion.cost_usd)

    @classmethod
    def read(cls, path: Path) -> _Saved | None:
        """None where none was saved, as in a regraded run."""
        made = cls(path)
        return made if made._all else None

    def contradict(self, attempt: Attempt) -> Iterator[str]:
        """What is not as it was saved."""
        if attempt.completion is None:
            return
        asked = [_completion(step["completion"]) for step in attempt.steps]
        if any(_digest(one) not in self._all for one in asked):
            yield "a reply before its answer is not one that was saved"
        if not asked and _digest(attempt.completion) not in self._all:
            cost = attempt.completion.cost_usd
            costs = self._texts.get(_hash(attempt.completion.text))
            if costs is None:
                yield "its answer is not one that was saved"
            elif cost not in costs:
                yield f"its cost is {cost} USD, and another one was saved"
            else:
                yield "its completion is not as it was saved"
        elif asked:
            costs = self._texts.get(_hash(attempt.completion.text))
            if costs is None:
                yield "its answer is not one that was saved"
            elif not any(
                _sum([*(one.cost_usd for one in asked), cost]) == attempt.completion.cost_usd for cost in costs
            ):
                yield "its cost is not that of its replies"


def _sum(costs: list[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _completion(data: Mapping[str, Any]) -> Completion:
    names = {one.name for one in dataclasses.fields(Completion)}
    return Completion(**{name: value for name, value in data.items() if name in names})


def _digest(completion: Completion) -> bytes:
    """The same for a completion as it was saved and as it was recorded."""
    usage, cost = known_usage(completion.usage), known_cost(completion.cost_usd)
    plain = dataclasses.asdict(dataclasses.replace(completion, usage=usage, cost_usd=cost, cached=False))
    return _hash(json.dumps(plain, sort_keys=True))


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()


async def _grade_again(
    source: Source, tasks: _Tasks, found: Verified, drawn: set[str] | None, executor: Backend
) -> None:
    judge = Judge(executor)
    versions: dict[str, str] = {}
    found.drawn = found.answers if drawn is None else len(drawn)

    async def grade(attempt: Attempt) -> None:
        task, verdict = tasks.of(attempt), attempt.verdict
        assert attempt.completion is not None
        assert verdict is not None
        if task is None:
            found.unjudged[tasks.why_not(attempt)] += 1
            return
        text, begun = attempt.completion.text, prefill(attempt.messages)
        judged = await judge.answer(task, text, prefill=begun, draw=attempt.id)
        if judged.fault is not None:
            found.unjudged[str(judged.fault)] += 1
        elif judged.verdict.kind == verdict.kind:
            found.stand += 1
        elif other := _other_versions(source.manifest, attempt.framework, versions, executor):
            found.unjudged[f"judged otherwise by other versions: {other}"] += 1
        else:
            what = f"its verdict is {verdict.kind}, and {judged.verdict.kind} when its answer is executed again"
            found.differ.append(Finding(attempt.episode, attempt.id, what))

    async with aclosing(stream_bounded(_answers(source, drawn), grade, lambda: executor.capacity, ahead=2)) as graded:
        async for _ in graded:
            pass


def _answers(source: Source, drawn: set[str] | None) -> Iterator[Attempt]:
    """The answers that are drawn, each once."""
    seen: set[str] = set()
    for attempt, _ in source.records():
        if attempt.completion is None or attempt.verdict is None or attempt.id in seen:
            continue
        if drawn is None or attempt.id in drawn:
            seen.add(attempt.id)
            yield attempt


def _other_versions(manifest: Manifest, framework: str, known: dict[str, str], executor: Backend) -> str:
    """What may decide a verdict and is another version here than in the run; empty for nothing."""
    if framework not in known:
        here, there = executor.versions(framework), manifest.versions.get(framework, {})
        deciding, _ = version_changes({framework: there}, {framework: here})
        known[framework] = in_words(deciding)
    return known[framework]
