"""Simulated critics, readers and askers: with ideal help a model equals the ideal observer, and none beats it."""

import math
from dataclasses import replace
from functools import cache
from random import Random

import pytest
from benchmark import benchmark
from executed_references import outcomes

from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.models import Request, create
from repair_bench.analysis.feedback_use.ideal_observer import enumeration
from repair_bench.analysis.feedback_use.use import information
from repair_bench.grading.hypotheses.observer import answers, hidden, observed, play
from repair_bench.prompts import tools
from repair_bench.prompts.compose import compose
from repair_bench.prompts.condition import Condition
from repair_bench.prompts.extraction.extract import extract
from repair_bench.prompts.feedback import Failure, Sources, make_feedback, question
from repair_bench.suites.checks import Case
from repair_bench.suites.checks import questions as of_model
from repair_bench.suites.conventions.edition import every_family
from repair_bench.suites.conventions.loader import task_under
from repair_bench.testing.driving import drive
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Completion, Query
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_reader import load_rows

reader_curve = benchmark("expected_curves").reader_curve
SUITE, TOTAL, USUAL = "conventions", 5, Sources()
TASK = hidden(SUITE, "fourier-2", "qiskit")
N = len(TASK.tasks)


def solved_at(task, truth, solver, *, policy="default", critic=None, asks=0, seed=0, sources=USUAL):
    """The attempt that solves an episode, through real prompts and texts, and the solver's replies; nothing is run."""
    under, replies = task.tasks[truth], []
    solver, critic = create(solver).responder, critic and create(critic).responder
    messages = compose(replace(under, check=None, reference=None), Condition(feedback=policy, sources=sources))
    for number in range(TOTAL):
        request = Request(messages, 0, None, 100 * seed + number, under, 0, number, policy=policy)
        request = replace(request, attempts_left=TOTAL - number)
        for left in range(asks, -1, -1):
            text = solver.answer(replace(request, messages=messages, questions_left=left))
            calls = tools.calls_of(Completion(text), {"ask": asks}, native=False)
            replies.append(text)
            if not calls:
                break
            told = answers(task, calls[0].code.strip())[truth]
            shown = tools.answered(under, calls[0].code, told, left - 1)
            messages = [*messages, {"role": "assistant", "content": text}, {"role": "user", "content": shown}]
        code = extract(text, entry_point=under.entry_point, starter=under.starter).code
        tried = [(one.reference or "").rstrip() for one in task.tasks].index(code.partition("\n\n# simulated")[0])
        if tried == truth:
            return number, replies
        if number == TOTAL - 1:
            return None, replies
        verdict, asked = task.verdicts(task.outcome(task.hypothesis(tried)))[truth], None
        if critic is not None:
            sent = question(policy, under, Failure(verdict, code, sources=sources))
            role = replace(request, messages=sent, attempt=number + 1, attempts_left=TOTAL - number - 1, role="critic")
            asked = Query("critic", sent, Completion(critic.answer(role)))
        feedback = make_feedback(policy, under, verdict, code=code, critic=asked, sources=sources).text
        messages = [*messages, {"role": "assistant", "content": text}, {"role": "user", "content": feedback}]
    raise AssertionError


def curve(task, *options, **more):
    found = [solved_at(task, truth, *options, **more)[0] for truth in range(len(task.tasks))]
    return tuple(sum(at is not None and at <= k for at in found) / len(found) for k in range(TOTAL))


def split(posterior, row):
    cells = {}
    for t in posterior:
        cells.setdefault(row[t], set()).add(t)
    return [(text, frozenset(cell)) for text, cell in cells.items()]


