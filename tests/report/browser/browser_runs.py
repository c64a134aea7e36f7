"""Seeded synthetic runs for the browser, with texts of realistic length, and a run with hostile texts."""

import dataclasses
import itertools
import random

from repair_bench.traces.record.records import (
    Attempt,
    Completion,
    ExceptionInfo,
    FaultRecord,
    Feedback,
    Outcome,
    Verdict,
)
from repair_bench.traces.run.manifest import Manifest

MODELS = ("sim/novice", "sim/journeyman", "openai/gpt-4.1", "openrouter/anthropic/claude-3.5-sonnet-20241022")
FRAMEWORKS = ("qiskit", "pennylane", "cirq")
CONDITIONS = ("default", "none", "verdict", "shuffled", "expected")
CATEGORIES = ("algorithm", "state_preparation", "decomposition")
GATES = ("h", "x", "z", "s", "t", "cx", "cz", "swap", "rx", "ry", "rz", "p")


def made_up(models, frameworks, tasks, conditions, samples, repairs=5, seed=0):
    """Return a run with every combination. Arms share their first attempts, as in a real run."""
    draw = random.Random(seed)
    attempts: list[Attempt] = []
    for task, framework in itertools.product(range(tasks), frameworks):
        prompt = _prompt(draw, task, framework)
        for model, sample in itertools.product(models, range(samples)):
            root = f"{draw.getrandbits(64):016x}"
            code = _code(draw, task, framework)
            first = _verdict(draw, 0.35)
            for condition in conditions:
                key = task, framework, model, sample, condition
                attempts += _episode(draw, key, prompt, root, code, first, repairs)
    manifest = Manifest.from_json(
        {
            "name": "made-up",
            "created_at": "2026-01-02T03:04:05+00:00",
            "experiment": {
                "models": list(models),
                "frameworks": list(frameworks),
                "max_attempts": repairs,
                "samples": samples,
                "conditions": {
                    name: {"feedback": name, "history": "whole", "max_attempts": repairs} for name in conditions
                },
            },
            "simulated": [m for m in models if m.startswith("sim/")],
            "titles": [["aligned", f"{task + 1:02}", f"An oracle for {task} qubits"] for task in range(tasks)],
            "episodes": len(models) * len(frameworks) * tasks * len(conditions) * samples,
        }
    )
    return attempts, manifest


def small():
    """Return 90 episodes of 5 tasks, 3 frameworks, 2 models and 3 arms; some are faulty, unfinished or off-policy."""
    attempts, manifest = made_up(MODELS[:2], FRAMEWORKS, 5, CONDITIONS[:3], 1, seed=3)
    paths: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        paths.setdefault(attempt.episode, []).append(attempt)
    long = [path for path in paths.values() if len(path) > 3]
    _change(attempts, long[0][-1], verdict=None, outcome=None, completion=None, code=None,
            fault=FaultRecord("model", "503 from the provider", 4))  # fmt: skip
    attempts.remove(long[1][-1])
    if long[1][-1].passed is False:
        attempts.remove(long[1][-2])
    for late in long[2][2:]:
        _change(attempts, late, off_policy=True)
    return attempts, manifest


def many():
    """Return 10,080 episodes."""
    return made_up(MODELS, FRAMEWORKS, 42, CONDITIONS, 4)


def empty():
    return [], Manifest.from_json({"name": "empty", "experiment": {"max_attempts": 5}, "episodes": 12})


def faults():
    attempts, manifest = made_up(MODELS[:1], FRAMEWORKS[:1], 2, CONDITIONS[:1], 1)
    first = [a for a in attempts if a.attempt == 0]
    for attempt in first:
        _change(first, attempt, verdict=None, outcome=None, completion=None, code=None,
                fault=FaultRecord("executor", "the fork server died", 2))  # fmt: skip
    return first, manifest


