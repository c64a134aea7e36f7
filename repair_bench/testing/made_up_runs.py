"""Synthetic attempts and runs for tests, generated from a seed, in the real record format."""

import itertools
import json
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from repair_bench.traces.record.records import Attempt, Completion, FaultRecord, Feedback, Verdict
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_reader import load_rows

VERDICTS: dict[str, Verdict] = {
    "p": Verdict("pass", {"distance": 0.0}),
    "w": Verdict("wrong_answer", {"cases": [{"mismatch": None}], "problem": "the distribution differs"}),
    "s": Verdict("wrong_answer", {"cases": [{"mismatch": "shape"}], "problem": "3 bits, not 2"}),
    "e": Verdict("exception", {"type": "TypeError", "message": "no", "traceback": "..."}),
    "n": Verdict("no_code", {"missing": "entry_point", "problem": "no function"}),
    "l": Verdict("limit", {"limit": "cpu_timeout", "problem": "30 s"}),
    "c": Verdict("context", {"problem": "8192 tokens"}),
}
"""Verdicts, keyed by a letter: p (pass), w (wrong value), s (wrong shape), e (exception), n (no code), l (limit) and c
(full context window)."""


def attempt(letter: str, number: int = 0, episode: str = "ep", **fields: Any) -> Attempt:
    """Return an attempt.

    `letter`: the key of the attempt's verdict in `VERDICTS`, or "f" for a fault. `fields`: further fields of `Attempt`.
    """
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
        if letter in "fc"
        else Completion("code", {"prompt_tokens": 100, "completion_tokens": 10}, 0.25),
        "verdict": VERDICTS.get(letter),
        "fault": FaultRecord("model", "503") if letter == "f" else None,
    }
    return Attempt(**{**values, **fields})


def attempts_of(letters: str, name: str = "ep", **fields: Any) -> list[Attempt]:
    """Return the attempts of an episode, one for each letter of the string `letters` (see `attempt`).

    For example, the letters "ewp" stand for an exception, a wrong value and a pass.
    """
    return [attempt(letter, number, name, **fields) for number, letter in enumerate(letters)]


def run(
    models: Sequence[str] = ("sim/one",),
    frameworks: Sequence[str] = ("qiskit", "pennylane", "cirq"),
    tasks: int = 42,
    repairs: int = 5,
    seed: int = 0,
    faults: float = 0.0,
    cut: float = 0.0,
) -> tuple[list[Attempt], Manifest]:
    """Return the attempts and the manifest of a run. The models differ in their solve rates and in their repair rates.

    `faults`: the probability that an attempt ends in a fault. `cut`: the probability that an episode is incomplete.
    """
    draw = random.Random(seed)  # noqa: S311 - an example, not a secret
    attempts: list[Attempt] = []
    for (m, model), (f, framework), task in itertools.product(enumerate(models), enumerate(frameworks), range(tasks)):
        letters = ""
        while len(letters) <= repairs and not letters.endswith(("p", "f")):
            chance = 0.25 + 0.1 * m - 0.06 * f if not letters else 0.06 + 0.05 * m
            passed = draw.random() < chance
            letters += "f" if draw.random() < faults else "p" if passed else draw.choice("wwwseeeenl")
        if draw.random() < cut and not letters.endswith(("p", "f")):
            letters = letters[: max(1, len(letters) - 2)]
        episode = f"{model}-{framework}-{task:03}"
        attempts += attempts_of(letters, episode, model=model, framework=framework, task_id=f"{task:02}")
    simulated = [model for model in models if model.startswith("sim/")]
    return attempts, Manifest({"experiment": {"max_attempts": repairs}, "simulated": simulated})


def study(
    models: Sequence[str] = ("sim/one",),
    frameworks: Sequence[str] = ("qiskit", "pennylane", "cirq"),
    tasks: int = 42,
    repairs: int = 5,
    policies: Sequence[str] = ("default",),
    starters: Sequence[bool] = (True,),
    samples: int = 1,
    categories: Sequence[str] = ("algorithm", "state preparation", "decomposition"),
    difficulties: Sequence[str | None] = (None,),
    seed: int = 0,
) -> tuple[list[Attempt], Manifest]:
    """Return the attempts and the manifest of one made-up run.

    The run combines each model with each framework, task, feedback arm, starter setting and sample number.

    `policies`: feedback arms, which share their first answers. `starters`: whether prompts show the starter code.
    `categories`, `difficulties`: the values assigned to the tasks in rotation.
    """
    draw = random.Random(seed)  # noqa: S311 - an example, not a secret
    attempts: list[Attempt] = []
    hardness = [draw.gauss(0, 0.2) for _ in range(tasks)]
    conditions = {}
    cells = itertools.product(enumerate(models), enumerate(frameworks), range(tasks), starters, range(samples))
    for (m, model), (f, framework), task, starter, sample in cells:
        root = f"{model}-{framework}-{task:03}-{starter}-{sample}"
        chance = 0.35 + 0.07 * m - 0.07 * f + hardness[task] + (0.04 if starter else 0)
        first = "p" if draw.random() < chance else draw.choice("wwwseeeenl")
        category = categories[task % len(categories)]
        for policy in policies:
            named = ([policy] if len(policies) > 1 else []) + ([] if starter else ["no starter"])
            name = ", ".join(named) or "default"
            conditions[name] = {"feedback": policy, "starter": starter, "assistant_prefill": False}
            letters = first
            gain = {"expected": 0.2, "default": 0.12, "none": 0.06, "shuffled": 0.05}.get(policy, 0.09)
            while len(letters) <= repairs and not letters.endswith("p"):
                passed = draw.random() < gain + 0.02 * m + hardness[task] / 3
                letters += "p" if passed else draw.choice("wwwseeeenl")
            for number, letter in enumerate(letters):
                usage = {"prompt_tokens": 300 * (number + 1), "completion_tokens": 150}
                made = attempt(
                    letter,
                    number,
                    f"{root}-{name}",
                    id=root if number == 0 else f"{root}-{name}-{number}",
                    model=model,
                    framework=framework,
                    task_id=f"{category}/{task:02}" if tasks > 99 else f"{task:02}",
                    category=category,
                    difficulty=difficulties[task % len(difficulties)],
                    condition=name,
                    sample=sample,
                    feedback=Feedback(policy, "it failed") if number else None,
                    completion=Completion("code", usage, 0.002 * (number + 1)),
                )
                attempts.append(made)
    simulated = [model for model in models if model.startswith("sim/")]
    return attempts, Manifest(
        {"experiment": {"max_attempts": repairs, "conditions": conditions}, "simulated": simulated}
    )


def up_to(repairs: int) -> Manifest:
    """Return the manifest of a run that allows up to `repairs` repairs."""
    return Manifest({"experiment": {"max_attempts": repairs}})


def written(directory: Path, attempts: Iterable[Attempt | str], manifest: Manifest | None = None) -> Path:
    """Write a run directory with attempts, one per line; an attempt that is a string is written unchanged."""
    directory.mkdir(parents=True, exist_ok=True)
    (manifest or up_to(5)).write(directory)
    lines = (a if isinstance(a, str) else json.dumps(a.to_json()) + "\n" for a in attempts)
    (directory / "attempts.jsonl").write_text("".join(lines))
    return directory


def load_run(directory: Path) -> tuple[Manifest, list[Attempt]]:
    """Return the manifest and the attempts of a run, with all texts, in the order of the file."""
    run = load_rows(directory)
    return run.manifest, [row.with_texts() for row in sorted(run.rows, key=lambda row: row.offset)]
