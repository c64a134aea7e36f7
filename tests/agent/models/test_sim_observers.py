"""Simulated models with a known use of feedback: their curves equal the computed ones."""

import math
from dataclasses import replace
from random import Random

import pytest
from benchmark import benchmark
from judging import MadeExecutor

from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.models import Request, create
from repair_bench.agent.models.sim import observers
from repair_bench.agent.models.sim.observers import RESPONDERS
from repair_bench.analysis.feedback_use.ideal_observer import Play, enumeration
from repair_bench.analysis.feedback_use.use import adjusted_curve, information
from repair_bench.analysis.rates.metrics import Episode
from repair_bench.grading.hypotheses.observer import hidden, observed, partition, play, posterior, reach
from repair_bench.prompts.compose import compose
from repair_bench.prompts.condition import Condition
from repair_bench.prompts.feedback import POLICIES, PlaceboSource, consults
from repair_bench.suites.conventions.loader import task_under
from repair_bench.testing.driving import drive
from repair_bench.traces.faults import UsageError
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_reader import load_rows

STUDIES = benchmark("observer")
expected_curve = benchmark("expected_curves").expected_curve
SUITE = "conventions"
TASK = hidden(SUITE, "fourier-4", "qiskit")
N = len(TASK.tasks)
OTHERS = [policy for policy in POLICIES if policy != "default" and not consults(policy)]
DONOR = PlaceboSource(
    SUITE, "other-1", "qiskit", "other", "wrong_answer", "wrong_answer UnitaryCheck", "It is another one's."
)
NOT_THE_SAME = ("run", "started_at", "finished_at", "outcome")


def rounded(value):
    """Return a record without the last digits of its numbers."""
    match value:
        case float():
            return round(value, 7) + 0.0
        case dict():
            return {key: rounded(inner) for key, inner in value.items()}
        case list():
            return [rounded(inner) for inner in value]
    return value


def by_numpy(*tasks):
    """Return the observations of an executor for the programs of hypotheses."""

    async def run(program):
        (outcome,) = [
            task.outcome(task.hypothesis(g))
            for task in tasks
            for g, under in enumerate(task.tasks)
            if program.source.partition("\n\n# simulated model")[0] == (under.reference or "").rstrip()
        ]
        return outcome

    return run


def attempts_of(directory, model, truths, condition, samples=1, seed=0):
    """Return the attempts of an episode for each true hypothesis and sample, through the real loop."""
    made = []
    for truth in truths:
        task = task_under(TASK.level, TASK.level.hypotheses[truth], "qiskit", suite=SUITE)
        episodes = [PlannedEpisode(model, task, "1", condition, sample) for sample in range(samples)]
        executor, folder = MadeExecutor(by_numpy(TASK)), directory / f"{truth}"
        _, attempts, _ = drive(folder, episodes, [create(model)], executor=executor, placebo_sources=[DONOR], seed=seed)
        found = {}
        for attempt in attempts:
            found.setdefault(attempt.sample, []).append(attempt)
        made += [sorted(path, key=lambda a: a.attempt) for path in found.values()]
    return made


def solved(paths, attempts):
    """Return the number solved within 0, 1, ... repairs."""
    return tuple(sum(any(a.passed for a in path[: k + 1]) for path in paths) for k in range(attempts))


def tried(path):
    return [observers._last([{"role": "user", "content": a.completion.text}]).tried[0] for a in path]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policy", "history"),
    [
        ("default", "whole"),
        *(pytest.param(policy, "whole", marks=pytest.mark.slow) for policy in OTHERS),
        *(pytest.param(policy, "last", marks=pytest.mark.slow) for policy in ("default", "function", "shuffled")),
    ],
)
def test_observer_follows_the_optimal_policy(policy, history, tmp_path):
    condition = Condition(feedback=policy, history=history, max_attempts=4)
    play = Play(partition(TASK, policy), 5)
    paths = attempts_of(tmp_path, "sim/observer", range(N), condition)
    assert play.exact
    assert solved(paths, 5) == play.solved


@pytest.mark.slow
@pytest.mark.parametrize("prefilled", [False, True])
def test_observer_reads_feedback_before_a_prefill(prefilled, tmp_path):
    condition = Condition(feedback="default", assistant_prefill=prefilled, max_attempts=4)
    paths = attempts_of(tmp_path, "sim/observer", range(N), condition)
    assert solved(paths, 5) == Play(partition(TASK, "default"), 5).solved


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["default", "none"])
def test_enumerator_tries_each_once_in_random_order(policy, tmp_path):
    condition = Condition(feedback=policy, max_attempts=N - 1)
    paths = attempts_of(tmp_path, "sim/enumerator", [3], condition, samples=30)
    orders = [tried(path) for path in paths]
    assert all(order[-1] == 3 and len(set(order)) == len(order) for order in orders)
    assert len({tuple(order) for order in orders}) > 25
    mean = math.fsum(map(len, orders)) / len(orders)
    assert abs(mean - (N + 1) / 2) < 4 * N / math.sqrt(12 * 30)


