"""Kinds of tampering with a record, drawn at random, by someone who knows the format and uses this package."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from repair_bench.agent.experiment.episodes import digest
from repair_bench.prompts.condition import Condition

Line = dict[str, Any]
PASS = {"kind": "pass", "evidence": {"distance": 0.0}}


@dataclass
class Record:
    """A run directory as JSON data."""

    manifest: dict[str, Any]
    lines: list[Line]
    events: list[dict[str, Any]]
    lock: dict[str, Any]
    donors: list[dict[str, Any]]

    @classmethod
    def read(cls, folder: Path) -> Record:
        def listed(name: str) -> list[Any]:
            return [json.loads(line) for line in (folder / name).read_text().splitlines()]

        whole = (json.loads((folder / name).read_text()) for name in ("run.json", "study.lock", "donors.json"))
        manifest, lock, donors = whole
        return cls(manifest, listed("attempts.jsonl"), listed("completions.jsonl"), lock, donors)

    def write(self, folder: Path) -> Path:
        """Write it, with an updated hash of the lock."""
        folder.mkdir()
        stated = {name: value for name, value in self.lock.items() if name != "sha256"}
        text = json.dumps(stated, sort_keys=True, separators=(",", ":"))
        lock = {**stated, "sha256": hashlib.sha256(text.encode()).hexdigest()}
        for name, whole in (("run.json", self.manifest), ("study.lock", lock), ("donors.json", self.donors)):
            (folder / name).write_text(json.dumps(whole))
        for name, lines in (("attempts.jsonl", self.lines), ("completions.jsonl", self.events)):
            (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
        return folder

    @property
    def experiment(self) -> dict[str, Any]:
        found: dict[str, Any] = self.manifest["experiment"]
        return found

    def paths(self) -> dict[str, list[Line]]:
        found: dict[str, list[Line]] = {}
        for line in self.lines:
            found.setdefault(line["episode"], []).append(line)
        return found

    def remove(self, lines: list[Line]) -> None:
        self.lines = [line for line in self.lines if not any(line is other for other in lines)]

    def everywhere(self, old: str, new: str) -> None:
        """Replace a text in all files."""
        for name in ("manifest", "lines", "events", "lock", "donors"):
            setattr(self, name, json.loads(json.dumps(getattr(self, name)).replace(old, new)))


def _failed(record: Record) -> list[Line]:
    return [line for line in record.lines if line["verdict"]["kind"] != "pass"]


def _chosen(lines: list[Line], rng: Random) -> list[Line]:
    """Return an attempt's line, with the lines of other arms that share the attempt."""
    one = rng.choice(lines)
    return [line for line in lines if line["id"] == one["id"]]


def _paths(record: Record, rng: Random, *, passed: bool) -> list[list[Line]]:
    """Return an episode with this result, with the other arms that share all of its attempts."""
    paths = [path for path in record.paths().values() if (path[-1]["verdict"]["kind"] == "pass") is passed]
    one = rng.choice(paths)
    return [path for path in paths if path[0]["id"] == one[0]["id"]]


def _without_answers(record: Record, lines: list[Line]) -> None:
    """Remove the saved answers of some attempts too."""
    kept = {line["completion"]["text"] for line in record.lines if line["completion"]}
    texts = {line["completion"]["text"] for line in lines if line["completion"]} - kept
    record.events = [e for e in record.events if e.get("data", {}).get("text") not in texts]


def _ended(record: Record, lines: list[Line]) -> list[Line]:
    """Return the attempts without those that followed them."""
    first = {line["episode"]: line["attempt"] for line in lines}
    later = [line for line in record.lines if line["attempt"] > first.get(line["episode"], line["attempt"])]
    record.remove(later)
    _without_answers(record, later)
    return lines


def dropped_outcome(record: Record, rng: Random) -> None:
    for line in _ended(record, _chosen(_failed(record), rng)):
        line["outcome"], line["verdict"] = None, {**line["verdict"], **PASS}


def false_versions(record: Record, rng: Random) -> None:
    false_outcome(record, rng)
    versions = record.experiment["versions"]
    versions[rng.choice(["qiskit", "driver"])][rng.choice(["qiskit", "repair-bench"])] = "0.0.1"


def false_versions_alone(record: Record, rng: Random) -> None:
    package = rng.choice(["qiskit", "numpy"])
    record.experiment["versions"]["qiskit"][package] = f"{rng.randrange(9)}.0.1"


