"""Information in feedback about hypotheses: partitions from numpy, and posteriors of episodes by brute force."""

from collections import Counter
from dataclasses import replace
from itertools import combinations, cycle, product
from random import Random
from typing import Any

import numpy as np
import pytest
from executed_references import outcomes
from judging import random_unitary, returned, unitary
from sampled import sampled

from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.models import create
from repair_bench.analysis.feedback_use.ideal_observer import Play, enumeration, members
from repair_bench.analysis.feedback_use.use import grouped, information
from repair_bench.analysis.rates.metrics import episodes
from repair_bench.executors.local import LocalExecutor
from repair_bench.grading.hypotheses.levels import hidden_at
from repair_bench.grading.hypotheses.observer import changed_suites, hidden, observed, partition, posterior, reach
from repair_bench.grading.judge import verdict_on
from repair_bench.prompts.condition import Condition
from repair_bench.prompts.feedback import POLICIES, PlaceboSource, make_feedback, needs_placebo_source
from repair_bench.prompts.feedback.default import with_section
from repair_bench.suites.checks import observation, order
from repair_bench.suites.conventions.circuit import Circuit, ry
from repair_bench.suites.conventions.edition import EXAMPLE, Level, every_family, level, problem
from repair_bench.suites.conventions.family import Dimension, Family
from repair_bench.suites.conventions.hypotheses import Problem
from repair_bench.suites.conventions.loader import frameworks_of, load, task_under
from repair_bench.suites.conventions.render import RENDERERS
from repair_bench.testing.driving import drive
from repair_bench.testing.made_up_runs import attempt, written
from repair_bench.traces.record.records import Completion, ExceptionInfo, Feedback, Outcome, Query
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_reader import load_rows

SUITE = "conventions"
SEED = EXAMPLE
TEXTS = [policy for policy in POLICIES if not needs_placebo_source(policy)]

ANGLES = (0.3, 1.1, 1.9, 2.7)
TOY = Family(
    name="toy",
    title="Two rotations",
    entry_point="toy",
    parameters="k: int",
    kind="state",
    size=1,
    category="state_preparation",
    concepts=(),
    dimensions=(Dimension("angle", "the angle", "which angle", {str(i): f"Angle {i}." for i in range(len(ANGLES))}),),
    statement="Turn a qubit.",
    cases=lambda *_: ((0,), (1,)),
    circuit=lambda choice, _, k: Circuit(1, (ry(ANGLES[int(choice["angle"])] * (-1) ** k, 0),)),
)
"""Return a task with four hypotheses that differ in both of two calls, so that answers can mix them."""


def toy(framework="cirq", truth=0):
    problem = Problem.from_seed(TOY, 0)
    return hidden_at(Level(problem, 2, 1, problem.hypotheses(1), truth), framework, suite=SUITE)


def of(truth, framework="cirq", bits=4, family="fourier"):
    """Return the hidden task of a level, with another true hypothesis than that of the seed."""
    drawn = level(family, SEED, bits, framework)
    return hidden_at(replace(drawn, truth=truth), framework, suite=SUITE)


def answer(task, g):
    return task.outcome(task.hypothesis(g)), task.program(task.hypothesis(g))


def tell(task, h, policy, outcome, code, told="", under=None):
    """Return the feedback if h were true, from a task for h only; None if the answer would pass."""
    under = under or task_under(task.level, task.level.hypotheses[h], task.framework, suite=SUITE)
    verdict = verdict_on(under, outcome)
    if verdict.kind == "pass":
        return None
    donor = (
        PlaceboSource("other", "1", task.framework, "f", verdict.kind, "", told)
        if needs_placebo_source(policy)
        else None
    )
    return make_feedback(policy, under, verdict, code=code, donor=donor).text


def episode(task, policy, answers, donor="It failed."):
    """Return the attempts of an episode with these answers, each (outcome, code), and the feedback of the policy."""
    made, feedback = [], None
    truth = task.tasks[task.level.truth]
    for number, (outcome, code) in enumerate(answers):
        verdict = verdict_on(truth, outcome)
        made.append(
            attempt(
                "w",
                number,
                suite=SUITE,
                task_id=task.level.task_id,
                framework=task.framework,
                code=code,
                outcome=outcome,
                verdict=verdict,
                feedback=feedback,
            )
        )
        if verdict.kind == "pass":
            break
        feedback = Feedback(policy, tell(task, task.level.truth, policy, outcome, code, donor))
    return made


