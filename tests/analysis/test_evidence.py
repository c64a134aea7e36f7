"""Arms by kind of evidence: baselines, costs per solved episode, bits, and the split by decoding probes."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_information import episode, partitions

from repair_bench.analysis.comparing.evidence import bits, consults, evidence, kind_of, per_solved
from repair_bench.analysis.comparing.pairs import difference, pair
from repair_bench.analysis.feedback_use.ideal_observer import PASS, Partition, Play
from repair_bench.analysis.feedback_use.use import Observed, Reach, Seen, understanding
from repair_bench.analysis.rates.metrics import Episode, episodes
from repair_bench.analysis.rates.statistics import holm
from repair_bench.testing.made_up_runs import attempt, attempts_of, study
from repair_bench.traces.record.records import Completion, Feedback, Query
from repair_bench.traces.run.manifest import Manifest

ARMS = {
    "default": {"feedback": "default"},
    "verdict": {"feedback": "verdict"},
    "critic": {"feedback": "critic", "critic": ["other/model", ["task"], False]},
    "ask": {"feedback": "default", "ask": 2},
    "default+last": {"feedback": "default", "history": "last"},
}


def of_arms(arms, tasks=12):
    """Return the attempts of arms that share their first answers, and their manifest."""
    made, _ = study(tasks=tasks, frameworks=("qiskit",), repairs=3, policies=tuple(arms))
    manifest = Manifest.from_json({"experiment": {"max_attempts": 3, "conditions": arms}})
    return episodes(made), manifest


def watched(partition, attempts, choose, truth):
    one, seen = episode(partition, attempts, choose, truth)
    n = partition.hypotheses
    reach = Reach(n, (0.0,) * attempts, exact=True, consistent=None)
    return Observed(one, "fourier", 3, reach, seen, (0.0,) * attempts)


def test_evidence_is_named_by_policy_and_tools():
    critic = {"critic": ["self", ["task"], False]}
    named = [
        kind_of("default", {}, "m"),
        kind_of("critic", critic, "m"),
        kind_of("critic", {"critic": ["m"]}, "m"),
        kind_of("critic", {"critic": ["other"]}, "m"),
        kind_of("default", {"tools": 2}, "m"),
        kind_of("verdict", {"ask": 1, "tools": 2}, "m"),
    ]
    assert named == ["default", "self-critic", "self-critic", "critic", "try", "verdict + try + ask"]
    assert [consults(policy, {}) for policy in ("default", "none", "critic", "tool", "api")] == [
        False,
        False,
        True,
        True,
        True,
    ]
    assert consults("default", {"ask": 1})


def test_arms_are_compared_with_baselines_of_equal_settings():
    members, manifest = of_arms(ARMS)
    rows = {row.arm: row for row in evidence(members, manifest, 3)}
    compared = {arm: {policy: base for policy, (base, *_) in row.effects.items()} for arm, row in rows.items()}
    assert compared == {
        "default": {"verdict": "verdict"},
        "verdict": {},
        "critic": {"default": "default", "verdict": "verdict"},
        "ask": {"default": "default", "verdict": "verdict"},
        "default+last": {},
    }
    by_arm = {arm: [e for e in members if e.first.condition == arm] for arm in ARMS}
    _, effect, _ = rows["critic"].effects["verdict"]
    assert effect.by[-1] == difference(pair(by_arm["verdict"], by_arm["critic"]), 3)
    tests = [one for row in rows.values() for one in row.effects.values()]
    assert [p for *_, p in tests] == holm([effect.p_value for _, effect, _ in tests])
    assert list(rows["critic"].within) == [1, 3]


def test_one_kind_of_evidence_has_no_row():
    members, manifest = of_arms({name: ARMS[name] for name in ("default", "default+last")})
    assert evidence(members, manifest, 3) == []


def test_cost_per_solved_includes_critics_and_failures():
    critic = Feedback(
        "critic", "", critic=Query("m", [], Completion("", {"prompt_tokens": 30, "completion_tokens": 0}))
    )
    solved = attempts_of("p", "a", task_id="1")
    failed = [attempt("w", 0, "b", task_id="2"), attempt("w", 1, "b", task_id="2", feedback=critic)]
    members = episodes([*solved, *failed])
    assert per_solved(members, "tokens", 1) == 3 * 110 + 30
    assert per_solved(members, "usd", 1) is None  # the critic's price is unknown
    assert per_solved(members, "usd", 0) == 0.5
    assert per_solved(episodes(failed), "tokens", 1) is None


@given(partitions(), st.integers(2, 5))
def test_optimal_policy_uses_all_bits_it_received(partition, attempts):
    play = Play(partition, attempts)
    for truth in range(partition.hypotheses):
        one = watched(partition, attempts, lambda kept, _, left: play.next(kept, left), truth)
        for number in range(1, len(one.seen)):
            realised = one.seen[number].realises
            if realised is not None and one.seen[number - 1].kept >> realised & 1:
                assert one.used(number) == pytest.approx(one.received(number))


def test_guesses_use_no_bits_on_average():
    n = 4
    texts = tuple(tuple(PASS if g == t else 1 + t // 2 for t in range(n)) for g in range(n))
    used, received = [], []
    for first in range(n):
        for second in range(n):
            for truth in range(n):
                one = watched(Partition(texts), 2, lambda _, texts, __, both=(first, second): both[len(texts)], truth)
                used += [one.used(number) for number in range(1, len(one.seen))]
                received += [one.received(number) for number in range(1, len(one.seen))]
    assert math.fsum(used) == pytest.approx(0)
    assert min(received) >= 1


def test_bits_per_thousand_tokens_count_the_critic():
    critic = Feedback(
        "critic", "", critic=Query("m", [], Completion("", {"prompt_tokens": 80, "completion_tokens": 10}))
    )
    path = [attempt("w", 0), attempt("p", 1, feedback=critic)]
    seen = tuple(Seen(g, mixed=False, kept=kept, solved=0, cells=()) for g, kept in ((0, 0b1100), (2, 0b0100)))
    one = Observed(Episode(tuple(path)), "fourier", 2, Reach(4, (0.0,), True, None), seen, (0.0,))
    found = bits([one])
    assert (found.received.estimate, found.used.estimate) == (1, 1)
    assert found.per_thousand == pytest.approx(1000 / 200)
    assert bits([]) is None


def test_repairs_are_split_by_probe_and_verdict():
    def probed(letters, understood, sizes):
        seen = tuple(Seen(None, mixed=False, kept=(1 << size) - 1, solved=0, cells=()) for size in sizes)
        path = tuple(attempts_of(letters, letters, task_id=f"{letters}-2"))
        return Observed(Episode(path), "f", 2, Reach(4, (0.0,), True, None), seen, (0.0,), understood=understood)

    found = understanding(
        [
            probed("wwwp", (None, False, True, True), (4, 2, 1, 1)),
            probed("wp", (None, False), (1, 1)),
            probed("ww", (None, None), (4, 2)),
        ]
    )
    counts, decoding, application = found
    assert counts == {"applied": 1, "not_applied": 1, "not_understood": 1, "guessed": 1}
    assert decoding.estimate == application.estimate == 0.5
    assert understanding([probed("ww", (None, None), (4, 2))]) is None
