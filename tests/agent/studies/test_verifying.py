"""Every kind of tampering is detected, honest records are confirmed, and other results are not verifiable."""

import contextlib
import copy
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from server.scripted import ScriptedServer, answer
from tampered_records import IN_RUN_ONLY, KINDS, Record, tampered

from repair_bench import api
from repair_bench.agent.experiment import settings
from repair_bench.agent.experiment.file import Experiment, Tools
from repair_bench.agent.models.network.providers import ProviderSettings
from repair_bench.agent.studies import verifying
from repair_bench.agent.studies.regrading import regrade
from repair_bench.agent.studies.verifying import Source, VerificationReport
from repair_bench.agent.studies.verifying.episodes import check_episode
from repair_bench.agent.studies.verifying.saved import Saved, _unfinished, wrong_costs
from repair_bench.agent.studies.verifying.settings import check_simulated
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.options import ExecutorOptions
from repair_bench.log import RUN_LOG
from repair_bench.suites.task import Suite
from repair_bench.testing.driving import drive
from repair_bench.testing.made_up_runs import attempt
from repair_bench.testing.scripted_model import ScriptedModel
from repair_bench.traces.faults import DamagedRecordError, UsageError
from repair_bench.traces.record.records import Attempt, Completion, Feedback, Query
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_reader import load_rows

DRAWS = int(os.environ.get("REPAIR_BENCH_DRAWS", "1"))
EXPERIMENT = {
    "models": ["sim/journeyman"],
    "suites": ["aligned"],
    "frameworks": ["qiskit"],
    "max_attempts": 2,
    "samples": 2,
    "limit": 5,
    "repair": {"feedback": ["default", "shuffled"]},
    "temperature": {"first": 0.7},
}


def source(folder: Path, *, published: bool = False) -> Source:
    """Return a run directory to verify, or one without `completions.jsonl`, as on a site."""
    manifest = Manifest.read(folder)

    def of_site() -> Iterator[tuple[Attempt, bool]]:
        lines = [Attempt.from_json(json.loads(line)) for line in (folder / "attempts.jsonl").read_text().splitlines()]
        return ((attempt, True) for attempt in sorted(lines, key=lambda attempt: (attempt.episode, attempt.attempt)))

    if published:
        return Source(folder.name, manifest, of_site, folder, published)
    run = load_rows(folder)
    return Source(folder.name, manifest, lambda: ((row.with_texts(), True) for row in run.rows), folder)


def verified(sources: list[Source], sample: int | None = 0) -> list[VerificationReport]:
    return verifying.verify(sources, sample=sample, seed=0, data=None, executor=ExecutorOptions(2))


def is_caught(found: VerificationReport) -> bool:
    """Whether it is rejected without executing answers again."""
    return bool(found.contradictions or found.unverifiable or found.pending or found.versions)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return api.run(EXPERIMENT, out=tmp_path_factory.mktemp("runs") / "honest", workers=2).directory


