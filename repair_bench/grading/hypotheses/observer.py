"""The feedback on tasks with a hidden hypothesis, as an ideal observer interprets it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from repair_bench import suites
from repair_bench.analysis.comparing.arms import policies
from repair_bench.analysis.feedback_use.best_play import BestPlay
from repair_bench.analysis.feedback_use.counted_calls import CountPlay
from repair_bench.analysis.feedback_use.ideal_observer import PASS, Partition, Play, cells_of, consistent
from repair_bench.analysis.feedback_use.use import Observed, Reach, Seen, adjusted_curve
from repair_bench.analysis.rates.metrics import episodes
from repair_bench.analysis.runs.notices import repairs_of
from repair_bench.coroutines import run_to_end
from repair_bench.frameworks import USUAL
from repair_bench.grading.hypotheses.hidden import Hidden, HiddenByPackage
from repair_bench.grading.hypotheses.levels import hidden_at
from repair_bench.grading.tiny_numbers import without_tiny_numbers
from repair_bench.prompts.feedback import consults, needs_placebo_source
from repair_bench.suites.conventions.edition import NAME, Edition, level_of
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Attempt
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_reader import Run


@lru_cache(maxsize=1024)
def hidden(suite: str, task_id: str, framework: str, rule: str = "exact") -> Hidden | None:
    """Return the task with its hypotheses, or None if the suite states no hypotheses."""
    level = level_of(suite, task_id, framework)
    if level is not None:
        return hidden_at(level, framework, suite=suite, say=Edition.of(suite).say, rule=rule)
    stated = suites.hypotheses_of(suite, task_id, framework)
    return None if stated is None else HiddenByPackage(stated, stated.tasks)


@lru_cache(maxsize=1024)
def partition(task: Hidden, policy: str) -> Partition:
    """Return the feedback on each program, for each hypothesis that may be true. There is one program per hypothesis.

    All placebo texts count as the same feedback.
    """
    numbers: dict[str | None, int] = {None: PASS}
    attempts = [task.hypothesis(h) for h in range(len(task.tasks))]
    texts = [task.texts(policy, task.outcome(each), task.program(each)) for each in attempts]
    return Partition(tuple(tuple(numbers.setdefault(text, len(numbers)) for text in row) for row in texts))


@lru_cache(maxsize=4096)
def answers(task: Hidden, question: str) -> tuple[str | None, ...]:
    """Return the answer to a question under each hypothesis, or None where the question has no answer."""
    return task.answers(question)


@lru_cache(maxsize=1024)
def play(task: Hidden, policy: str, attempts: int, asks: int = 0) -> BestPlay:
    """Return the optimal policy for a task and a number of attempts. The policy may ask `asks` questions before each
    attempt.

    Each attempt of the policy implements one hypothesis, with one exception. An attempt may be any program if the
    feedback policy is `count`, no questions are allowed, and no answer to a call is correct under more than one
    hypothesis.
    """
    if policy == "count" and not asks and task.separated:
        return CountPlay(len(task.tasks), task.calls, attempts)
    asked = [tuple(cells_of(answers(task, question)).values()) for question in task.questions()] if asks else []
    return Play(partition(task, policy), attempts, asked, asks)


@lru_cache(maxsize=4096)
def reach(task: Hidden, policy: str, attempts: int, asks: int = 0) -> Reach:
    """Return the best achievable curves for `attempts` attempts, each preceded by at most `asks` questions."""
    best = play(task, policy, attempts, asks)
    return Reach(len(task.tasks), best.curve, best.exact, consistent(partition(task, policy), attempts))


def posterior(task: Hidden, policy: str, attempts: Sequence[Attempt]) -> tuple[Seen, ...]:
    """Return the recorded attempts of an episode as the ideal observer interprets them.

    An attempt excludes all hypotheses except those that explain its feedback and the answers to its questions. If the
    feedback was not recorded, the feedback that the policy gives for the true hypothesis is used. Additional evidence
    that a policy obtains, such as a critic's analysis, is assumed not to depend on the hypothesis. The first attempt
    that has no verdict, or whose feedback is not explained by any hypothesis, is omitted together with all later
    attempts.
    """
    kept, seen = task.everything, []
    for number, attempt in enumerate(attempts):
        unanswered = attempt.verdict is None or attempt.completion is None
        if unanswered or (attempt.outcome is None and attempt.code is not None):
            break
        texts = task.texts(policy, attempt.outcome, attempt.code)
        feedback: str | None = None
        if not attempt.passed:
            following = attempts[number + 1].feedback if number + 1 < len(attempts) else None
            recorded = following is not None and following.policy == policy and not consults(policy)
            feedback = without_tiny_numbers(following.text) if following and recorded else texts[task.truth]
            if needs_placebo_source(policy):
                texts = tuple(None if text is None else feedback for text in texts)
        sets = cells_of(texts)
        asked = tuple(tuple(cells_of(row).values()) for row in _answers_before(task, attempt))
        for cells in asked:
            kept &= next(cell for cell in cells if cell >> task.truth & 1)
        kept &= sets.get(feedback, 0)
        if not kept:
            break
        realises = texts.index(None) if None in texts else None
        mixed = realises is None and task.mixes(attempt.outcome)
        seen.append(Seen(realises, mixed, kept, sets.pop(None, 0), tuple(sets.values()), asked))
    return tuple(seen)


def _answers_before(task: Hidden, attempt: Attempt) -> list[tuple[str | None, ...]]:
    """Return, for each question that the model asked before an attempt, the answer under each hypothesis.

    Answers to a refused question are None.
    """
    asked = [run for step in attempt.steps for run in step["runs"] if run.get("tool") == "ask"]
    return [
        answers(task, run["code"]) if (run["outcome"] or {}).get("status") == "returned" else (None,) * len(task.tasks)
        for run in asked[: attempt.questions]
    ]


def observed(run: Run) -> list[Observed]:
    """Return a run's episodes on tasks with a hidden hypothesis. Tasks of `changed_suites` are excluded.

    The episodes are sorted by id. All texts are read from the run's files, one episode at a time.
    """
    repairs, unknown = repairs_of(run.rows, run.manifest), changed_suites(run.manifest)
    recorded = episodes(run.rows)
    by_condition, made = policies(recorded, run.manifest), []
    for episode in recorded:
        first = episode.first
        rule = next((a.verdict.rule for a in episode.attempts if a.verdict is not None), "exact")
        task = None if first.suite in unknown else hidden(first.suite, first.task_id, first.framework, rule)
        if task is not None:
            policy = by_condition[first.condition]
            asks = run.manifest.conditions.get(first.condition, {}).get("ask", 0)
            attempts = [attempt.with_texts() for attempt in episode.attempts]
            seen, reached = posterior(task, policy, attempts), reach(task, policy, repairs + 1, asks)
            fair = adjusted_curve(play(task, policy, repairs + 1, asks), episode, seen)
            more = task.level.names, tuple(understood(task, one) for one in attempts)
            made.append(Observed(episode, task.family, task.level.bits, reached, seen, fair, *more))
    return made


def understood(task: Hidden, attempt: Attempt) -> bool | None:
    """Whether the model's reply to the decoding probe names the true options or equivalent options.

    The probe was sent before the attempt. The result is None if there is no reply.
    """
    reply = None if attempt.probe is None else attempt.probe.completion
    return None if reply is None else task.understood(reply.text)


def changed_suites(manifest: Manifest) -> list[str]:
    """Return the names of a run's suites that have changed since the run or that no longer exist.

    The hypotheses of a changed or missing suite are unknown.
    """
    changed = []
    for name, (_, pinned) in manifest.suite_contents.items():
        if name.partition("?")[0] == NAME or suites.states_hypotheses(name):
            try:
                if _contents(name, tuple(manifest.experiment.get("frameworks", USUAL))) != pinned:
                    changed.append(name)
            except UsageError:
                changed.append(name)
    return changed


@lru_cache(maxsize=64)
def _contents(suite: str, frameworks: tuple[str, ...]) -> str:
    return run_to_end(suites.load(suite, frameworks=frameworks)).contents(frameworks)
