"""Notices shown with every table and plot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from repair_bench.analysis.rates.clusters import problem_of
from repair_bench.analysis.rates.metrics import Episode
from repair_bench.analysis.runs.reply_kinds import CUT, dropped, endings
from repair_bench.text import count
from repair_bench.traces.record.lazy_attempt import Recorded, TaskKey, task_key
from repair_bench.traces.run.manifest import Manifest

SMALL = 10
"""The number of episodes below which a rate is marked as unsuitable for comparisons."""
CONTROL = "0"
"""The level of the control tasks in the suite `conventions`, whose statements leave no decision open."""
SAMPLED_RULES = {"paper": "QuanBench+'s text", "released": "QuanBench+'s released code"}
"""Maps each grading rule that draws random shots to the publication or code that defines the rule. A rule that draws
random shots can pass an answer in one grading and fail the same answer in another."""


def repairs_of(attempts: Iterable[Recorded], manifest: Manifest) -> int:
    """Return a run's number of repairs or, if the manifest does not state it, the highest recorded attempt number."""
    return manifest.repairs if manifest.repairs is not None else max((a.attempt for a in attempts), default=0)


def guarded(episodes: Iterable[Episode]) -> Counter[TaskKey]:
    """Count the verdicts from tests that ran in the candidate's process, by (suite, task id, framework)."""
    attempts = (a for episode in episodes for a in episode.attempts)
    return Counter(task_key(a) for a in attempts if a.verdict is not None and a.verdict.sealed == "guarded")


def regraded(episodes: Iterable[Episode], manifest: Manifest) -> bool:
    """Whether any verdict of a run may differ from the verdict on which the model received feedback."""
    return manifest.is_regrade or any(e.off_policy for e in episodes)


def sampled_rules(episodes: Iterable[Episode]) -> list[str]:
    """Return the grading rules that draw random shots and that were used to grade any of the episodes."""
    rules = {a.verdict.rule for e in episodes for a in e.attempts if a.verdict is not None}
    return [rule for rule in SAMPLED_RULES if rule in rules]


def notices(episodes: Sequence[Episode], manifest: Manifest) -> list[str]:
    """Return notices on the validity of the rates and other numbers that are reported for a run."""
    repairs = repairs_of((a for e in episodes for a in e.attempts), manifest)
    states = [e.state(repairs) for e in episodes]
    models = {e.first.model for e in episodes}
    made_up = sorted(filter(manifest.is_simulated, models))
    sentences = []
    if made_up:
        which = "" if len(made_up) == len(models) == 1 else f": {', '.join(made_up)}"
        plural = "S" if len(made_up) > 1 else ""
        sentences.append(f"SIMULATED MODEL{plural}{which}. These figures are not evidence about real models.")
    planned = manifest.episodes or 0
    open_ = states.count("incomplete")
    if regraded(episodes, manifest):
        if open_:
            sentences.append(
                f"REGRADED: {open_:,} of {count(len(episodes), 'episode')} are censored because the new verdict "
                "differs from the verdict that the model received. Rates assume non-informative censoring; the repair "
                "curve is drawn as lower and upper bounds."
            )
    elif open_ := open_ + max(0, planned - len(episodes)):
        sentences.append(
            f"PARTIAL: {open_:,} of {count(max(planned, len(episodes)), 'episode')} not finished. Their known "
            "attempts count; rates assume non-informative censoring (see Bounds)."
        )
    if faults := states.count("fault"):
        sentences.append(
            f"INFRASTRUCTURE ERRORS: {count(faults, 'episode')} censored. Their known attempts count; rates assume "
            "non-informative censoring (see Bounds)."
        )
    if suites := mixed(episodes):
        names = ", ".join(dict.fromkeys(suite.partition("?")[0] for suite in suites))
        sentences.append(f"POOLED: rates include the control tasks of {names} (bits=0).")
    if manifest.stops_by_value:
        sentences.append(
            f"ADAPTIVE STOPPING: the figures cover a random sample of {count(len(episodes), 'episode')} that are never "
            'stopped; the table "Adaptive stopping" covers all other episodes.'
        )
    if (graded := manifest.origin.get("graded")) is not None:
        failed, others = manifest.origin.get("paths", 0), manifest.origin.get("others", 0)
        more = f" The file contains {count(others, 'other answer')} to tasks outside this run." if others else ""
        sentences.append(
            f"STORED FIRST ANSWERS: of {graded:,} answers, {failed:,} failed; the rates cover only repairs of these "
            f"failures.{more}"
        )
    if accepted := manifest.accepted:
        sentences.append(
            f"VERSIONS CHANGED during the run: {'; '.join(accepted)}. Verdicts before and after the change may differ."
        )
    sentences += [
        f"NOISY RULE: graded with random shots by the rule of {SAMPLED_RULES[rule]} ({rule}); the same code can pass "
        "or fail, so some repairs pass by chance."
        for rule in sampled_rules(episodes)
    ]
    sentences += [
        f"NOT SENT: {model} rejects {' and '.join(names)}; the provider's defaults apply."
        for model, names in dropped(a for e in episodes for a in e.attempts).items()
    ]
    return [*sentences, *_replies(episodes)]


def _replies(episodes: Sequence[Episode]) -> Iterator[str]:
    by_kind: Counter[str | None] = Counter()
    for ending in (found := endings(episodes)):
        by_kind[ending.reply] += ending.answers
    of = f"of {count(sum(ending.answers for ending in found), 'answer')}"
    if cut := sum(by_kind[kind] for kind in CUT):
        thinking = f", {by_kind['cut_in_reasoning']:,} of them during reasoning" if by_kind[CUT[1]] else ""
        yield (
            f"TRUNCATED: {cut:,} {of} reached the maximum length{thinking}. They are graded like other answers. "
            "Increase prompt.max_completion_tokens to allow longer answers."
        )
    for mark, n, text in (
        ("REFUSED", by_kind["refusal"], "were refused by the model"),
        ("FILTERED", by_kind["filtered"], "were withheld by the provider's filter"),
        ("EMPTY", by_kind["empty"] + by_kind["reasoning_only"], "contain no text"),
        ("TOOL CALLS", by_kind["tool_calls"], "call a tool instead of answering"),
    ):
        if n:
            yield f"{mark}: {n:,} {of} {text}. They are graded like other answers."


def level(episode: Episode) -> str | None:
    """Return how many bits a `conventions` task leaves open, as text. Return None for a task of another suite."""
    first = episode.first
    return first.task_id.rpartition("-")[2] if first.suite.partition("?")[0] == "conventions" else None


def mixed(episodes: Iterable[Episode]) -> list[str]:
    """Return the suites with episodes both at the control level and at other levels."""
    found: dict[str, set[str]] = {}
    for episode in episodes:
        if (bits := level(episode)) is not None:
            found.setdefault(episode.first.suite, set()).add(bits)
    return sorted(suite for suite, levels in found.items() if CONTROL in levels and len(levels) > 1)


def interval_note(series: Iterable[Iterable[Episode]]) -> str:
    """Return a phrase that names the kind of confidence interval shown for the episodes in `series`.

    The intervals are clustered if any series has several episodes of the same problem.
    """
    for members in series:
        seen = [problem_of(e.first.suite, e.first.task_id) for e in members]
        if len(set(seen)) < len(seen):
            return "95% intervals clustered by problem"
    return "95% Wilson intervals"