@pytest.fixture(scope="module")
def uncaught(run: Path, tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Return the undetected draws of all kinds, in a run directory and on a site."""
    record, folder = Record.read(run), tmp_path_factory.mktemp("tampered")
    sources = []
    for kind in KINDS:
        for number, made in enumerate(tampered(record, kind, DRAWS)):
            if kind not in IN_RUN_ONLY:
                sources.append(source(made.write(folder / f"{kind} {number} in a site"), published=True))
            with contextlib.suppress(DamagedRecordError):  # no reader accepts it
                sources.append(source(made.write(folder / f"{kind} {number}")))
    left = [one for one, found in zip(sources, verified(sources), strict=True) if not is_caught(found)]
    return {one.name for one, found in zip(left, verified(left, None), strict=True) if found.result == "consistent"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_tampering_is_detected(kind: str, uncaught: set[str]) -> None:
    assert not {name for name in uncaught if name.partition(" ")[0] == kind}


@pytest.mark.slow
def test_honest_run_is_confirmed(run: Path) -> None:
    (found,) = verified([source(run)], None)
    assert (found.result, found.contradictions, found.unverifiable) == ("consistent", [], {})
    assert found.agree == found.executed == found.answers > 10
    assert found.planned == 20


@pytest.mark.slow
def test_run_with_a_provider_is_confirmed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-verified-run")
    with ScriptedServer([answer("I do not know.")]) as server:
        options = {"models": ["openai/gpt-4.1"], "frameworks": ["qiskit"], "limit": 2, "api_base": server.url}
        api.run(Experiment(**options, max_attempts=1), out=tmp_path / "r")
        assert len(server.asked) == 1 + 4, "the first is the preflight"
    (found,) = verified([source(tmp_path / "r")], None)
    assert found.result == "consistent", found


@pytest.mark.slow
def test_run_is_not_contradicted_because_its_suite_is_missing(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def missing(*_: object, **__: object) -> Suite:
        raise UsageError("the official files are missing")

    monkeypatch.setattr("repair_bench.agent.studies.verifying.settings.load_suite", missing)
    (found,) = verified([source(run)])
    assert found.contradictions == []
    assert "the official files are missing" in str(found.unverifiable)


@pytest.mark.slow
def test_regrade_is_confirmed_unless_marked_off_policy(run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "regraded"
    regrade(run, folder, rule=None, data=None, executor=ExecutorOptions(2))
    record = Record.read(run)
    record.manifest = json.loads((folder / "run.json").read_text())
    record.lines = [json.loads(line) for line in (folder / "attempts.jsonl").read_text().splitlines()]
    (honest,) = verified([source(folder)], None)
    assert honest.result == "consistent"
    next(line for line in record.lines if line["attempt"] == 2)["off_policy"] = True
    (found,) = verified([source(record.write(tmp_path / "marked"))])
    assert list(found.unverifiable) == [
        "the attempt is marked off-policy, but its feedback matches the verdict on the previous attempt"
    ]


@pytest.mark.slow
def test_decisions_of_adaptive_stopping_are_recomputed(tmp_path: Path) -> None:
    by_value = {"repair": {"stop": "value"}, "samples": 3, "limit": 8, "models": ["sim/novice"]}
    folder = api.run({**EXPERIMENT, **by_value}, out=tmp_path / "run", workers=2).directory
    (honest,) = verified([source(folder)], None)
    assert honest.result == "consistent"
    lines = (folder / "decisions.jsonl").read_text().splitlines(keepends=True)
    assert len(lines) > 2
    (folder / "decisions.jsonl").write_text("".join(lines[:-1]))
    (found,) = verified([source(folder)])
    made = {one.attempt for one in found.contradictions if one.text.startswith("the attempt was made, but no decision")}
    attempts = [json.loads(line) for line in (folder / "attempts.jsonl").read_text().splitlines()]
    last = {attempt["episode"]: attempt["id"] for attempt in attempts}
    assert made
    assert made <= set(last.values())


@pytest.mark.slow
def test_partial_run_states_its_pending_episodes(run: Path, tmp_path: Path) -> None:
    record = Record.read(run)
    gone = sorted(record.paths())[:3]
    record.lines = [line for line in record.lines if line["episode"] not in gone]
    record.events = [{"event": "completion", "key": e["key"], "data": e["data"]} for e in record.events if "data" in e]
    (found,) = verified([source(record.write(tmp_path / "part"), published=True)])
    assert (found.result, found.pending, found.planned) == ("not verifiable", 3, 20)


def test_every_reply_and_tool_run_of_a_turn_is_checked(suite: Suite, executor: LocalExecutor, tmp_path: Path) -> None:
    said = ["```try\nprint(6 * 7)\n```", "```try\n1 / 0\n```", "```python\nraise ValueError('as planned')\n```"]
    model = ScriptedModel(lambda request: said[request.step])
    (episode,) = Experiment(
        models=(model.name,), frameworks=("qiskit",), limit=1, max_attempts=0, tools=Tools(python=(2,))
    ).episodes([suite])
    _, (attempt,), _ = drive(tmp_path / "run", [episode], [model], executor=executor)

    def wrong(attempt: Attempt) -> list[str]:
        found = VerificationReport("run")
        check_episode([attempt], episode, None, (), 0, found, regraded=False)
        return (
            [one.text for one in found.contradictions]
            + list(found.unverifiable)
            + list(Saved(tmp_path / "run").contradict(attempt, episode, 0))
        )

    def changed(number: int, **fields: Any) -> Attempt:
        steps = copy.deepcopy(attempt.steps)
        for name, value in fields.items():
            (steps[number]["runs"][0] if name == "shown" else steps[number]["completion"])[name] = value
        return attempt.replaced(steps=steps)

    assert wrong(attempt) == []
    results = [step["runs"][0]["shown"] for step in attempt.steps]
    assert "42" in results[0]
    assert "ZeroDivisionError" in results[1]
    for number in (0, 1):
        (text, *_) = wrong(changed(number, shown=results[1 - number]))
        assert text == "the result that the model received is not the result of the tool call"
        assert wrong(changed(number, usage={"prompt_tokens": 5})) == [
            "an earlier reply in the conversation differs from the saved reply"
        ]
    (text,) = wrong(attempt.replaced(executions=1))
    assert text == "the messages do not match the stated 1 programs and 0 questions"


def test_only_the_last_session_states_pending_episodes(tmp_path: Path) -> None:
    def pending(*events: dict[str, Any]) -> int | None:
        (tmp_path / RUN_LOG).write_text("".join(json.dumps(event) + "\n" for event in events) + "torn")
        return _unfinished(tmp_path)

    opened, closed, fault = {"event": "opened"}, {"event": "closed", "owed": 2}, {"event": "fault", "owed": 7}
    assert pending(opened, closed) == pending(opened, closed, fault) == 2
    assert pending(opened, closed, {"event": "resumed"}) is None


def test_prices_of_a_critic_and_a_probe_are_those_of_their_models() -> None:
    providers = {
        "a": ProviderSettings(input_price=1.0, output_price=1.0),
        "b": ProviderSettings(input_price=10.0, output_price=10.0),
    }

    def query(model: str, usd: float) -> Query:
        return Query(model, [], Completion("", {"prompt_tokens": 900_000, "completion_tokens": 100_000}, usd))

    def wrong(critic: float, probe: float) -> list[str]:
        feedback = Feedback("critic", "", critic=query("b/critic", critic))
        made = attempt("w", 1, model="a/solver", completion=None, feedback=feedback, probe=query("a/solver", probe))
        return [text.partition(" is ")[0] for text in wrong_costs(made, providers)]

    assert wrong(10.0, 1.0) == []
    assert wrong(1.0, 10.0) == [f"the recorded cost of the {whose}" for whose in ("critic", "probe")]


def test_detection_is_the_probability_of_sampling_a_false_outcome() -> None:
    found = VerificationReport("run", answers=10, executed=4)
    assert found.detection(1) == pytest.approx(0.4)
    assert found.detection(2) == pytest.approx(1 - (6 * 5) / (10 * 9))
    assert found.detection(7) == 1.0


@pytest.mark.parametrize(("critic", "simulated"), [("sim/expert", []), ("manual/hints", ["manual/hints"])])
def test_critic_is_declared_as_simulated_or_not(critic: str, simulated: list[str]) -> None:
    experiment = settings.experiment(
        {"models": "acme/one", "repair": {"feedback": "critic"}, "critic": {"model": critic}}
    )
    wrong, right = VerificationReport("wrong"), VerificationReport("right")
    check_simulated(Manifest({"simulated": simulated}), experiment, wrong)
    check_simulated(Manifest({"simulated": [critic] if not simulated else []}), experiment, right)
    assert [critic in str(found) for found in wrong.contradictions] == [True]
    assert right.contradictions == []
