"""The progress line of a run: an unbiased curve, and spending without double counting."""

from __future__ import annotations

import dataclasses
import io
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from repair_bench.analysis.rates import metrics
from repair_bench.analysis.rates.survival import life_table
from repair_bench.coroutines import run_to_end
from repair_bench.report.progress import RunProgress
from repair_bench.testing.made_up_runs import attempt, attempts_of
from repair_bench.traces.record.records import Attempt
from repair_bench.traces.record.spending import Spend, Spending
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_reader import load_rows
from repair_bench.traces.run.store import RunStore

PATHS = st.lists(st.from_regex(r"[we]{0,4}[pwecf]", fullmatch=True), min_size=1, max_size=12)


def progress(*attempts: Attempt, repairs: int = 4, spending: Spending | None = None, total: int = 20) -> RunProgress:
    made = RunProgress(total, Console(file=io.StringIO()), repairs=repairs, spending=spending or Spending())
    for one in attempts:
        made.attempt_done(one)
    return made


@settings(max_examples=25)
@given(PATHS)
def test_live_curve_equals_that_of_the_report(paths: list[str]) -> None:
    attempts = [one for number, path in enumerate(paths) for one in attempts_of(path, f"e{number}")]
    table = life_table(metrics.episodes(attempts), 4)
    shown = progress(*attempts)
    if not table:
        assert shown.solved(0) is None
        return
    for row in table:
        assert shown.solved(row.attempt) == pytest.approx(1 - row.unsolved.estimate)


def test_early_completions_do_not_bias_the_curve() -> None:
    """Among 2,000 unfinished episodes, those that have ended early mostly passed."""
    draw = random.Random(0)
    ended, shown = [], progress(repairs=4)
    for number in range(2000):
        path = ""
        while len(path) < 5 and not path.endswith("p"):
            path += "p" if draw.random() < 0.3 else "w"
        seen = path[: draw.randint(1, 5)]  # the current figure of the progress line
        for one in attempts_of(seen, str(number)):
            shown.attempt_done(one)
        if seen == path:
            ended.append(path.endswith("p"))
    truth = 1 - 0.7**5
    assert shown.solved(4) == pytest.approx(truth, abs=0.05)
    assert sum(ended) / len(ended) > truth + 0.05


def test_shared_requests_are_counted_once() -> None:
    spending = Spending()
    for key, brought in [("a", True), ("b", True), ("lost", False)]:
        spending.requested(key, Spend(1.0, 1000))
        if brought:
            usage = {"prompt_tokens": 70, "completion_tokens": 30}
            spending.answered(key, {"cost_usd": 0.25, "usage": usage})
    shared = [attempt("w", 0, arm, id="root") for arm in ("one", "two", "three")]
    shown = progress(*shared, spending=spending)
    shown.resumed(shared)
    assert "tokens 200  $0.5000" in shown.line()
    spending.requested("c", Spend(None, 10))
    spending.answered("c", {"cost_usd": None, "usage": {"prompt_tokens": 1, "completion_tokens": 1}})
    assert "tokens 202  $0.5000+" in shown.line()


def test_resumed_run_counts_nothing_twice(tmp_path: Path) -> None:
    async def killed() -> None:
        store = RunStore.create(tmp_path / "run", Manifest({}))
        for key in ("recorded", "answered", "lost"):
            await store.note_request(key, Spend(1.0, 1000))
        for key in ("recorded", "answered"):  # the attempt of the second answer was not recorded yet
            usage = {"prompt_tokens": 70, "completion_tokens": 30}
            await store.save_completion(key, {"text": "", "cost_usd": 0.25, "usage": usage})
        for arm in ("one", "two"):
            await store.append_attempt(attempt("w", 0, arm, id="recorded"))
        await store.close()

    async def resumed() -> str:
        store = RunStore.resume(tmp_path / "run", Manifest({}))
        shown = progress(spending=store.spending)
        shown.resumed(load_rows(tmp_path / "run").rows)
        await store.close()
        return shown.line()

    run_to_end(killed())
    assert "tokens 200  $0.5000  " in run_to_end(resumed())


def test_simulated_models_show_no_spending() -> None:
    line = progress(attempt("p")).line()
    assert line == "episodes 0/20  Pass@1 100.0%  time left -"


@pytest.mark.parametrize("width", [20, 40, 66, 80, 200])
def test_progress_line_never_wraps(width: int) -> None:
    spending = Spending()
    spending.requested("a", Spend(None, None))
    spending.answered("a", {"cost_usd": 1234.5, "usage": {"prompt_tokens": 10**9, "completion_tokens": 1}})
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=width)
    with RunProgress(1_999_999, console, repairs=5, spending=spending) as shown:
        for one in attempts_of("wwwwww"):
            shown.attempt_done(one)
        shown.attempt_done(dataclasses.replace(attempt("f", 0, "other")))
        with console.capture() as captured:
            console.print(shown._render())
        line = shown.line(width)
    assert captured.get().count("\n") == 1
    assert line.startswith("episodes 0/1,999,999")
    assert len(line) <= max(width, len("episodes 0/1,999,999"))
    assert ("FB@5" in line) == (width >= 66)
    assert ("tokens" in line) == (width == 200)


def test_reason_to_wait_is_shown_until_an_answer() -> None:
    shown = progress()
    shown.waits("the server at a very long address says that it is overloaded")
    assert "waiting: the server at a very long ..." in shown.line(66)
    shown.attempt_done(attempt("p"))
    assert "waiting" not in shown.line()
