"""Frames that show the progress of a study, and the timing of the frames."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from rich.console import RenderableType

from repair_bench.analysis.runs.progress import Progress, Watched
from repair_bench.report import terminal
from repair_bench.report.sections.base import KEYS, named, solved_within
from repair_bench.report.table import Count, Rate, Table, Text
from repair_bench.text import count
from repair_bench.traces.record.spending import Spend
from repair_bench.traces.run.run_reader import Run

FIRST_FRAME_SECONDS = 0.2
"""Seconds spent reading the trace before the first frame of the display. The reading time doubles with each frame until
the whole trace has been read."""
_LISTED = 4  # maximum number of faults, and of waits, in a frame
_TEXT = 160  # maximum number of characters of a fault's message
_RATE = 11  # as in `sections.rates`
_NAME = 12  # "of 100,000"
_ID = 12  # enough for `repair-bench show`
_PEEKING = "Ending a run early because of these figures makes all its comparisons exploratory."
_WAITS = {"quota_wait": "the quota of {}", "retry": "a retry after {}"}


@dataclass(frozen=True)
class Pace:
    """The pace of frames: one frame every `every` seconds, or fewer frames if drawing is slow.

    `share`: the maximum share of the time that may be spent on drawing. Between frames, the display waits, because the
    run may need all cores.
    """

    every: float
    share: float

    def rest(self, began: float, cpu: float) -> None:
        """Wait after a frame. `began`, `cpu`: `time.monotonic` and `time.process_time` when the frame started."""
        used = time.process_time() - cpu
        time.sleep(max(0.0, began + self.every - time.monotonic(), used / self.share - used))


def updates(directory: Path, pace: Pace, first: float) -> Iterator[Watched]:
    """Yield the state of the run once per frame. After the whole trace has been read, wait between frames as `pace`
    requires.

    `first`: the number of seconds spent reading before the first frame. If the run has not started, wait for it to
    start.
    """
    watched, seconds, shown, settled = Watched(directory), first, None, False
    while True:
        began, cpu = time.monotonic(), time.process_time()
        watched.read(seconds)
        seconds *= 2
        ended = watched.ended
        state = (watched.run.attempts.end, watched.run.written, watched.run.writer, ended)
        if watched.run.behind or state != shown:
            yield watched
        shown = state
        if ended:
            return
        if not watched.run.behind:
            pace.rest(began, cpu if settled else time.process_time())
            settled = watched.run.attempts.end > 0  # the first frame also loads modules


def rewrite(directory: Path, pace: Pace, write: Callable[[Run, int | None], None]) -> None:
    """Write the page of a run repeatedly, as often as `pace` allows, until the run ends or Ctrl-C is pressed.

    `write` takes the run, and the seconds until the page reloads (None for the last page).
    """
    run, refresh = None, math.ceil(pace.every)
    try:
        for watched in updates(directory, pace, math.inf):
            began = sum(os.times()[:4])  # CPU seconds, including the process that drew the figures
            run = watched.run.rows()
            if run is not None:
                write(run, None if watched.ended else refresh)
                refresh = math.ceil(max(pace.every, (sum(os.times()[:4]) - began) / pace.share))
    except KeyboardInterrupt:
        if run is not None:
            write(run, None)


def frame(watched: Watched, width: int) -> Iterator[RenderableType]:
    """Yield the parts of a frame for a terminal with `width` columns, with the most important parts first."""
    progress = watched.progress()
    if progress is None:
        yield from terminal.lines([f"Waiting for a run in {watched.run.directory}. Ctrl-C ends the watch."])
        return
    yield from terminal.lines([f"{progress.name}{f' ({progress.part})' if progress.part else ''}"], "bold")
    yield from terminal.lines(_state(watched, progress))
    yield from terminal.notices(progress.notices)
    for table in (_faults(progress), _waits(progress), _curves(progress), _slowest(progress)):
        if table.rows:
            yield from terminal.table(table, width)


def _state(watched: Watched, progress: Progress) -> Iterator[str]:
    run = watched.run
    age = f"last written {_time(max(0.0, time.time() - (run.written or 0)))} ago"
    if run.behind:
        yield f"{run.share:.0%} of the trace has been read. All figures cover only the part that has been read."
    elif run.writer is not None:
        yield f"Written by process {run.writer}; {age}."
    elif watched.ended:
        yield f"Finished; {age}."
    else:
        yield f"Not running on this machine; {age}. To resume: repair-bench run --resume {run.directory}"
    planned = "" if progress.planned is None else f" of {progress.planned:,}"
    pending = f", {progress.pending:,} pending" if progress.pending else ""
    attempts = count(progress.attempts, "attempt")
    yield f"Episodes: {progress.done:,}{planned} done, {progress.open:,} open{pending}; {attempts}."
    if progress.per_minute is not None:
        left = "" if progress.seconds_left is None else f" Time left: about {_time(progress.seconds_left)}."
        yield f"{progress.per_minute:,.1f} episodes per minute.{left}"
    if not run.behind and (spent := _spent(progress)):
        yield spent


def _spent(progress: Progress) -> str:
    """Return the spending as one line of text, which is empty before the first request."""
    if not (progress.spent.cost_usd or progress.spent.tokens or progress.unpriced):
        return ""
    cost, tokens = progress.spent.cost_usd, progress.spent.tokens or 0
    limit, max_tokens = progress.budget.cost_usd, progress.budget.tokens
    usd = "" if cost is None else f"${cost:,.4f}{'+' if progress.unpriced else ''}"
    usd += f" of ${limit:,.2f} ({cost / limit:.0%})" if limit and cost is not None else ""
    used = f"{tokens:,}{f' of {max_tokens:,} ({tokens / max_tokens:.0%})' if max_tokens else ''} tokens"
    doubt = progress.in_doubt
    parts = [f"Spent: {usd}, {used}." if usd else f"Spent: {used}."]
    if progress.unpriced:
        parts.append(f"The cost of {count(progress.unpriced, 'answer')} is unknown.")
    if doubt != Spend():
        usd = f"${doubt.cost_usd:,.4f}, " if doubt.cost_usd else ""
        parts.append(f"The total includes up to {usd}{doubt.tokens or 0:,} tokens for requests in flight or lost.")
    return " ".join(parts)


def _curves(progress: Progress) -> Table:
    if not progress.comparable:
        over = "No task has been graded in every row yet, so the rows cover different tasks and are not comparable."
    elif len(progress.rates) > 1:
        over = "n: graded first answers to the tasks that all rows share. In brackets: graded answers to all tasks."
    else:
        over = "n: graded first answers."
    parts = [over]
    if not (progress.planned is not None and progress.done >= progress.planned):
        parts.append(
            "Open episodes are censored (Kaplan-Meier). Slow episodes finish last and fail more often, so rates are "
            "probably too high until all episodes are done."
        )
        if len(progress.rates) > 1:
            parts.append(_PEEKING)
    names = [solved_within(k) for k in (progress.rates[0].curve if progress.rates else ())]
    widths = {"n": _NAME, **dict.fromkeys(names, _RATE)}
    return Table.of(
        "Solve rate so far, in %, with 95% intervals",
        progress.rates,
        lambda row: {
            **named(vars(row), KEYS),
            "n": Text(f"n {row.compared:,}", "name", f"of {row.started:,}"),
            **{solved_within(k): Rate.of(point) for k, point in row.curve.items()},
        },
        " ".join(parts),
        widths,
    )


def _faults(progress: Progress) -> Table:
    return Table.of(
        "Pending after infrastructure errors",
        progress.faults[:_LISTED],
        lambda group: {
            **named(vars(group), ("model",)),
            "episodes": Count(group.faults),
            "boundary": Text(group.boundary, "text"),
            "message": Text(" ".join(group.message.split())[:_TEXT], "text"),
        },
        _further(len(progress.faults), "error"),
    )


def _waits(progress: Progress) -> Table:
    return Table.of(
        "Waits",
        progress.waits[:_LISTED],
        lambda group: {
            "for": Text(_WAITS[group.event].format(group.cause), "text"),
            "times": Count(group.times),
            "total": Text(_time(group.seconds)),
            "last at (UTC)": Text(group.last[11:19]),
        },
        _further(len(progress.waits), "wait"),
    )


def _slowest(progress: Progress) -> Table:
    return Table.of(
        "Slowest episodes: time for answers and programs, excluding waiting times",
        progress.slowest,
        lambda slow: {
            "episode": Text(slow.episode.first.episode[:_ID], "text"),
            "model": Text(slow.episode.first.model, "name"),
            "task": Text(f"{slow.episode.first.task_id} {slow.episode.first.framework}", "text"),
            "attempts": Count(len(slow.episode.attempts)),
            "time": Text(_time(slow.seconds)),
            "state": Text("done" if slow.done else "open", "text"),
        },
    )


def _further(kinds: int, noun: str) -> str:
    return f"{count(kinds - _LISTED, 'more kind')} of {noun} not shown." if kinds > _LISTED else ""


def _time(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.{1 if seconds < 10 else 0}f} s"
    return str(timedelta(seconds=round(seconds)))
