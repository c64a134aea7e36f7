"""Adaptive stopping by value: its decisions, their evidence, and their independence of kills."""

import json
from importlib.resources import files
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from server.scripted import ScriptedServer, answer

from repair_bench.agent.experiment.episodes import PlannedEpisode, mark_stoppable
from repair_bench.agent.loop.repair_value import RepairValueModel
from repair_bench.agent.loop.rounds import Rounds
from repair_bench.cli import main
from repair_bench.prompts.condition import Condition
from repair_bench.suites.checks import UnitTestCheck
from repair_bench.suites.task import Task
from repair_bench.testing.made_up_runs import attempt, load_run
from repair_bench.traces.record.records import Attempt, Completion
from repair_bench.traces.run.decisions import Decision

SAMPLES = 4


def planned(tasks: int, samples: int = SAMPLES, repairs: int = 3) -> list[PlannedEpisode]:
    condition = Condition(max_attempts=repairs)
    made = [
        Task("s", f"{n:02}", "qiskit", "answer", "", "", UnitTestCheck(test="", function=None), "none")
        for n in range(tasks)
    ]
    return [PlannedEpisode("sim/x", task, "1", condition, sample) for sample in range(samples) for task in made]


def answered(episode: PlannedEpisode, letter: str, number: int, tokens: int = 100) -> Attempt:
    usage = {"prompt_tokens": tokens, "completion_tokens": 0}
    return attempt(
        letter,
        number,
        episode.id,
        suite="s",
        task_id=episode.task.id,
        sample=episode.sample,
        stoppable=episode.stoppable,
        completion=Completion("", usage),
    )


def rounds_of(episodes: list[PlannedEpisode], letters: dict[tuple[str, int], str], most: int = 50) -> list[list[str]]:
    """Return the decisions of each round, as `do task sample`. The letters give the results of the attempts by (task,
    sample).
    """
    rounds, done, by_id = Rounds(episodes), [], {e.id: e for e in episodes}
    assert rounds.started == rounds.over == 0
    assert rounds.pending()
    while (decisions := rounds.decide()) and len(done) < most:
        named = [(d.do, by_id[d.episode]) for d in decisions]
        done.append([f"{do} {episode.task.id} {episode.sample}" for do, episode in named])
        rounds.follow(decisions)
        for episode in rounds.work():
            number = episode.until or 0
            path = letters.get((episode.task.id, episode.sample), "e")
            rounds.take(answered(episode, path[min(number, len(path) - 1)], number))
        assert rounds.over <= rounds.started
    assert rounds.pending() == []
    assert rounds.over == rounds.started
    return done


def test_solved_task_ends_and_others_get_all_samples():
    episodes = mark_stoppable(planned(2, samples=3, repairs=0), 0.5, seed=0)
    done = rounds_of(episodes, {("00", 0): "p", ("01", 2): "p"})
    assert done == [["begin 00 0", "begin 01 0"], ["begin 01 1"], ["begin 01 2"]]


def test_controls_are_repaired_to_the_end():
    episodes = mark_stoppable(planned(10), 0.2, seed=0)
    controls = [e for e in episodes if not e.stoppable]
    assert len(controls) == 2
    assert all(e.sample == 0 for e in controls)
    done = [step for steps in rounds_of(episodes, {}) for step in steps]
    for episode in controls:
        assert done.count(f"repair {episode.task.id} 0") == 3
        assert f"stop {episode.task.id} 0" not in done


def test_arms_and_models_have_the_same_controls():
    one = planned(10)
    other = [PlannedEpisode("sim/y", e.task, "1", Condition(feedback="none"), e.sample) for e in one]
    lots = mark_stoppable([*one, *other], 0.3, seed=5)
    assert [e.stoppable for e in lots[: len(one)]] == [e.stoppable for e in lots[len(one) :]]
    assert [e.id for e in mark_stoppable(one, 0.3, seed=6)] == [e.id for e in one]


def test_useless_repairs_are_replaced_by_samples():
    episodes = mark_stoppable(planned(20, repairs=3), 0.1, seed=0)
    letters = {(f"{n:02}", 0): "p" for n in range(10)}
    done = rounds_of(episodes, letters)
    assert sum(step.startswith("repair") for step in done[1]) == 10  # without data on repairs, repairs are made
    assert sorted(step.split()[0] for step in done[2]) == ["begin"] * 10 + ["stop"] * 10


def test_useful_repairs_continue():
    episodes = mark_stoppable(planned(20, repairs=3), 0.1, seed=0)
    letters = {(f"{n:02}", 0): "ep" if n % 2 else "eep" for n in range(20)}
    done = rounds_of(episodes, letters)
    assert not [step for steps in done for step in steps if step.startswith("stop")]


def test_value_is_probability_per_cost():
    paths = [
        [answered(e, "e", 0), answered(e, "p", 1, tokens)] for e, tokens in zip(planned(8, 1), [400] * 8, strict=True)
    ]
    dear = RepairValueModel(paths)
    cheap = RepairValueModel([[path[0], answered(e, "p", 1)] for e, path in zip(planned(8, 1), paths, strict=True)])
    failed = paths[0][:1]
    assert dear.unit == "tokens"
    assert cheap.of_repair(failed) == pytest.approx(4 * dear.of_repair(failed))
    assert cheap.of_repair(failed) == pytest.approx(
        (8 + 2 * (8 + 2 * (8 + 2 * (8 + 2 * 0.5) / 10) / 10) / 10) / 10 / 100
    )