def odd_answers(rng):
    raised = ExceptionInfo("ValueError", "no", f"Traceback (most recent call last):\nValueError: {rng.random()}")
    return [
        (Outcome("exception", exception=raised), "raise ValueError"),
        (Outcome("no_entry"), "x = 1"),
        (Outcome("cpu_timeout"), "while True: pass"),
        (Outcome("returned", {"cases": "?"}), "?"),
        (None, None),
        (returned(unitary(random_unitary(rng.randrange(99), 3))), "random"),
        (returned(unitary(np.eye(4))), "too small"),
    ]


def brute_force(task, policy, attempts, tasks=None):
    """Return the remaining hypotheses after each attempt, each tested separately. `tasks`: the task under each."""
    tasks = tasks or [None] * len(task.tasks)
    left, every = set(range(len(task.tasks))), []
    for number, one in enumerate(attempts):
        after = attempts[number + 1].feedback.text if number + 1 < len(attempts) else None
        if after is None and not one.passed:
            after = tell(task, task.level.truth, policy, one.outcome, one.code, under=tasks[task.level.truth])
        left = {h for h in left if tell(task, h, policy, one.outcome, one.code, after or "", tasks[h]) == after}
        every.append(left)
    return every


def executed(task, executor):
    """Return the task under each hypothesis, with right answers from the execution of its reference."""

    read = {"distribution": observation.distribution, "state": observation.state, "unitary": observation.unitary}
    turn: dict[str, Any] = {"distribution": order.keys, "state": order.state, "unitary": order.unitary}
    kind, made = task.level.problem.family.kind, []
    for under, outcome in zip(task.tasks, outcomes(task.tasks, executor), strict=True):
        seen = [read[kind](case) for case in observation.cases(outcome.value, task.calls)]
        right = [turn[kind](getattr(one, "probabilities", one), task.framework) for one in seen]
        cases = tuple(replace(case, expected=answer) for case, answer in zip(under.check.cases, right, strict=True))
        made.append(replace(under, check=replace(under.check, cases=cases)))
    return made


def differing(families, policies, models, executor, directory):
    """Return the number of recorded attempts, those whose posterior differs from that of execution, and their verdicts.

    The families alternate between frameworks, with one episode per framework, policy and model at 3 bits.
    """
    suite, planned, hiding = f"{SUITE}?bits=3", [], {}
    for family, framework in zip(families, cycle(RENDERERS)):
        task = hidden(suite, f"{family}-3", framework)
        hiding[family] = (task, executed(task, executor))
        for policy, model in product(policies, models):
            condition = Condition(name=policy, feedback=policy, max_attempts=5)
            planned.append(PlannedEpisode(model, task.tasks[task.level.truth], "1", condition, 0))
    ended, _, _ = drive(directory, planned, list(map(create, models)), executor=executor)
    assert ended.pending == ended.faults == 0, ended
    number, bad, kinds = 0, [], Counter()
    for one in episodes(load_rows(directory).rows):
        attempts = [attempt.with_texts() for attempt in one.attempts]
        first = attempts[0]
        task, tasks = hiding[first.task_id.removesuffix("-3")]
        seen = posterior(task, first.condition, attempts)
        found = [set(members(kept.kept)) for kept in seen]
        if found != brute_force(task, first.condition, attempts, tasks):
            bad.append((first.model, first.condition, first.task_id))
        number += len(attempts)
        kinds.update(attempt.verdict.kind for attempt in attempts)
        kinds["off the list"] += sum(kept.realises is None for kept in seen)
    return number, bad, kinds


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES)
def test_the_posterior_of_an_episode_is_what_brute_force_finds(policy):
    rng = Random(policy)
    for _ in range(4):
        task = of(rng.randrange(16), rng.choice(list(RENDERERS)))
        answers = [answer(task, rng.randrange(16)) for _ in range(4)] + rng.sample(odd_answers(rng), 2)
        rng.shuffle(answers)
        attempts = episode(task, policy, answers)
        seen = posterior(task, policy, attempts)
        assert [set(members(one.kept)) for one in seen] == brute_force(task, policy, attempts)
        assert all(one.kept >> task.level.truth & 1 for one in seen)
        for one, made in zip(seen, attempts, strict=True):
            passing = [h for h in range(16) if tell(task, h, policy, made.outcome, made.code) is None]
            assert [one.realises] == (passing or [None])
            assert not one.mixed


def test_a_passed_answer_leaves_only_the_truth():
    task = of(5)
    (seen,) = posterior(task, "default", episode(task, "default", [answer(task, 5)]))
    assert (seen.realises, seen.kept) == (5, 1 << 5)