@pytest.mark.slow
def test_forgetful_model_draws_independently(tmp_path):
    paths = attempts_of(tmp_path, "sim/forgetful", [3], Condition(max_attempts=9), samples=60)
    rate = solved(paths, 10)[-1] / 60
    expected = 1 - (1 - 1 / N) ** 10
    assert abs(rate - expected) < 4 * math.sqrt(expected * (1 - expected) / 60)
    assert any(len(set(order)) < len(order) for order in map(tried, paths))


@pytest.mark.slow
@pytest.mark.parametrize("ignore", [0.3, 1])
def test_stubborn_model_meets_the_expected_curve(ignore):
    expected = expected_curve(Play(partition(TASK, "default"), STUDIES.ATTEMPTS), ignore)
    rng, model = Random(str(ignore)), create(f"sim/stubborn?ignore={ignore}").responder
    found = [STUDIES.found_at(model, TASK, rng.randrange(N), seed) for seed in range(600)]
    for k, point in enumerate(expected):
        rate = sum(at is not None and at <= k for at in found) / len(found)
        assert abs(rate - point) <= 4 * math.sqrt(point * (1 - point) / len(found))
    assert sum(enumeration(N, 5)) < sum(expected_curve(Play(partition(TASK, "default"), 5), 0.3))


def test_stubborn_model_with_ignore_0_is_the_observer():
    for truth in range(N):
        models = [create(name).responder for name in ("sim/observer", "sim/stubborn?ignore=0")]
        assert STUDIES.found_at(models[0], TASK, truth, 1) == STUDIES.found_at(models[1], TASK, truth, 1)


@pytest.mark.slow
@pytest.mark.parametrize("model", [*(f"sim/{name}" for name in RESPONDERS), "sim/stubborn?ignore=0.5"])
def test_no_answer_depends_on_the_true_hypothesis(model, monkeypatch):
    """With another true hypothesis and without a check, the same conversation gets the same answer."""
    answer = create(model).responder.answer
    said = []
    for truth in (0, 5, 11):
        other = replace(TASK, level=replace(TASK.level, truth=truth))
        monkeypatch.setattr(observers, "hidden", lambda *_, other=other: other)
        task = task_under(TASK.level, TASK.level.hypotheses[truth], "qiskit", suite=SUITE)
        first = Request(compose(task, Condition()), 0, None, 7, task, 0, 0, attempts_left=3)
        told = TASK.texts("default", TASK.outcome(TASK.hypothesis(0)), "")[9]
        before = observers._program(TASK, TASK.hypothesis(0), TASK.everything)
        messages = [*first.messages, {"role": "assistant", "content": before}, {"role": "user", "content": told}]
        second = replace(first, messages=messages, attempt=1, attempts_left=2)
        blank = replace(second, task=replace(task, check=None, reference=None))
        said += [(answer(first), answer(second)), (answer(first), answer(blank))]
    assert len(set(said)) == 1
    assert said[0][0] != said[0][1]


def test_single_hypothesis_is_answered():
    task = hidden(SUITE, "fourier-0", "cirq").tasks[0]
    for name in RESPONDERS:
        request = Request(compose(task, Condition()), 0, None, 0, task, 0, 0)
        assert task.reference.rstrip() in create(f"sim/{name}").responder.answer(request)


def test_observer_refuses_other_suites_by_name(task):
    with pytest.raises(UsageError, match="'aligned'"):
        create("sim/observer").responder.answer(Request(compose(task, Condition()), 0, None, 0, task, 0, 0))


@pytest.mark.parametrize(
    "name", ["sim/observer?ignore=0.1", "sim/stubborn", "sim/stubborn?ignore=2", "sim/stubborn?a=1"]
)
def test_bad_options_are_refused(name):
    with pytest.raises(UsageError, match=name.partition("?")[0]):
        create(name)


def test_recorded_observer_uses_all_feedback(tmp_path):
    condition = Condition(max_attempts=4)
    task = TASK.tasks[TASK.level.truth]
    episodes = [PlannedEpisode("sim/observer", task, "1", condition, 0)]
    drive(tmp_path, episodes, [create("sim/observer")], executor=MadeExecutor(by_numpy(TASK)))
    Manifest({"experiment": {"max_attempts": 4, "conditions": {"default": condition.settings()}}}).write(tmp_path)
    figures = information(observed(load_rows(tmp_path)), 4)
    assert figures.adjusted == pytest.approx(figures.best)
    assert figures.use.estimate == pytest.approx(1)
    assert (figures.ignored.estimate, figures.off_the_list.estimate, figures.unexplained) == (0, 0, 0)


