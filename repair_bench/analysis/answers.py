"""What a model does with its own answer from one attempt to the next: repeats it, edits it, gets further or not.

It takes about a millisecond an attempt, for its code is read and parsed: see `sampling` for runs of many episodes.
"""

from __future__ import annotations

import ast
import difflib
import itertools
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from repair_bench.analysis.curves import problem
from repair_bench.analysis.intervals import Clusters, Interval, rate_interval
from repair_bench.analysis.metrics import Episode
from repair_bench.analysis.syntax import tree
from repair_bench.traces.records import Verdict
from repair_bench.traces.row import Recorded


@dataclass(frozen=True)
class Edit:
    """The way from one code to the next, in lines."""

    added: int
    removed: int

    @property
    def size(self) -> int:
        """Lines added and removed together."""
        return self.added + self.removed


@dataclass(frozen=True)
class Step:
    """From one attempt to the next. `attempt`: the number of the later one. `solved`: whether it passed.

    `repeated`: its code is that of the attempt before; `returned`: not that one's, but that of an earlier attempt
    (oscillation). Codes are the same that differ only in layout and comments. `progress`: by how many stages it got
    further (see `stage`), negative for a regression. `edit`: None when one of the two has no code.
    """

    episode: str
    attempt: int
    solved: bool
    repeated: bool
    returned: bool
    progress: int
    edit: Edit | None


@dataclass(frozen=True)
class Habits:
    """What steps were, as shares of them with intervals over problems. `lines`: the median size of an edit, None
    without one. `regressed` and `progressed` are by stage.
    """

    steps: int
    repeated: Interval
    returned: Interval
    regressed: Interval
    progressed: Interval
    lines: float | None


def stage(verdict: Verdict) -> int:
    """How far an attempt got.

    0: no code; 1: it did not run to its end; 2: its result has the wrong type or shape; 3: its result has the right
    form and is wrong; 4: it passed. Nothing comes after a pass, so a regression is a failure that got less far than the
    one before it.
    """
    match verdict.kind:
        case "no_code" | "context":
            return 0
        case "exception" | "limit":
            return 1
        case "wrong_answer":
            return 2 if any(case.get("mismatch") for case in verdict.evidence.get("cases") or []) else 3
    return 4


def steps(episodes: Iterable[Episode], repairs: int) -> list[Step]:
    """All steps between successive answers that were judged, up to attempt `repairs`."""
    made = ([a for a in episode.known[: repairs + 1] if a.completion is not None] for episode in episodes)
    return [step for answers in made for step in _steps(answers)]


def habits(episodes: Iterable[Episode], repairs: int) -> Habits:
    """What episodes did from one attempt to the next, up to attempt `repairs`."""
    made = [(problem(episode), step) for episode in episodes for step in steps([episode], repairs)]

    def share(of: Callable[[Step], bool]) -> Interval:
        return rate_interval(Clusters.of((where, float(of(step))) for where, step in made))

    sizes = [step.edit.size for _, step in made if step.edit is not None]
    return Habits(
        len(made),
        share(lambda step: step.repeated),
        share(lambda step: step.returned),
        share(lambda step: step.progress < 0),
        share(lambda step: step.progress > 0),
        statistics.median(sizes) if sizes else None,
    )


def edit(old: str, new: str) -> Edit:
    """Lines added and removed, by difflib.SequenceMatcher over lines (Ratcliff and Obershelp, 1988)."""
    before, after = old.splitlines(), new.splitlines()
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    kept = sum(block.size for block in matcher.get_matching_blocks())
    return Edit(len(after) - kept, len(before) - kept)


def normal_form(code: str) -> str:
    """The same text for codes that differ only in layout and comments; the stripped code where it is not Python."""
    root = tree(code)
    try:
        return code.strip() if root is None else ast.dump(root)
    except RecursionError:
        return code.strip()


def _steps(attempts: Sequence[Recorded]) -> Iterable[Step]:
    codes = [a.code for a in attempts]  # each is read from the disk: once
    forms = [None if code is None else normal_form(code) for code in codes]
    for at, (old, new) in enumerate(itertools.pairwise(attempts), start=1):
        assert old.verdict is not None
        assert new.verdict is not None
        known = forms[at] is not None
        before, now = codes[at - 1 : at + 1]
        repeated = known and forms[at] == forms[at - 1]
        yield Step(
            new.episode,
            new.attempt,
            new.passed,
            repeated,
            known and not repeated and forms[at] in forms[: at - 1],
            stage(new.verdict) - stage(old.verdict),
            None if before is None or now is None else edit(before, now),
        )