def false_suite_hash(record: Record, rng: Random) -> None:
    flipped_verdict(record, rng)
    for stated in (record.experiment["suite_contents"], record.lock["suites"]):
        stated["aligned"] = [stated["aligned"][0], digest(rng.random())]


def flipped_verdict(record: Record, rng: Random) -> None:
    for line in _ended(record, _chosen(_failed(record), rng)):
        line["verdict"] = {**line["verdict"], **PASS}


def deleted_episode(record: Record, rng: Random) -> None:
    for path in _paths(record, rng, passed=False):
        record.remove(path)
        _without_answers(record, path)


def deleted_task(record: Record, rng: Random) -> None:
    """Delete a task; the manifest excludes it and plans fewer episodes."""
    line = rng.choice(record.lines)
    gone = [one for one in record.lines if one["task_id"] == line["task_id"]]
    record.remove(gone)
    _without_answers(record, gone)
    record.manifest["excluded"] = [["aligned", line["task_id"], "qiskit", "it needs a package that is not installed"]]
    record.manifest["episodes"] = len(record.paths())


def fewer_tasks(record: Record, rng: Random) -> None:
    """Remove the last problem, and set `limit` accordingly everywhere."""
    last = max(line["task_id"] for line in record.lines)
    gone = [line for line in record.lines if line["task_id"] == last]
    record.remove(gone)
    if rng.random() < 0.5:
        _without_answers(record, gone)
    record.experiment["limit"] -= 1
    record.manifest["episodes"] = len(record.paths())


def fault(record: Record, rng: Random) -> None:
    for path in _paths(record, rng, passed=False):
        last = rng.randrange(len(path))
        record.remove(path[last + 1 :])
        made = {"boundary": "model", "message": "connection lost", "retries": 0}
        gone = copy.deepcopy(path[last:])
        path[last].update(verdict=None, outcome=None, completion=None, code=None, extraction=None, fault=made)
        _without_answers(record, gone)


def context(record: Record, rng: Random) -> None:
    for path in _paths(record, rng, passed=False):
        last = rng.randrange(len(path))
        record.remove(path[last + 1 :])
        verdict = {**path[last]["verdict"], "kind": "context", "evidence": {"problem": "8192 tokens"}}
        gone = copy.deepcopy(path[last:])
        path[last].update(verdict=verdict, outcome=None, completion=None, code=None, extraction=None)
        _without_answers(record, gone)


def context_with_answer(record: Record, rng: Random) -> None:
    for line in _chosen(_failed(record), rng):
        line["verdict"] = {**line["verdict"], "kind": "context", "evidence": {"problem": "8192 tokens"}}


def duplicated_sample(record: Record, rng: Random) -> None:
    """Repeat passing episodes as another sample, with correct ids."""
    samples = max(line["sample"] for line in record.lines) + 1
    conditions = {c: Condition(**_settings(s)) for c, s in record.experiment["conditions"].items()}
    for path in _paths(record, rng, passed=True):
        first, made, before = path[0], copy.deepcopy(path), None
        condition = conditions[first["condition"]]
        root = digest("attempt-0", first["model"], first["suite"], first["suite_version"], first["task_id"],
                      first["framework"], condition.prompt_key(), samples)  # fmt: skip
        name = digest("episode", root, condition.arm_key())
        for line in made:
            id_ = digest("attempt", name, line["attempt"]) if line["attempt"] else root
            line.update(id=id_, parent=before, episode=name, sample=samples)
            before = id_
        record.lines += made
    if rng.random() < 0.5:
        record.experiment["samples"] = record.lock["experiment"]["samples"] = samples + 1
        record.manifest["episodes"] = len(record.paths())


def _settings(stated: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in stated.items() if name != "name"}


def repeated_episode(record: Record, rng: Random) -> None:
    """Repeat passing episodes with invented ids."""
    for path in _paths(record, rng, passed=True):
        name = digest(rng.random())
        record.lines += [{**line, "episode": name} for line in path]


def truncated_episode(record: Record, rng: Random) -> None:
    path = rng.choice([path for path in record.paths().values() if len(path) > 1])
    gone = path[rng.randrange(1, len(path)) :]
    record.remove(gone)
    if rng.random() < 0.5:
        _without_answers(record, gone)