MARK = "window.hacked = true"
ATTACKS = (
    f"<script>{MARK}</script>",
    f"</script><script>{MARK}</script>",
    f"<!--<script>{MARK}</script>-->",
    "<!--",
    "]]>",
    f"<img src=x onerror='{MARK}'>",
    f"<svg onload='{MARK}'>",
    f"</textarea></pre></style><script>{MARK}</script>",
    f"\"><a href='javascript:{MARK}'>x</a>",
    "{{ 7 * 7 }} {% raw %}",
    "<link rel=stylesheet href=http://127.0.0.1:9/x.css><iframe src=http://127.0.0.1:9/></iframe>",
    "\x1b[31mred\x1b[0m\x1b]0;title\x07 \x9b2J",
    "line\u2028paragraph\u2029 turned \u202e around \u2066",
    "lone \ud800 surrogates \udfff",
    "nul \x00 and \r\n and \r",
    "__proto__",
)


def hostile():
    """Return a run with attacks in every text and name, and a line of one megabyte."""
    attempts, manifest = made_up(MODELS[:1], FRAMEWORKS[:1], len(ATTACKS), CONDITIONS[:1], 1, repairs=2, seed=5)
    out = []
    for attempt in attempts:
        attack = ATTACKS[int(attempt.task_id) - 1]
        text = attack + ("x" * 1_000_000 if attack == "<!--" else "")
        names = dict.fromkeys(("model", "suite", "category", "difficulty", "condition"), attack)
        evidence = {"type": attack, "message": text, "traceback": text, "problem": text, "cases": [
            {"inputs": [text], "hidden": False, "expected": {"bits": 1, "probabilities": {attack: 0.5}},
             "got": {"bits": 1, "probabilities": {attack + "2": 0.5}}, "distance": {attack: 0.1}, "mismatch": attack},
            {"inputs": [text], "hidden": True, "expected": text, "got": text, "distance": None, "mismatch": None},
        ]}  # fmt: skip
        kind = "exception" if attempt.attempt == 0 else "wrong_answer"
        fields = {
            **names,
            "task_id": f"{attempt.task_id} {attack}",
            "messages": [{"role": attack, "content": text}],
            "feedback": attempt.feedback and Feedback(attack, text, donor=attack),
            "completion": Completion(text, {"prompt_tokens": 3}, params={"temperature": attack}, served_by=attack,
                                     finish_reason=attack),
            "extraction": {"method": attack, "steps": [attack]},
            "code": f"# {attempt.attempt}\n{text}\n'''{text}",
            "outcome": Outcome("exception", None, ExceptionInfo(attack, text, text), text, 0.1, 0.1),
            "verdict": Verdict(kind, evidence, rule=attack),
            "fault": None,
        }  # fmt: skip
        out.append(dataclasses.replace(attempt, **fields))
    experiment = {
        **manifest.experiment,
        "models": list(ATTACKS),
        "conditions": {attack: {attack: attack} for attack in ATTACKS},
        "note": list(ATTACKS),
    }
    return out, manifest.replaced(
        name=" ".join(ATTACKS),
        experiment=experiment,
        simulated=list(ATTACKS),
        excluded=[[attack] * 4 for attack in ATTACKS],
    )


def _change(attempts, attempt, **fields):
    attempts[attempts.index(attempt)] = dataclasses.replace(attempt, **fields)


def _episode(draw, key, prompt, root, code, first, repairs):
    task, framework, model, sample, condition = key
    episode = f"{draw.getrandbits(64):016x}"
    verdict, path, parent, feedback = first, [], None, None
    for number in range(repairs + 1):
        if number:
            feedback = Feedback(condition, _feedback(verdict, condition))
            code = _edit(draw, code)
            verdict = _verdict(draw, 0.2)
        path.append(
            Attempt(
                id=root if number == 0 else f"{episode}-{number}",
                parent=parent,
                episode=episode,
                run="made-up",
                model=model,
                suite="aligned",
                suite_version="1",
                task_id=f"{task + 1:02}",
                framework=framework,
                category=CATEGORIES[task % 3],
                difficulty=("introductory", "intermediate", "advanced")[task % 3],
                condition=condition,
                sample=sample,
                attempt=number,
                feedback=feedback,
                messages=prompt,
                completion=Completion(
                    f"Here is the program.\n\n```python\n{code}```\n",
                    {"prompt_tokens": 400 * (number + 1), "completion_tokens": 150 + draw.randrange(90)},
                    None if model.startswith("sim/") else 0.001 * (number + 1),
                    params={"temperature": 0.8 if number else 0.0},
                    latency_seconds=draw.random() * 9,
                ),
                extraction={"method": "fenced", "steps": []},
                code=code,
                outcome=_outcome(draw, verdict),
                verdict=verdict,
                started_at="2026-01-02T03:04:05+00:00",
            )
        )
        parent = path[-1].id
        if verdict.kind == "pass":
            break
    return path


