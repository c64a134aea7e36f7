from made_up_runs import path, study

from repair_bench.traces import arms
from repair_bench.traces.metrics import episodes


def test_arms_of_one_prompt_share_their_first_answers():
    attempts, manifest = study(frameworks=("cirq",), tasks=4, policies=("default", "none"), starters=(True, False))
    paths = episodes(attempts)
    assert arms.prompts(paths) == {
        "default": ["default", "none"],
        "default, no starter": ["default, no starter", "none, no starter"],
    }
    assert arms.policies(paths, manifest)["none, no starter"] == "none"


def test_a_policy_that_is_not_stated_is_read_from_the_attempts():
    paths = episodes([*path("ep", "a", condition="x"), *path("p", "b", condition="y", id="b")])
    assert arms.policies(paths, {}) == {"x": "default", "y": "y"}
    assert arms.policies(paths, {"experiment": {"conditions": {"y": {"feedback": "verdict"}}}})["y"] == "verdict"


def test_a_control_differs_in_its_policy_alone():
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
    assert control("none") == "none", "resampling sees no history, whichever is stated"
    assert control("shuffled") is None