def fewer_repairs(record: Record, rng: Random) -> None:
    """Delete the last repairs of all episodes, and allow no more in the settings."""
    repairs = rng.choice([0, 1])
    record.remove([line for line in record.lines if line["attempt"] > repairs])
    for stated in (record.experiment, record.lock["experiment"]):
        stated["max_attempts"] = repairs
    for stated in (record.experiment, record.lock):
        for condition in stated["conditions"].values():
            condition["max_attempts"] = repairs


def more_repairs(record: Record, rng: Random) -> None:
    record.experiment["max_attempts"] = record.lock["experiment"]["max_attempts"] = rng.randrange(3, 9)


def not_simulated(record: Record, rng: Random) -> None:
    record.manifest["simulated"] = []


def renamed_model(record: Record, rng: Random) -> None:
    record.everywhere("sim/journeyman", rng.choice(["openai/gpt-4.1", "sim/expert", "anthropic/claude"]))
    record.manifest["simulated"] = [name for name in record.manifest["simulated"] if name.startswith("sim/")]


def changed_condition(record: Record, rng: Random) -> None:
    name, value = rng.choice([("first_temperature", 0.0), ("few_shot", 3), ("system", "minimal"), ("history", "last")])
    for stated in (record.experiment, record.lock):
        for condition in stated["conditions"].values():
            condition[name] = value


def changed_setting(record: Record, rng: Random) -> None:
    name = rng.choice(["seed", "temperature", "repair", "limits", "rule"])
    values = {"seed": 7, "temperature": {"first": 0.0, "repairs": 0.8}, "rule": "paper"}
    values |= {"repair": {"feedback": ["none"], "history": ["whole"]}, "limits": {"default": {"cpu_seconds": 1}}}
    record.experiment[name] = values[name]
    if name in record.lock["experiment"]:
        record.lock["experiment"][name] = values[name]


def swapped_arms(record: Record, rng: Random) -> None:
    """Exchange the names of two arms in a task."""
    task = rng.choice([line["task_id"] for line in record.lines])
    for line in record.lines:
        if line["task_id"] == task:
            line["condition"] = {"default": "shuffled", "shuffled": "default"}[line["condition"]]


def other_lock(record: Record, rng: Random) -> None:
    name = rng.choice(["comparisons", "experiment", "conditions", "analysis"])
    if name == "comparisons":
        record.lock["comparisons"] = [{**one, "k": 0} for one in record.lock["comparisons"]][: rng.randrange(2)]
    elif name == "conditions":
        record.lock["conditions"].pop(rng.choice(sorted(record.lock["conditions"])))
    else:
        key = rng.choice(sorted(record.lock[name]))
        record.lock[name][key] = "changed"


def changed_feedback(record: Record, rng: Random) -> None:
    line = rng.choice([line for line in record.lines if line["attempt"]])
    told = line["feedback"]["text"]
    said = rng.choice([told + " Hint: use cx.", told[:-9], ""])
    line["feedback"]["text"] = said
    if rng.random() < 0.5:
        line["messages"][-1]["content"] = line["messages"][-1]["content"].replace(told, said)


def counted_leaks(record: Record, rng: Random) -> None:
    rng.choice([line for line in record.lines if line["attempt"]])["feedback"]["redacted"] += 1


def changed_prompt(record: Record, rng: Random) -> None:
    for line in _chosen(record.lines, rng):
        message = Random(line["id"]).choice(line["messages"])
        message["content"] = message["content"].replace("a", "e", 1) + "\n"


def swapped_completions(record: Record, rng: Random) -> None:
    """Exchange the answers of two attempts, with their code."""
    one, two = rng.sample(record.lines, 2)
    while one["completion"]["text"] == two["completion"]["text"]:
        one, two = rng.sample(record.lines, 2)
    first, second = ({n: copy.deepcopy(line[n]) for n in ("completion", "code", "extraction")} for line in (one, two))
    one.update(second)
    two.update(first)


def changed_answer(record: Record, rng: Random) -> None:
    line = rng.choice(record.lines)
    line["completion"]["text"] += "\n# a comment"


def changed_code(record: Record, rng: Random) -> None:
    line = rng.choice([line for line in record.lines if line["code"]])
    line["code"] += "\n# a comment"


def off_policy(record: Record, rng: Random) -> None:
    for line in _chosen(_failed(record), rng):
        line["off_policy"] = True


def stoppable(record: Record, rng: Random) -> None:
    for line in _paths(record, rng, passed=False)[0]:
        line["stoppable"] = True