def test_a_section_in_feedback_has_no_information():
    task = of(5)
    plain = episode(task, "default", [answer(task, g) for g in (0, 1, 2)])
    under = task.tasks[task.level.truth]
    consulting = [
        one if one.feedback is None
        else replace(one, feedback=Feedback("critic", with_section(under, one.feedback.text, "An analysis:", "Try 5.")))
        for one in plain
    ]  # fmt: skip
    assert [one.feedback.text for one in consulting[1:]] != [one.feedback.text for one in plain[1:]]
    assert posterior(task, "critic", consulting) == posterior(task, "default", plain)
    assert len(posterior(task, "critic", consulting)) == 3


def test_unexplained_feedback_ends_the_view_of_the_observer():
    task = of(5)
    attempts = episode(task, "default", [answer(task, g) for g in (0, 1, 2)])
    attempts[2] = replace(attempts[2], feedback=Feedback("default", "Words of another version."))
    assert len(posterior(task, "default", attempts)) == 1
    assert len(posterior(task, "default", [replace(one, verdict=None) for one in attempts])) == 0


def test_redaction_applies_under_every_hypothesis():
    task = of(5)
    leak = task.tasks[5].reference
    raised = ExceptionInfo("ValueError", leak, f"Traceback (most recent call last):\nValueError: {leak}")
    attempts = episode(task, "default", [(Outcome("exception", exception=raised), "x"), answer(task, 5)])
    assert "[redacted: text of the reference]" in attempts[1].feedback.text
    assert [seen.kept for seen in posterior(task, "default", attempts)] == [task.everything, 1 << 5]


@pytest.mark.slow
@pytest.mark.parametrize(("family", "policy"), zip(every_family(), cycle(["verdict", "shuffled", "none"])))
def test_policies_that_tell_no_more_than_failing_leave_enumeration(family, policy):
    task = of(0, family=family)
    assert reach(task, policy, 6).best == enumeration(len(task.tasks), 6)


@pytest.mark.slow
@pytest.mark.parametrize("family", every_family())
def test_one_repair_suffices_if_all_right_answers_differ(family):
    task = of(0, family=family)
    n = len(task.tasks)
    told = partition(task, "expected")
    apart = [len(set(row)) == n for row in told.texts]
    assert (Play(told, 2).curve[1] == 1) == any(apart)
    assert sum(Play(told, 6).curve) >= sum(reach(task, "verdict", 6).best)


@pytest.mark.slow
@pytest.mark.parametrize("policy", TEXTS)
def test_a_partition_is_made_of_feedback_texts(policy):
    task = of(3, "qiskit", bits=3)
    told = partition(task, policy)
    for g, row in enumerate(told.texts):
        texts = [tell(task, h, policy, *answer(task, g)) for h in range(len(task.tasks))]
        assert [number == 0 for number in row] == [text is None for text in texts]
        for a, b in product(range(len(row)), repeat=2):
            assert (row[a] == row[b]) == (texts[a] == texts[b])


def test_feedback_of_teleportation_separates_every_pair():
    """For each pair of hypotheses, the default feedback on some third attempt differs."""
    told = partition(of(0, family="teleportation"), "default").texts
    for a, b in combinations(range(len(told)), 2):
        assert any(row[a] != row[b] for g, row in enumerate(told) if g not in (a, b)), (a, b)


def test_an_attempt_that_mixes_hypotheses_is_seen():
    task = toy(truth=2)
    attempts = episode(task, "default", [(task.outcome((0, 2)), task.program((0, 2))), answer(task, 2)])
    first, second = posterior(task, "default", attempts)
    assert (first.realises, first.mixed, set(members(first.kept))) == (None, True, {2})
    assert (second.realises, second.mixed) == (2, False)


def test_a_task_of_another_suite_hides_nothing():
    assert hidden("aligned", "16", "qiskit") is None