def mixtures(task):
    """Return the observations of an executor for the programs of simulated models, also if they mix hypotheses."""

    async def run(program):
        tried = observers._last([{"role": "user", "content": program.source}]).tried
        return task.outcome(task.hypothesis(tried[0]) if len(tried) == 1 else tried)

    return run


@pytest.mark.slow
def test_calls_that_are_counted_give_the_ends_of_the_scale(tmp_path):
    """Optimal play uses all feedback for each true hypothesis; consistent play has, on average, the blind curve."""
    suite, repairs, names = "conventions?stages=2", 3, ("sim/observer", *["sim/consistent"] * 5)
    task = hidden(suite, "weighted_draw-4", "cirq")
    condition = Condition(name="count", feedback="count", max_attempts=repairs)
    reached, best = reach(task, "count", repairs + 1), play(task, "count", repairs + 1)
    uses = {name: [] for name in names}
    for truth in range(0, N, 2):
        under = task_under(task.level, task.level.hypotheses[truth], "cirq", suite=suite)
        planned = [PlannedEpisode(name, under, "1", condition, sample) for sample, name in enumerate(names)]
        executor = MadeExecutor(mixtures(task))
        _, attempts, _ = drive(tmp_path / f"{truth}", planned, list(map(create, uses)), executor=executor)
        other = replace(task, level=replace(task.level, truth=truth))
        for sample, name in enumerate(names):
            path = sorted((a for a in attempts if a.sample == sample), key=lambda a: a.attempt)
            seen = posterior(other, "count", [a.with_texts() for a in path])
            area = math.fsum(adjusted_curve(best, Episode(tuple(path)), seen))
            uses[name].append((area - math.fsum(reached.consistent)) / reached.gain)
    assert uses["sim/observer"] == pytest.approx([1] * 8)
    assert math.fsum(uses["sim/consistent"]) / 40 == pytest.approx(0, abs=0.05)


@pytest.mark.slow
def test_computed_outcomes_give_the_records_of_executed_ones(executor, tmp_path):
    """Times and the last digits of returned values may differ."""
    suite = "conventions?bits=2"
    tasks = [
        hidden(suite, *names) for names in (("fourier-2", "cirq"), ("readout-2", "qiskit"), ("walk-2", "pennylane"))
    ]
    names = ("sim/observer", "sim/enumerator")
    planned = [
        PlannedEpisode(name, task.tasks[task.level.truth], "1", Condition(max_attempts=5), 0)
        for name in names
        for task in tasks
    ]
    records = []
    for folder, runs in (("executed", executor), ("played", MadeExecutor(by_numpy(*tasks)))):
        _, attempts, _ = drive(tmp_path / folder, planned, [create(name) for name in names], executor=runs)
        made = sorted((attempt.to_json() for attempt in attempts), key=lambda a: (a["episode"], a["attempt"]))
        records.append([rounded({key: one for key, one in a.items() if key not in NOT_THE_SAME}) for a in made])
        found = {(a.model, a.task_id): a.attempt for a in attempts if a.passed}
        for task in tasks:
            at = STUDIES.found_at(create(names[0]).responder, task, task.level.truth, 0)
            assert found[names[0], task.level.task_id] == at
    assert records[0] == records[1]
    assert len(records[0]) > len(planned)


def test_edition_is_solved_as_computed():
    """A small version of `benchmarks/observer.py`, which uses 20 editions and 2,000 studies."""
    tasks = STUDIES.hiding("conventions?bits=2&families=fourier,oracle,walk&seed=3", "qiskit")
    observer = STUDIES.MODELS["sim/observer"]
    assert not STUDIES.differing(tasks)
    assert abs(STUDIES.enumerator_off(tasks)) < STUDIES.STANDARD_ERRORS
    assert STUDIES.as_a_run(observer, tasks, 0) == pytest.approx(1)
    for task in tasks[:3]:
        for truth in range(len(task.tasks)):
            tried = STUDIES.tries(observer, task, truth, 0)
            assert len(tried) - 1 == STUDIES.found_at(observer, task, truth, 0)


@pytest.mark.slow
def test_use_of_feedback_is_unbiased_and_its_interval_covers():
    tasks = STUDIES.hiding("conventions?bits=2,3&seed=3", "cirq")
    for name in ("sim/enumerator", "sim/stubborn?ignore=0.3"):
        made = STUDIES.table(STUDIES.MODELS[name], tasks, 0)
        mean = sum(gained.mean() for gained in made.gained) / sum(made.gain)
        assert mean == pytest.approx(STUDIES.computed_use(name, tasks), abs=0.15)
        held = list(STUDIES.studies(tasks, [(made, 1.0)], None, 100, shared=False, seed=0))
        assert sum(study.use for study in held) >= 90
        assert sum(study.difference for study in held) >= 90
        assert sum(study.p < 0.05 for study in held) <= 12
