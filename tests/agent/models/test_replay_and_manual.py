"""Answers from a stored run and answers from files, through the real loop."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from repair_bench.agent import models
from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.experiment.file import Experiment, Repair
from repair_bench.agent.models.base import Request
from repair_bench.agent.models.manual import ManualModel
from repair_bench.coroutines import run_to_end
from repair_bench.executors.program import Program
from repair_bench.suites.task import Suite
from repair_bench.testing.driving import drive
from repair_bench.testing.scripted_model import ScriptedModel
from repair_bench.traces.faults import ModelError, Unanswered, UsageError
from repair_bench.traces.record.records import Attempt, Completion, Outcome
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.store import RunStore

RAISES = "```python\nraise ValueError('as planned')\n```"


class Killing:
    """An executor whose programs are all killed; nothing is run."""

    async def run(self, program: Program) -> Outcome:
        return Outcome("killed")

    async def close(self) -> None: ...


@pytest.fixture
def episodes(suite: Suite) -> Callable[..., list[PlannedEpisode]]:
    def make(model: str, *feedback: str, samples: int = 1) -> list[PlannedEpisode]:
        return Experiment(
            models=(model,),
            frameworks=("qiskit",),
            limit=2,
            samples=samples,
            max_attempts=2,
            repair=Repair(feedback=feedback or ("default",)),
        ).episodes([suite])

    return make


def said(request: Request) -> str:
    """A different answer for each request."""
    return (
        f"{RAISES}\n{request.task.id} {request.sample} {request.attempt} {request.condition if request.attempt else ''}"
    )


@pytest.fixture
def stored(tmp_path: Path, episodes: Callable[..., list[PlannedEpisode]]) -> Iterator[Path]:
    """A run of two tasks, two samples and two arms that all fail."""
    directory = tmp_path / "stored"
    model = ScriptedModel(said)
    drive(directory, episodes(model.name, "default", "verdict", samples=2), [model], executor=Killing())
    manifest = directory / "run.json"
    manifest.write_text(json.dumps({"experiment": {}, "simulated": [model.name]}))
    return directory


def test_a_replayed_run_has_the_answers_of_the_stored_one(stored, tmp_path, episodes) -> None:
    model = models.create(f"replay/{stored}")
    result, attempts, _ = drive(
        tmp_path / "again", episodes(model.name, "default", "verdict", samples=2), [model], executor=Killing()
    )
    assert (result.pending, result.faults) == (0, 0)
    assert len(attempts) == 2 * 2 * 2 * 3
    for attempt in attempts:
        asked = Request([], None, None, 0, None, attempt.sample, attempt.attempt, condition=attempt.condition)
        task = type("Task", (), {"id": attempt.task_id})()
        assert attempt.completion.text == said(replace(asked, task=task))
        assert attempt.completion.cached
        assert attempt.completion.cost_usd is None
        assert attempt.completion.params["same_prompt"]
        assert attempt.completion.params["temperature"] == (0.8 if attempt.attempt else 0.0)
    ids = {a.completion.params["replayed"] for a in attempts}
    assert len(ids) == 2 * 2 * (1 + 2 * 2)


def test_usage_is_kept_and_cost_is_unknown(stored, suite) -> None:
    lines = (stored / "attempts.jsonl").read_text().splitlines()
    changed = [json.loads(line) for line in lines]
    for line in changed:
        line["completion"] |= {"usage": {"total_tokens": 7}, "cost_usd": 0.5}
    (stored / "attempts.jsonl").write_text("".join(json.dumps(line) + "\n" for line in changed))
    completion = run_to_end(models.create(f"replay/{stored}").complete(first_request(stored, suite)))
    assert (completion.usage, completion.cost_usd) == ({"total_tokens": 7}, None)


def first_request(stored: Path, suite: Suite, **changes: object) -> Request:
    """Return the request for the first line of the stored run."""
    line = Attempt.from_json(json.loads((stored / "attempts.jsonl").read_text().splitlines()[0]))
    task = next(t for t in suite.tasks if (t.id, t.framework) == (line.task_id, line.framework))
    return replace(Request(line.messages, 0.0, None, 1, task, 0, 0), **changes)


def test_missing_answer_is_a_fault_and_pending(stored, tmp_path, episodes) -> None:
    model = models.create(f"replay/{stored}")
    result, attempts, _ = drive(
        tmp_path / "again", episodes(model.name, samples=3), [model], executor=Killing()
    )  # fmt: skip
    assert (result.pending, result.faults) == (2, 2)
    faults = [a.fault for a in attempts if a.fault is not None]
    assert all("no stored answer" in f.message and "sample 2" in f.message and "pending" in f.message for f in faults)


def test_changed_messages_need_the_same_condition(stored, suite) -> None:
    model = models.create(f"replay/{stored}")
    asked = first_request(stored, suite, attempt=1, messages=[{"role": "user", "content": "other words"}])
    found = run_to_end(model.complete(replace(asked, condition="verdict")))
    assert found.text.endswith("1 verdict")
    assert not found.params["same_prompt"]
    with pytest.raises(ModelError, match="several answers from other conditions"):
        run_to_end(model.complete(replace(asked, condition="support")))


def test_replay_answers_no_questions_of_critics(stored, suite) -> None:
    model = models.create(f"replay/{stored}")
    with pytest.raises(UsageError, match="choose another model for the critic"):
        run_to_end(model.complete(first_request(stored, suite, role="critic")))


def test_replay_of_a_simulated_model_is_simulated(stored) -> None:
    assert models.create(f"replay/{stored}").simulated
    (stored / "run.json").write_text(json.dumps({"experiment": {}}))
    assert not models.create(f"replay/{stored}").simulated


def test_replay_of_several_models_needs_a_name(stored, suite) -> None:
    async def add() -> None:
        line = json.loads((stored / "attempts.jsonl").read_text().splitlines()[0])
        store = RunStore.resume(stored, Manifest.from_json({"experiment": {}}))
        other = replace(Attempt.from_json(line), model="sim/x?first=1", episode="e", completion=Completion("other"))
        await store.append_attempt(other)
        await store.close()

    run_to_end(add())
    with pytest.raises(UsageError, match=r"scripted/test, sim/x\?first=1\): set replay/.*\?model=NAME"):
        models.create(f"replay/{stored}")
    model = models.create(f"replay/{stored}?model=sim/x?first=1")
    assert run_to_end(model.complete(first_request(stored, suite))).text == "other"
    assert not model.simulated
    with pytest.raises(UsageError, match="no answers of gpt"):
        models.create(f"replay/{stored}?model=gpt")


@pytest.mark.parametrize(
    ("name", "says"), [("replay/nowhere", "is not a run"), ("replay", "RUN_DIR"), ("manual", "DIR")]
)
def test_name_without_a_directory_is_refused(name, says) -> None:
    with pytest.raises(UsageError, match=says):
        models.create(name)


def test_prompts_wait_for_their_answers_over_several_sessions(tmp_path, episodes) -> None:
    hand, run = tmp_path / "hand", tmp_path / "run"
    planned = episodes(f"manual/{hand}")
    for session in range(4):
        model = models.create(f"manual/{hand}")
        result, attempts, store = drive(run, planned, [model], executor=Killing(), resume=session > 0)
        assert len(attempts) == 2 * session
        assert result.faults == store.repeats == 0
        if session < 3:
            assert result.pending == model.waiting == 2
            assert str(hand) in model.closing_line()
            waiting = [folder for folder in hand.iterdir() if not (folder / "answer.md").exists()]
            assert len(waiting) == 2
            for folder in waiting:
                (folder / "answer.md").write_text(f"{RAISES}\nsession {session}")
    assert result.pending == 0
    assert model.closing_line() is None
    assert {a.attempt: a.completion.text.split()[-1] for a in attempts} == {0: "0", 1: "1", 2: "2"}
    assert all(a.fault is None and a.completion.cost_usd is None and a.completion.usage is None for a in attempts)
    stored = (run / "completions.jsonl").read_text()
    assert stored.count("session 2") == 2


def test_manual_prompt_is_written_as_text_and_as_json(tmp_path, suite) -> None:
    messages = [
        {"role": "system", "content": "You write."},
        {"role": "user", "content": "Write `f`."},
        {"role": "assistant", "content": "No."},
        {"role": "user", "content": "Write it."},
        {"role": "assistant", "content": "```python\n## Assistant\ndef f():"},
    ]
    request = Request(messages, 0.8, None, 1, suite.tasks[0], 2, 1, id="abc")
    with pytest.raises(Unanswered, match=r"prompt\.md has no answer yet"):
        run_to_end(ManualModel("manual/x", tmp_path).complete(request))
    assert json.loads((tmp_path / "abc" / "messages.json").read_text()) == messages
    text = (tmp_path / "abc" / "prompt.md").read_text()
    assert f"aligned/{suite.tasks[0].id}" in text
    assert "Temperature: 0.8" in text
    assert text.index("## System prompt\n\nYou write.") < text.index("## User\n\nWrite `f`.")
    assert "## User\n\nWrite `f`.\n\n## Assistant\n\nNo.\n\n## User\n\nWrite it.\n\n" in text
    assert text.endswith("## Beginning of the answer: continue from here\n\n```python\n## Assistant\ndef f():\n")


def test_empty_and_mismatched_answers_are_refused(tmp_path, suite) -> None:
    request = Request([{"role": "user", "content": "a"}], None, None, 1, suite.tasks[0], 0, 0, id="abc")
    model = ManualModel("manual/x", tmp_path)
    with pytest.raises(Unanswered):
        run_to_end(model.complete(request))
    (tmp_path / "abc" / "answer.md").write_text("\n")
    with pytest.raises(Unanswered):
        run_to_end(model.complete(request))
    (tmp_path / "abc" / "answer.md").write_text("the answer to a")
    assert run_to_end(model.complete(request)).text == "the answer to a"
    with pytest.raises(ModelError, match="a prompt from another run"):
        run_to_end(model.complete(replace(request, messages=[{"role": "user", "content": "b"}])))


def test_a_directory_that_cannot_be_used_stops_the_run(tmp_path, suite) -> None:
    (tmp_path / "file").write_text("")
    request = Request([], None, None, 1, suite.tasks[0], 0, 0, id="abc")
    with pytest.raises(UsageError, match="cannot be used"):
        run_to_end(ManualModel("manual/x", tmp_path / "file").complete(request))