def exhaustive(task, asks):
    """The maximum number of pairs (k, t) with t solved within k, over all strategies that ask or answer."""
    tries = [
        task.texts("default", task.outcome(task.hypothesis(h)), task.program(task.hypothesis(h)))
        for h in range(len(task.tasks))
    ]
    asked = [answers(task, text) for text in task.questions()]

    @cache
    def most(posterior, left, asks_left):
        if not left or not posterior:
            return 0
        found = 0
        for row in tries:
            parts = split(posterior, row)
            found = max(found, sum(left if text is None else most(part, left - 1, asks) for text, part in parts))
        for row in asked if asks_left else ():
            found = max(found, sum(most(part, left, asks_left - 1) for _, part in split(posterior, row)))
        return found

    return most(frozenset(range(len(task.tasks))), TOTAL, asks)


def equals_exhaustive_search(family, bits, asks):
    task = hidden(SUITE, f"{family}-{bits}", "cirq")
    found = curve(task, "sim/asker", asks=asks)
    assert round(sum(found) * len(task.tasks)) == exhaustive(task, asks)
    assert found == pytest.approx(play(task, "default", TOTAL, asks).curve)


@pytest.mark.parametrize("family", ["oracle", "teleportation"])
def test_asker_equals_exhaustive_search_at_2_bits(family):
    equals_exhaustive_search(family, 2, 1)


@pytest.mark.slow
@pytest.mark.parametrize("asks", [1, 2])
@pytest.mark.parametrize(("family", "bits"), zip(sorted(every_family())[:9], 3 * [2, 3, 4], strict=True))
def test_asker_equals_exhaustive_search(family, bits, asks):
    equals_exhaustive_search(family, bits, asks)


def test_asker_without_questions_is_the_observer():
    for truth in range(N):
        assert solved_at(TASK, truth, "sim/asker") == solved_at(TASK, truth, "sim/observer")


@pytest.mark.parametrize("sources", [Sources(), Sources(replaces=True)])
def test_reader_with_an_ideal_critic_is_the_observer(sources):
    asked = {"policy": "critic", "critic": "sim/critic?decode=1", "sources": sources}
    for truth in range(N):
        reader, replies = solved_at(TASK, truth, "sim/reader", **asked)
        assert (reader, replies) == solved_at(TASK, truth, "sim/observer")
    assert reader_curve(play(TASK, "critic", TOTAL), 1) == pytest.approx(play(TASK, "default", TOTAL).curve)


def test_observer_reads_feedback_before_an_analysis():
    for truth in range(N):
        at, _ = solved_at(TASK, truth, "sim/observer", policy="critic", critic="sim/critic?decode=0")
        assert at == solved_at(TASK, truth, "sim/observer")[0]


