import json
import time

import pytest
from printing import terminal_text, words

from repair_bench.analysis.runs.progress import Watched
from repair_bench.report import watching
from repair_bench.testing.made_up_runs import attempt, run, written
from repair_bench.traces.record.records import FaultRecord
from repair_bench.traces.run.manifest import Manifest

ALWAYS = watching.Pace(every=0.1, share=1.0)


@pytest.fixture
def stopped(tmp_path):
    attempts, manifest = run(models=("sim/a", "b"), frameworks=("qiskit",), tasks=6, cut=0.4)
    lost = attempt("f", 0, "lost", model="b", task_id="99", fault=FaultRecord("model", "the server \x1b[31mis gone"))
    manifest = Manifest({**manifest.stated, "name": "study", "episodes": 40})
    directory = written(tmp_path / "run", [*attempts, lost], manifest)
    (directory / "experiment.toml").write_text("[budget]\nmax_cost = 2.0\n")
    spent = [
        {"event": "request", "key": "a", "at_most": {"cost_usd": 0.5, "tokens": 100}},
        {"event": "completion", "key": "a", "data": {"cost_usd": 0.5, "usage": {"total_tokens": 90}}},
    ]
    (directory / "completions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in spent))
    waits = [{"event": "quota_wait", "timestamp": "2026-01-01T10:20:30Z", "provider": "openai", "seconds": 130.0}]
    (directory / "run.log").write_text("".join(json.dumps(line) + "\n" for line in waits))
    return directory


@pytest.mark.parametrize("width", [80, 40])
def test_frame_shows_the_progress_of_a_run(stopped, width):
    watched = next(watching.updates(stopped, ALWAYS, 60))
    text = terminal_text(watching.frame(watched, width), width)
    assert max(map(len, text.splitlines())) <= width
    said = words(text)
    for part in (
        "Not running on this machine",
        "of 40 done",
        "1 pending",
        "SIMULATED MODEL",
        "$0.5000 of $2.00 (25%), 90 tokens",
        "the server",
        "openai",
        "2:10",
        "10:20:30",
        "Pass@1",
        "FB@5",
        "rates are probably too high",
        "Ending a run early because of these figures makes",
    ):
        assert part in said, part
    assert "\x1b" not in text


def test_frame_waits_for_a_run_that_has_not_started(tmp_path):
    looks = watching.updates(tmp_path / "run", ALWAYS, 60)
    waiting = next(looks)
    assert "Waiting for a run" in terminal_text(watching.frame(waiting, 80))
    attempts, manifest = run(frameworks=("qiskit",), tasks=2)
    written(tmp_path / "run", attempts, Manifest({**manifest.stated, "episodes": 2}))
    ended = next(looks)
    assert "Finished" in terminal_text(watching.frame(ended, 80))
    assert "likely" not in terminal_text(watching.frame(ended, 80))
    assert next(looks, None) is None


def test_partly_read_run_is_shown_at_once(stopped):
    looks = watching.updates(stopped, ALWAYS, 0.0)
    text = terminal_text(watching.frame(next(looks), 80))
    assert "of the trace has been read. All figures" in text


def test_expensive_frames_are_followed_by_long_waits():
    began, cpu = time.monotonic(), time.process_time()
    while time.process_time() - cpu < 0.02:
        pass
    watching.Pace(every=0.0, share=0.1).rest(began, cpu)
    assert time.monotonic() - began > 0.15


def test_unchanged_run_is_not_shown_again(stopped, monkeypatch):
    rests = []

    def rest(_, *readings):
        rests.append(readings)
        if len(rests) == 3:
            (stopped / "run.log").write_text("")

    monkeypatch.setattr(watching.Pace, "rest", rest)
    looks = watching.updates(stopped, ALWAYS, 60)
    assert isinstance(next(looks), Watched)
    next(looks)
    assert len(rests) == 3


def test_run_without_prices_shows_only_tokens(stopped):
    line = {"event": "completion", "key": "k", "data": {"cost_usd": None, "usage": {"total_tokens": 120}}}
    (stopped / "completions.jsonl").write_text(json.dumps(line) + "\n")
    text = words(terminal_text(watching.frame(next(watching.updates(stopped, ALWAYS, 60)), 80), 80))
    assert "Spent: 120 tokens." in text
    assert "$0" not in text