def test_the_episodes_of_a_run(tmp_path):
    task = hidden(SUITE, "fourier-4", "cirq")
    truth = task.level.truth
    wrong = next(g for g in range(16) if g != truth)
    attempts = episode(task, "verdict", [answer(task, wrong), answer(task, wrong), answer(task, truth)])
    other = attempt("p", 0, "of another suite")
    manifest = Manifest({"experiment": {"max_attempts": 5, "conditions": {"default": {"feedback": "verdict"}}}})
    (one,) = observed(load_rows(written(tmp_path / "run", [*attempts, other], manifest)))
    assert (one.family, one.bits, one.explained) == ("fourier", 4, True)
    assert [seen.realises for seen in one.seen] == [wrong, wrong, truth]
    assert [seen.kept.bit_count() for seen in one.seen] == [15, 15, 1]
    # the repeated attempt loses one of the 15 hypotheses that were possible
    assert one.adjusted == pytest.approx([1 / 16, *((k + 1) / 16 - 1 / 15 for k in range(1, 6))])
    assert one.repeated(1)
    assert one.ignored(1)
    assert not one.repeated(2)
    assert not one.ignored(2)
    ((key, members_),) = grouped([one]).items()
    assert key == ("sim/one", SUITE, "default", 4)
    figures = information(members_, 5)
    assert [point.estimate for point in figures.fb] == [0, 0, 1, 1, 1, 1]
    assert figures.best == figures.enumeration == enumeration(16, 6)
    assert figures.use.estimate is None  # an empty answer has no hypothesis
    assert (figures.ignored.estimate, figures.repeated.estimate, figures.off_the_list.estimate) == (0.5, 0.5, 0)


def test_critic_adds_no_information_and_a_probe_is_compared(tmp_path):
    task = hidden(SUITE, "fourier-4", "cirq")
    level = task.level
    wrong = next(g for g in range(16) if g != level.truth)
    plain = episode(task, "default", [answer(task, wrong), answer(task, wrong), answer(task, level.truth)])
    opened = level.problem.family.dimensions[: level.opened]

    def probed(h):
        choice = level.hypotheses[h].choice
        text = "\n".join(f"{d.name}: {choice[d.name]}" for d in opened)
        return Query("sim/one", [], Completion(text))

    def told(one):
        return replace(one.feedback, policy="critic", text=f"{one.feedback.text}\nReverse it.")

    path = [plain[0], *(one.replaced(feedback=told(one)) for one in plain[1:])]
    path = [one.replaced(probe=probed(h)) for one, h in zip(path, (wrong, wrong, level.truth), strict=True)]
    partial = path[2].replaced(probe=Query("sim/one", [], Completion("I do not know.")))
    no_reply = path[2].replaced(probe=Query("sim/one", [], None))
    found = []
    for name, last in (("full", path[2]), ("partial", partial), ("none", no_reply)):
        manifest = Manifest({"experiment": {"max_attempts": 5, "conditions": {"default": {"feedback": "critic"}}}})
        (one,) = observed(load_rows(written(tmp_path / name, [*path[:2], last], manifest)))
        assert one.explained
        assert [seen.kept for seen in one.seen] == [seen.kept for seen in posterior(task, "default", plain)]
        found.append(one.understood)
    assert found == [(False, False, True), (False, False, False), (False, False, None)]


@pytest.mark.slow
def test_an_edition_that_is_another_now_is_left_out(tmp_path):
    task = hidden(SUITE, "fourier-2", "cirq")
    attempts = episode(task, "verdict", [answer(task, task.level.truth)])
    for pinned, known in ((load().content_hash, 1), ("0" * 64, 0)):
        contents = {SUITE: ["1", pinned], "aligned": ["1", "?"]}
        manifest = Manifest({"experiment": {"max_attempts": 5, "suite_contents": contents}})
        assert changed_suites(manifest) == ([] if known else [SUITE])
        assert len(observed(load_rows(written(tmp_path / pinned[:4], attempts, manifest)))) == known
    strange = Manifest({"experiment": {"suite_contents": {f"{SUITE}?families=nonesuch": ["1", "?"]}}})
    assert changed_suites(strange) == [f"{SUITE}?families=nonesuch"]


@pytest.mark.slow
@pytest.mark.parametrize("family", sampled(list(every_family()), 3))
def test_partitions_from_numpy_are_those_of_executed_references(family: str, executor: LocalExecutor) -> None:
    """An edition therefore needs no stored observations. That frameworks agree with NumPy is tested with the suite."""
    framework = Random(family).choice(frameworks_of(problem(family, 0)))
    computed, executed = of(0, framework, family=family), of(0, framework, family=family)
    for g, outcome in enumerate(outcomes(executed.tasks, executor)):
        made, code = answer(computed, g)
        for policy in TEXTS:
            assert executed.texts(policy, outcome, code) == computed.texts(policy, made, code), (policy, g)


@pytest.mark.slow
def test_the_posterior_of_a_run_equals_that_of_execution(executor: LocalExecutor, tmp_path) -> None:
    models = ["sim/stubborn?ignore=0.5", "sim/novice"]
    number, bad, kinds = differing(
        ["readout", "fourier", "walk", "adder"], ["default", "support"], models, executor, tmp_path
    )
    assert not bad
    assert number > 30
    assert kinds["exception"]
    assert kinds["off the list"] > kinds["exception"]