def changed_usage(record: Record, rng: Random) -> None:
    line = rng.choice(record.lines)
    line["completion"]["usage"]["completion_tokens"] //= 2


def changed_cost(record: Record, rng: Random) -> None:
    rng.choice(record.lines)["completion"]["cost_usd"] = rng.choice([0.0, 0.01, -1.0])


def changed_saved_answer(record: Record, rng: Random) -> None:
    event = rng.choice([event for event in record.events if event["event"] == "completion"])
    event["data"]["text"] += " "


def disordered_times(record: Record, rng: Random) -> None:
    line = rng.choice(record.lines)
    line["started_at"], line["finished_at"] = line["finished_at"], line["started_at"]
    if line["started_at"] == line["finished_at"]:
        line["started_at"] = "2031-01-01T00:00:00+00:00"


def later_begin(record: Record, rng: Random) -> None:
    """Change the start of the run to a time after its attempts."""
    record.manifest["created_at"] = f"20{rng.randrange(40, 99)}-01-01T00:00:00+00:00"


def changed_labels(record: Record, rng: Random) -> None:
    task = rng.choice(_failed(record))["task_id"]
    label = rng.choice(["wrong", "weak", "underspecified"])
    record.manifest["labels"].setdefault(label, []).append(["aligned", task])


def changed_category(record: Record, rng: Random) -> None:
    for line in _chosen(record.lines, rng):
        line[rng.choice(["category", "difficulty"])] = "easy"


def fewer_planned(record: Record, rng: Random) -> None:
    record.manifest["episodes"] -= rng.randrange(1, 5)


def other_donors(record: Record, rng: Random) -> None:
    for donor in record.donors:
        donor["text"] += " Hint."


def false_outcome(record: Record, rng: Random) -> None:
    """Replace a failed outcome by a passing one, from another answer to the task."""
    good = {line["task_id"]: line for line in record.lines if line["verdict"]["kind"] == "pass"}
    bad = [line for line in _failed(record) if line["task_id"] in good and line["code"]]
    for line in _ended(record, _chosen(bad, rng)):
        line.update({name: copy.deepcopy(good[line["task_id"]][name]) for name in ("outcome", "verdict")})


def false_failure(record: Record, rng: Random) -> None:
    """Change a pass to an exception, with a matching outcome."""
    for line in _chosen([line for line in record.lines if line["verdict"]["kind"] == "pass"], rng):
        raised = {"type": "ValueError", "message": "no", "traceback": "ValueError: no"}
        line["outcome"] = {**line["outcome"], "status": "exception", "value": None, "exception": raised}
        line["verdict"] = {**line["verdict"], "kind": "exception", "evidence": raised}


def changed_evidence(record: Record, rng: Random) -> None:
    for line in _chosen(_failed(record), rng):
        evidence = line["verdict"]["evidence"]
        name = Random(line["id"]).choice(sorted(evidence))
        evidence[name] = f"{evidence[name]} " if isinstance(evidence[name], str) else []


KINDS: dict[str, Callable[[Record, Random], None]] = {
    made.__name__: made
    for made in (
        dropped_outcome, false_versions, false_versions_alone, false_suite_hash, flipped_verdict, deleted_episode,
        deleted_task, fewer_tasks, fault, context, context_with_answer, duplicated_sample, repeated_episode,
        truncated_episode, fewer_repairs, more_repairs, not_simulated, renamed_model, changed_condition,
        changed_setting, swapped_arms, other_lock, changed_feedback, counted_leaks, changed_prompt,
        swapped_completions, changed_answer, changed_code, off_policy, stoppable, changed_usage, changed_cost,
        changed_saved_answer, disordered_times, later_begin, changed_labels, changed_category, fewer_planned,
        other_donors, false_outcome, false_failure, changed_evidence,
    )
}  # fmt: skip
IN_RUN_ONLY = {
    "fewer_repairs", "fewer_tasks", "changed_answer", "changed_usage", "changed_cost", "changed_saved_answer",
}  # fmt: skip
"""Tampering that cannot be detected on a site, which has no `completions.jsonl`."""


def tampered(record: Record, kind: str, draws: int) -> Iterator[Record]:
    """Return the record after each draw of a kind."""
    for number in range(draws):
        made = copy.deepcopy(record)
        KINDS[kind](made, Random(f"{kind} {number}"))
        yield made
