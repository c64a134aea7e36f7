from repair_bench.analysis.rates.metrics import episode_of, episodes
from repair_bench.analysis.runs.progress import Watched, finished, pace, points, rates, slowest, wait_groups
from repair_bench.testing.made_up_runs import attempt, attempts_of, run, written
from repair_bench.traces.record.records import Completion, Outcome
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_tail import Event


def of(letters, name, **fields):
    return episode_of(attempts_of(letters, name, **fields))


def test_progress_rates_cover_common_tasks():
    quick = [of("p" if n < 2 else "wwp", f"q{n}", model="quick", task_id=f"{n:02}") for n in range(6)]
    slow = [of("w", f"s{n}", model="slow", task_id=f"{n:02}") for n in range(2)]
    (first, second), comparable = rates([*quick, *slow], 2)
    assert comparable
    assert [(r.model, r.compared, r.started) for r in (first, second)] == [("quick", 2, 6), ("slow", 2, 2)]
    assert first.curve[0].estimate == 1  # not 2 of all 6 started episodes
    assert second.curve[0].estimate == 0
    assert second.curve[1].estimate is None  # no episode was observed that far


def test_progress_rows_without_common_tasks_are_not_comparable():
    rows, comparable = rates([of("p", "a", model="a", task_id="1"), of("w", "b", model="b", task_id="2")], 1)
    assert not comparable
    assert [r.compared for r in rows] == [1, 1]
    assert rates([], 3) == ([], True)


def test_open_episodes_are_censored():
    """Of 20 failed first answers, the first repair solves 10; 10 are open. The rate of finished ones is too high."""
    done = [of("wp", f"d{n}", task_id=f"{n}") for n in range(10)] + [
        of("www", f"f{n}", task_id=f"x{n}") for n in range(10)
    ]
    still = [of("w", f"o{n}", task_id=f"o{n}") for n in range(10)]
    (row,), _ = rates([*done, *still], 2)
    assert row.started == 30
    assert row.curve[0].estimate == 0
    assert row.curve[2].estimate == 0.5


def test_points_include_the_first_and_the_last():
    assert points(0) == [0]
    assert points(5) == [0, 1, 2, 3, 4, 5]
    assert points(100) == [0, 1, 2, 3, 4, 100]


def test_episode_without_possible_attempts_is_finished():
    assert [finished(of(letters, "e"), 2) for letters in ("p", "www", "wc", "ww", "wf")] == [
        True,
        True,
        True,
        False,
        False,
    ]
    assert finished(episode_of([attempt("w"), attempt("p", 1, off_policy=True)]), 2)


def test_waits_are_summed_by_their_cause():
    events = [
        Event("opened", "t0"),
        Event("quota_wait", "t1", provider="openai", seconds=3.0),
        Event("retry", "t2", reason="RateLimitError", status=429, wait_seconds=8.0),
        Event("quota_wait", "t3", provider="openai", seconds=4.0),
    ]
    assert [(g.event, g.cause, g.times, g.seconds, g.last) for g in wait_groups(events)] == [
        ("retry", "RateLimitError 429", 1, 8.0, "t2"),
        ("quota_wait", "openai", 2, 7.0, "t3"),
    ]


def test_slowest_episodes_by_time_of_answers_and_programs():
    made = [
        episode_of(
            [
                attempt(
                    "w",
                    0,
                    f"e{n}",
                    completion=Completion("", latency_seconds=float(n)),
                    outcome=Outcome("returned", wall_seconds=0.5),
                )
            ]
        )
        for n in range(8)
    ]
    found = slowest([*made, of("w", "untimed")], 0)
    assert [s.seconds for s in found] == [7.5, 6.5, 5.5, 4.5, 3.5]
    assert all(s.done for s in found)


def test_pace_covers_only_this_session():
    def ended(n, when):
        return episode_of([attempt("p", 0, f"e{n}", finished_at=f"2026-01-01T{when}.000+00:00")])

    earlier = [ended(n, f"08:00:{n:02}") for n in range(30)]
    now = [ended(100 + n, f"12:00:{10 * n:02}") for n in range(5)]
    assert pace([*earlier, *now], "2026-01-01T11:59:00.000000Z") == 0.1
    assert pace(now[:1], "") is None
    assert pace([], "") is None


def test_a_run_is_followed_from_its_first_line_to_its_end(tmp_path):
    attempts, manifest = run(models=("sim/a", "sim/b"), frameworks=("qiskit",), tasks=4, repairs=2, faults=0.3)
    whole = episodes(attempts)
    manifest = Manifest(
        {**manifest.stated, "episodes": len(whole), "shard": {"number": 2, "of": 3, "episodes_in_all": 24}}
    )
    watched = Watched(tmp_path / "run")
    watched.read(1)
    assert watched.progress() is None
    written(tmp_path / "run", attempts[:5], manifest)
    watched.read(1)
    some = watched.progress()
    assert (some.attempts, some.planned, some.part) == (5, 8, "shard 2 of 3")
    assert not watched.ended
    written(tmp_path / "run", attempts, manifest)
    watched.read(1)
    found = watched.progress()
    assert found.attempts == len(attempts)
    assert found.pending == sum(g.faults for g in found.faults) == sum(e.state(2) == "fault" for e in whole) > 0
    assert (found.done, found.open) == (8 - found.pending, 0)
    assert not watched.ended  # pending episodes can be resumed
    assert any("SIMULATED" in notice for notice in found.notices)
    repeated = [
        attempt("p", a.attempt, a.episode, id=a.id, model=a.model, task_id=a.task_id) for a in attempts if a.fault
    ]
    written(tmp_path / "run", [*attempts, *repeated], manifest)
    watched.read(1)
    assert watched.ended