def _prompt(draw, task, framework):
    words = " ".join(
        draw.choice(("apply", "the", "qubit", "gate", "state", "measure", "phase", "to")) for _ in range(120)
    )
    text = f"Write a {framework} function `task_{task}(n)`.\n\n{words}.\n\n```python\ndef task_{task}(n):\n    ...\n```"
    return [
        {"role": "system", "content": "You write quantum programs in Python. Answer with one complete program."},
        {"role": "user", "content": text},
    ]


def _code(draw, task, framework):
    body = [f"    qc.{draw.choice(GATES)}({draw.randrange(5)})  # step {n}" for n in range(draw.randrange(8, 24))]
    head = [
        f"import {framework}",
        "",
        "",
        f"def task_{task}(n: int) -> object:",
        '    """Build it."""',
        "    qc = make(n)",
    ]
    return "\n".join([*head, *body, "    return qc", ""])


def _edit(draw, code):
    lines = code.split("\n")
    for _ in range(draw.randrange(1, 4)):
        place = draw.randrange(6, len(lines) - 2)
        lines[place] = f"    qc.{draw.choice(GATES)}({draw.randrange(5)})  # fixed"
    return "\n".join(lines)


def _verdict(draw, chance):
    if draw.random() < chance:
        return Verdict("pass", {"distance": {"infidelity": 1e-16}})
    kind = draw.choice(("wrong_answer", "wrong_answer", "exception", "exception", "no_code", "limit"))
    if kind == "exception":
        name = draw.choice(("NameError", "AttributeError", "TypeError", "qiskit.circuit.exceptions.CircuitError"))
        message = f"name 'gate_{draw.randrange(50)}' is not defined"
        traceback = (
            f'Traceback (most recent call last):\n  File "solution.py", line {draw.randrange(30)}\n{name}: {message}'
        )
        return Verdict(kind, {"type": name, "message": message, "traceback": traceback})
    if kind == "no_code":
        return Verdict(kind, {"missing": "code", "problem": "The answer contains no Python code."}, sealed=None)
    if kind == "limit":
        return Verdict(kind, {"limit": "cpu_timeout", "problem": "it used up its 30 CPU seconds"})
    p = draw.random()
    cases = [
        {"inputs": [draw.randrange(9)], "hidden": False, "mismatch": None, "distance": {"tv": p},
         "expected": {"bits": 2, "probabilities": {"00": 0.5, "11": 0.5}},
         "got": {"bits": 2, "probabilities": {"00": p, "01": 1 - p}}},
        {"inputs": [draw.randrange(9)], "hidden": True, "mismatch": None, "distance": {"infidelity": p},
         "expected": "0.7071|00> + 0.7071|11>", "got": f"{p:.4f}|00> + 0.1|01>"},
    ]  # fmt: skip
    return Verdict(
        kind, {"cases": cases, "problem": f"the outcome probabilities are incorrect (total variation {p:.3f})"}
    )


def _outcome(draw, verdict):
    status = "exception" if verdict.kind == "exception" else "returned"
    return Outcome(status, cpu_seconds=draw.random(), wall_seconds=draw.random() * 2)


def _feedback(verdict, condition):
    if condition == "none":
        return ""
    told = verdict.evidence.get("traceback") or verdict.evidence.get("problem") or ""
    return f"Your program failed.\n\n{told}\n\nFix the program and reply with the complete program."