@pytest.mark.parametrize("decode", [0, 0.3, 0.7, 0.95])
def test_no_critic_beats_the_ideal_observer(decode):
    for name in ("fourier-2", "walk-2"):
        best = play(hidden(SUITE, name, "cirq"), "critic", TOTAL)
        assert all(a <= b + 1e-12 for a, b in zip(reader_curve(best, decode), best.curve, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("decode", [0.2, 0.6])
def test_reader_meets_the_expected_curve(decode):
    rng, draws, task = Random(str(decode)), 500, hidden(SUITE, "fourier-2", "qiskit")
    asked = {"policy": "critic", "critic": f"sim/critic?decode={decode}"}
    found = [solved_at(task, rng.randrange(len(task.tasks)), "sim/reader", seed=s, **asked)[0] for s in range(draws)]
    for k, point in enumerate(reader_curve(play(task, "critic", TOTAL), decode)):
        rate = sum(at is not None and at <= k for at in found) / draws
        assert abs(rate - point) <= 4 * math.sqrt(point * (1 - point) / draws) + 1e-9


def test_reader_without_an_analysis_tries_each_once():
    found = [solved_at(TASK, truth, "sim/reader", seed=s)[0] for truth in range(N) for s in range(10)]
    rate = sum(at is not None for at in found) / len(found)
    point = enumeration(N, TOTAL)[-1]
    assert abs(rate - point) <= 4 * math.sqrt(point * (1 - point) / len(found)) + 1e-9


def test_critic_is_refused_as_a_solver():
    with pytest.raises(UsageError, match=r"critic\.model"):
        solved_at(TASK, 0, "sim/critic?decode=1")


def test_critic_that_sees_no_program_names_any_hypothesis():
    sources = Sources(sees=("task", "feedback"))
    at, _ = solved_at(TASK, 1, "sim/reader", policy="critic", critic="sim/critic?decode=1", sources=sources)
    assert at is None or at >= 0


class Computed:
    """An executor that computes the outcomes of references with NumPy."""

    capacity = 4

    def __init__(self, task):
        self._task = task

    async def run(self, program):
        written = program.source.partition("\n\n# simulated model")[0].rstrip()
        tried = [(one.reference or "").rstrip() for one in self._task.tasks].index(written)
        seen = self._task.outcome(self._task.hypothesis(tried))
        every = [list(args) for args in self._task.level.problem.calls]
        calls = [every.index(list(args)) for args in program.call.cases]
        return replace(seen, value={"cases": [seen.value["cases"][call] for call in calls]})

    async def close(self): ...


@pytest.mark.parametrize("history", ["whole", "last"])
def test_recorded_questions_count_as_information(history, tmp_path):
    task = hidden(SUITE, "teleportation-3", "qiskit")
    condition = Condition(history=history, ask=1, max_attempts=TOTAL - 1)
    episodes = [PlannedEpisode("sim/asker", task.tasks[task.level.truth], "1", condition, 0)]
    _, attempts, _ = drive(tmp_path, episodes, [create("sim/asker")], executor=Computed(task))
    Manifest({"experiment": {"max_attempts": TOTAL - 1, "conditions": {"default": condition.settings()}}}).write(
        tmp_path
    )
    (one,) = found = observed(load_rows(tmp_path))
    assert attempts[0].questions == 1
    assert one.explained
    assert one.seen[0].asked
    assert one.seen[0].kept | one.seen[0].answers[0] == one.seen[0].answers[0] != task.everything
    figures = information(found, TOTAL - 1)
    assert figures.best == pytest.approx(play(task, "default", TOTAL, 1).curve)
    assert figures.adjusted == pytest.approx(figures.best)
    assert figures.ignored.estimate in (None, 0)


@pytest.mark.parametrize("text", ["not an input (", "1, 2, 3", "'a'", "1000001"])
def test_question_without_an_output_has_no_information(text):
    task = hidden(SUITE, "counter-2", "cirq")
    assert answers(task, text) == (None,) * len(task.tasks)
    assert len(set(answers(task, "5"))) > 1


def test_question_with_a_huge_number_is_refused():
    one = hidden(SUITE, "counter-2", "cirq").level
    task = task_under(one, one.hypotheses[0], "cirq", suite=SUITE)
    assert of_model.question(task, "1000001") == of_model.NO_OUTPUT
    assert not isinstance(of_model.question(task, "5"), str)


@pytest.mark.slow
def test_benchmark_recovers_planted_effects():
    """In small what `benchmarks/consulting.py` does with all families and 1,000 studies."""
    bench = benchmark("consulting")
    families = bench.tasks_of("conventions?bits=2&families=fourier,oracle,readout,syndrome,walk")
    for name in ("critic, decode 0.75", "questions, 1 per answer"):
        for row in bench.coverage(name, families, 40, 0)[:2]:
            assert abs(row["mean, pp"] - row["truth, pp"]) < 8
            assert row["coverage, %"] >= 80


@pytest.mark.slow
@pytest.mark.parametrize("framework", ["qiskit", "pennylane", "cirq"])
def test_executed_answers_equal_computed_ones(framework, executor):
    for family in every_family():
        task = hidden(SUITE, f"{family}-2", framework)
        for text in task.questions():
            case = Case(of_model.arguments(text), None)
            asked = [replace(one, check=replace(one.check, cases=(case,))) for one in task.tasks]
            seen = [
                of_model.answer(one, outcome) for one, outcome in zip(asked, outcomes(asked, executor), strict=True)
            ]
            assert tuple(map(tools.cases.show, seen)) == answers(task, text), (family, text)
