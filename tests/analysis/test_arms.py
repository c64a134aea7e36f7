from repair_bench.analysis.comparing import arms
from repair_bench.analysis.rates.metrics import episodes
from repair_bench.testing.made_up_runs import study


def test_arms_of_one_prompt_share_their_first_answers():
    attempts, manifest = study(frameworks=("cirq",), tasks=4, policies=("default", "none"), starters=(True, False))
    paths = episodes(attempts)
    assert arms.prompts(paths) == {
        "default": ["default", "none"],
        "default, no starter": ["default, no starter", "none, no starter"],
    }
    assert arms.policies(paths, manifest)["none, no starter"] == "none"


def test_first_answers_come_from_the_arm_with_all_of_them():
    attempts, _ = study(frameworks=("cirq",), tasks=6, policies=("default", "critic"))
    whole = episodes(attempts)
    forked = [e for e in whole if e.first.condition == "default" or e.solved_at != 0]  # a fork repairs only failures
    assert 0 < len([e for e in forked if e.first.condition == "critic"]) < 6
    found = arms.firsts(forked)
    assert {e.first.condition for e in found} == {"default"}
    assert len(found) == 6


def test_a_control_differs_only_in_its_policy():
    stated = {
        f"{policy}, {history}": {"feedback": policy, "history": history, "starter": True}
        for policy in ("default", "verdict")
        for history in ("whole", "last")
    }
    stated["none"] = {"feedback": "none", "history": "whole", "starter": True}
    policies = {name: settings["feedback"] for name, settings in stated.items()}

    def control(policy):
        return arms.control("default, last", policy, list(stated), policies, stated)

    assert control("verdict") == "verdict, last"
    assert control("none") == "none", "resampling ignores the history"
    assert control("shuffled") is None