@pytest.mark.slow
@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), faults=st.floats(0, 0.5))
def test_decisions_do_not_depend_on_order_or_kills(seed, faults):
    """Attempts arrive in another order, some only in a later session. Each decision is the same, until an attempt is
    missing.
    """
    episodes = mark_stoppable(planned(6), 0.3, seed)
    letter = {(e.id, n): Random(f"{seed} {e.id} {n}").choice("pewn") for e in episodes for n in range(4)}
    whole, again, draw = Rounds(episodes), Rounds(episodes), Random(seed)
    made: list[list[Decision]] = []
    attempts: list[Attempt] = []
    while decisions := whole.decide():
        assert again.decide() == decisions
        made.append(decisions)
        for rounds in (whole, again):
            rounds.follow(decisions)
        work = list(whole.work())
        for episode in work:
            attempts.append(answered(episode, letter[episode.id, episode.until], episode.until))
            whole.take(attempts[-1])
        if draw.random() < faults:  # a kill: another session reads the records in the order of another file
            again = Rounds(episodes)
            for one in sorted(attempts, key=lambda a: (a.attempt, draw.random())):
                again.take(one)
            for earlier in made:
                again.follow(earlier)
        else:
            for one in sorted(attempts[-len(work) :], key=lambda _: draw.random()):
                again.take(one)
    assert list(whole.work()) == list(again.work()) == []


def repair_bench(monkeypatch, *words: str | Path) -> int:
    monkeypatch.setattr("sys.argv", ["repair-bench", *map(str, words)])
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


RUN = ["-c", "repair.stop=value", "--model", "sim/bernoulli?first=0.3&repair=0.3&decay=0.3", "--framework", "qiskit"]
RUN += ["--limit", "8", "--samples", "3", "--max-attempts", "3", "--temperature", "0.8"]


@pytest.mark.slow
def test_a_shard_cannot_stop_by_value(tmp_path, monkeypatch, capfd):
    assert repair_bench(monkeypatch, "run", *RUN, "--shard", "1/2", "--out", tmp_path / "r") == 2
    assert "works only in a run of all problems" in capfd.readouterr().err
    assert not (tmp_path / "r").exists()


@pytest.mark.slow
def test_resuming_a_finished_run_sends_no_request(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-tests")
    solution = (files("repair_bench.suites.aligned") / "tasks/01_grover_two_qubits/solution_qiskit.py").read_text()
    with ScriptedServer([answer(f"```python\n{solution}\n```")]) as server:
        run = ["run", "-c", "repair.stop=value", "--model", "openai/gpt-4.1", "--framework", "qiskit", "--limit", "1"]
        run += ["--samples", "3", "--temperature", "0.8", "--api-base", server.url]
        assert repair_bench(monkeypatch, *run, "--out", tmp_path / "run") == 0
        requests = len(server.asked)
        assert repair_bench(monkeypatch, "run", "--resume", tmp_path / "run", "--api-base", server.url) == 0
        assert len(server.asked) == requests == 2  # the preflight and the first sample


@pytest.mark.slow
def test_run_stopped_by_its_budget_resumes_to_the_same_end(tmp_path, monkeypatch, capfd):
    def lines(name: str, file: str) -> list[dict]:
        return [json.loads(line) for line in (tmp_path / name / file).read_text().splitlines()]

    def kept(name: str) -> dict[str, tuple]:
        return {a.id: (a.verdict, a.stoppable, a.messages, a.code) for a in load_run(tmp_path / name)[1]}

    assert repair_bench(monkeypatch, "run", *RUN, "--out", tmp_path / "whole") == 0
    expected = kept("whole")
    command = ["run", *RUN, "--out", tmp_path / "stopped", "--max-completion-tokens", "2000"]
    assert repair_bench(monkeypatch, *command[:-2]) == 0
    decided = lines("whole", "decisions.jsonl")
    rounds = len(decided)
    # a kill after any round loses one of its attempts
    for cut in (1, rounds - 1):
        text = (tmp_path / "stopped" / "decisions.jsonl").read_text().splitlines(keepends=True)
        (tmp_path / "stopped" / "decisions.jsonl").write_text("".join(text[:cut]))
        begun = {d["episode"] for made in decided[:cut] for d in made["decisions"]}
        until = {
            e: sum(d["episode"] == e and d["do"] != "stop" for m in decided[:cut] for d in m["decisions"])
            for e in begun
        }
        attempts = (tmp_path / "stopped" / "attempts.jsonl").read_text().splitlines(keepends=True)
        left = [line for line in attempts if json.loads(line)["attempt"] < until.get(json.loads(line)["episode"], 0)]
        (tmp_path / "stopped" / "attempts.jsonl").write_text("".join(left[:-1]))
        assert repair_bench(monkeypatch, "run", "--resume", tmp_path / "stopped") == 0
        assert kept("stopped") == expected
        assert lines("stopped", "decisions.jsonl") == decided
    out = capfd.readouterr().out
    assert "ADAPTIVE STOPPING: the figures cover a random sample of 2 episodes" in " ".join(out.split())
    assert repair_bench(monkeypatch, "report", tmp_path / "whole", "--full") == 0
    assert "Adaptive stopping" in capfd.readouterr().out
