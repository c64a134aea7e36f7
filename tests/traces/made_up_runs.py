"""Attempts and runs made up for the tests of this room: plain, seeded, in the real record format."""

import random

from repair_bench.traces.records import Attempt, Completion, FaultRecord, Feedback, Verdict

VERDICTS = {
    "p": Verdict("pass", {"distance": 0.0}),
    "w": Verdict("wrong_answer", {"cases": [{"mismatch": None}], "problem": "the distribution differs"}),
    "s": Verdict("wrong_answer", {"cases": [{"mismatch": "shape"}], "problem": "3 bits, not 2"}),
    "e": Verdict("exception", {"type": "TypeError", "message": "no", "traceback": "..."}),
    "n": Verdict("no_code", {"missing": "entry_point", "problem": "no function"}),
    "l": Verdict("limit", {"limit": "cpu_timeout", "problem": "30 s"}),
}


def attempt(letter: str, number: int = 0, episode: str = "ep", **fields) -> Attempt:
    """One attempt; `letter` is a key of VERDICTS, or "f" for a fault."""
    values = {
        "id": f"{episode}-{number}",
        "parent": f"{episode}-{number - 1}" if number else None,
        "episode": episode,
        "run": "run",
        "model": "sim/one",
        "suite": "aligned",
        "suite_version": "1.0",
        "task_id": "01",
        "framework": "qiskit",
        "category": "algorithm",
        "difficulty": None,
        "condition": "default",
        "sample": 0,
        "attempt": number,
        "feedback": Feedback("default", "it failed") if number else None,
        "messages": [{"role": "user", "content": "a task"}],
        "completion": None
        if letter == "f"
        else Completion("code", {"prompt_tokens": 100, "completion_tokens": 10}, 0.25),
        "verdict": VERDICTS.get(letter),
        "fault": FaultRecord("model", "503") if letter == "f" else None,
    }
    return Attempt(**{**values, **fields})


def path(letters: str, episode: str = "ep", **fields) -> list[Attempt]:
    """The attempts of one episode: path("ewp") failed twice, then passed."""
    return [attempt(letter, number, episode, **fields) for number, letter in enumerate(letters)]


def run(
    models=("sim/one",), frameworks=("qiskit", "pennylane", "cirq"), tasks=42, repairs=5, seed=0, faults=0.0, cut=0.0
):
    """Attempts and the manifest of a made-up run: models differ in skill and in how well they repair."""
    draw = random.Random(seed)
    attempts: list[Attempt] = []
    for m, model in enumerate(models):
        for f, framework in enumerate(frameworks):
            for task in range(tasks):
                letters = ""
                while len(letters) <= repairs and not letters.endswith(("p", "f")):
                    chance = 0.25 + 0.1 * m - 0.06 * f if not letters else 0.06 + 0.05 * m
                    passed = draw.random() < chance
                    letters += "f" if draw.random() < faults else "p" if passed else draw.choice("wwwseeeenl")
                if draw.random() < cut and not letters.endswith(("p", "f")):
                    letters = letters[: max(1, len(letters) - 2)]
                attempts += path(
                    letters, f"{model}-{framework}-{task:03}", model=model, framework=framework, task_id=f"{task:02}"
                )
    return attempts, {"experiment": {"max_attempts": repairs}, "simulated": [m for m in models if m.startswith("sim/")]}


POLICIES = ("default", "distance", "expected", "function", "none", "output", "shuffled", "support", "verdict")


def study(
    models=("sim/one",),
    frameworks=("qiskit", "pennylane", "cirq"),
    tasks=42,
    repairs=5,
    policies=("default",),
    starters=(True,),
    samples=1,
    categories=("algorithm", "state preparation", "decomposition"),
    difficulties=(None,),
    seed=0,
):
    """A made-up run of every combination of the settings; arms share their first answers, as a real run's do."""
    draw = random.Random(seed)
    attempts: list[Attempt] = []
    hardness = [draw.gauss(0, 0.2) for _ in range(tasks)]
    conditions = {}
    for m, model in enumerate(models):
        for f, framework in enumerate(frameworks):
            for task in range(tasks):
                for starter in starters:
                    for sample in range(samples):
                        root = f"{model}-{framework}-{task:03}-{starter}-{sample}"
                        chance = 0.35 + 0.07 * m - 0.07 * f + hardness[task] + (0.04 if starter else 0)
                        first = "p" if draw.random() < chance else draw.choice("wwwseeeenl")
                        for policy in policies:
                            name = ", ".join(
                                ([policy] if len(policies) > 1 else []) + ([] if starter else ["no starter"])
                            )
                            name = name or "default"
                            conditions[name] = {"feedback": policy, "starter": starter, "assistant_prefill": False}
                            letters = first
                            gain = {"expected": 0.2, "default": 0.12, "none": 0.06, "shuffled": 0.05}.get(policy, 0.09)
                            while len(letters) <= repairs and not letters.endswith("p"):
                                passed = draw.random() < gain + 0.02 * m + hardness[task] / 3
                                letters += "p" if passed else draw.choice("wwwseeeenl")
                            for number, letter in enumerate(letters):
                                usage = {"prompt_tokens": 300 * (number + 1), "completion_tokens": 150}
                                attempts.append(
                                    attempt(
                                        letter,
                                        number,
                                        f"{root}-{name}",
                                        id=root if number == 0 else f"{root}-{name}-{number}",
                                        model=model,
                                        framework=framework,
                                        task_id=f"{categories[task % len(categories)]}/{task:02}"
                                        if tasks > 99
                                        else f"{task:02}",
                                        category=categories[task % len(categories)],
                                        difficulty=difficulties[task % len(difficulties)],
                                        condition=name,
                                        sample=sample,
                                        feedback=Feedback(policy, "it failed") if number else None,
                                        completion=Completion("code", usage, 0.002 * (number + 1)),
                                    )
                                )
    manifest = {
        "experiment": {"max_attempts": repairs, "conditions": conditions},
        "simulated": [m for m in models if m.startswith("sim/")],
    }
    return attempts, manifest
