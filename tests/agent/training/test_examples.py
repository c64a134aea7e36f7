"""Training examples: the selection of repairs, the absence of grader data, and the counts of omitted episodes."""

import ast
import json
import lzma
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

import repair_bench
from repair_bench import suites
from repair_bench.agent.training import examples as training
from repair_bench.agent.training.examples import LAYOUTS, examples
from repair_bench.coroutines import run_to_end
from repair_bench.prompts import templates
from repair_bench.prompts.leaks import holds_test
from repair_bench.suites.checks import UnitTestCheck
from repair_bench.suites.task import Suite, Task
from repair_bench.testing.made_up_runs import attempts_of, written
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Attempt, Completion, Feedback, Verdict
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.manifest_fields import ExperimentFields
from repair_bench.traces.run.run_reader import Run, load_rows

TEMPLATES = Path(templates.__file__).parent
STORED = Path(__file__).parents[2] / "stored_runs"
TEST = """
def check(candidate):
    weights = {"0110": 0.125, "1001": 0.375, "1111": 0.5}
    assert candidate(3) == weights, "a ladder has no weight"
"""
REFERENCE = "def answer(rungs):\n    climbed = sorted(range(rungs), reverse=True)\n    return climbed\n"
TASK = Task(
    *("aligned", "01", "qiskit", "answer", "Write answer(rungs).", ""),
    UnitTestCheck(test=TEST, function="check", passes_candidate=True),
    "algorithm",
    reference=REFERENCE,
)
TASKS = {("aligned", "01", "qiskit"): TASK}
SYSTEM, USER = {"role": "system", "content": "be brief"}, {"role": "user", "content": "Write answer(rungs)."}
CODE = ("def answer(rungs):\n    return None", REFERENCE)


def told(policy: str = "default", text: str = "it is wrong", **fields: object) -> Feedback:
    return Feedback(policy, text, redacted=0, **fields)


def repaired(letters: str = "wp", **changes: object) -> list[Attempt]:
    """Return an episode with these results; `changes` are fields of its last attempt."""
    made: list[Attempt] = []
    for number, plain in enumerate(attempts_of(letters)):
        code = CODE[plain.passed]
        verdict = plain.verdict
        messages = [SYSTEM, USER]
        if made:
            before = made[-1]
            messages = [*before.messages, {"role": "assistant", "content": before.completion.text}]
            messages.append({"role": "user", "content": "it is wrong"})
        made.append(
            plain.replaced(
                messages=messages,
                completion=Completion(f"Mended.\n```python\n{code}\n```"),
                code=code,
                feedback=told() if number else None,
                verdict=verdict,
            )
        )
    return [*made[:-1], made[-1].replaced(**changes)]


def of(attempts: list[Attempt], layout: str = "sft", manifest: Manifest | None = None) -> tuple[list[dict], Counter]:
    left_out: Counter[str] = Counter()
    run = Run(manifest or Manifest({}), attempts, [])
    return list(examples(run, TASKS, LAYOUTS[layout], left_out)), left_out


def test_conversation_ends_with_the_answer_that_passed() -> None:
    rows, left_out = of(repaired("wwp"))
    (row,) = rows
    assert [message["role"] for message in row["prompt"]] == ["system", *["user", "assistant"] * 2, "user"]
    assert row["completion"] == [{"role": "assistant", "content": f"Mended.\n```python\n{REFERENCE}\n```"}]
    assert row["canary"] == training.CANARY
    assert row["source"]["failed"] == "ep-0"
    assert (row["source"]["passed"], row["source"]["repairs"], row["source"]["simulated"]) == ("ep-2", 2, False)
    assert not left_out


def test_pair_differs_only_in_the_program() -> None:
    ((row,), _) = of(repaired("wwp"), "dpo")
    assert row["prompt"] == [SYSTEM, USER]
    assert row["rejected"][0]["content"] == f"```python\n{CODE[0]}\n```"
    assert row["chosen"][0]["content"] == f"```python\n{REFERENCE.strip()}\n```"


def test_prefill_is_part_of_the_completion() -> None:
    begun = {"role": "assistant", "content": "```python\n"}
    last = repaired()[-1]
    ((row,), _) = of(repaired(messages=[*last.messages, begun]))
    assert row["prompt"] == last.messages
    assert row["completion"][0]["content"] == "```python\n" + last.completion.text


@pytest.mark.parametrize(
    ("attempts", "layout", "reason"),
    [
        (repaired("p"), "sft", training.FIRST),
        (repaired("ww"), "sft", training.UNSOLVED),
        (repaired("wf"), "sft", training.UNSOLVED),
        (repaired("wp", off_policy=True), "sft", training.OFF_POLICY),
        (repaired("wp", verdict=Verdict("pass", {}, rule="paper")), "sft", training.SAMPLED),
        (repaired("wp", verdict=Verdict("pass", {}, sealed="guarded")), "sft", training.GUARDED),
        (repaired("wp", verdict=Verdict("pass", {}, sealed=None)), "sft", training.GUARDED),
        (repaired("wp", verdict=Verdict("pass", {"note": "passes anything"})), "sft", training.GUARDED),
        (repaired("wp", steps=[{"completion": {}, "runs": []}]), "sft", training.TOOLS),
        (repaired("wp", messages=[SYSTEM, USER], feedback=told("none", "")), "sft", training.NO_FEEDBACK),
        (repaired("wp", feedback=told("shuffled", donor="aligned/02")), "sft", training.NO_FEEDBACK),
        ([repaired()[0].replaced(code=None), repaired()[1]], "dpo", training.NO_CODE),
    ],
)
def test_omitted_episodes_are_counted_by_reason(attempts: list[Attempt], layout: str, reason: str) -> None:
    assert of(attempts, layout) == ([], Counter({reason: 1}))


def test_independent_sample_makes_a_pair_but_no_repair() -> None:
    alone = repaired("wp", messages=[SYSTEM, USER], feedback=told("none", ""))
    assert len(of(alone, "dpo")[0]) == 1


def test_doubted_task_is_omitted() -> None:
    doubted = Manifest({"labels": {"weak": [["aligned", "01"]]}})
    assert of(repaired(), manifest=doubted)[1] == {training.DOUBTED: 1}


def test_duplicate_example_is_omitted() -> None:
    twin = [attempt.replaced(episode="twin") for attempt in repaired()]
    rows, left_out = of([*repaired(), *twin])
    assert (len(rows), left_out) == (1, Counter({training.TWICE: 1}))


def test_simulated_models_are_marked() -> None:
    ((row,), _) = of(repaired(), manifest=Manifest({"simulated": ["sim/one"]}))
    assert row["source"]["simulated"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_examples_contain_no_text_of_a_test(layout: str) -> None:
    copied = f"{REFERENCE}\nweights = {{'0110': 0.125, '1001': 0.375, '1111': 0.5}}\n"
    completion = Completion(f"```python\n{copied}```")
    assert of(repaired("wp", code=copied, completion=completion), layout) == ([], Counter({training.TEST: 1}))


PROBABILITIES = {"probabilities": {"00": 0.5, "11": 0.5}}
REVEALING = {
    "an assertion": ({"assertion": "AssertionError: 3 is not 4"}, "The test says AssertionError: 3 is not 4"),
    "a right answer": (
        {"cases": [{"expected": PROBABILITIES}]},
        "Expected output:\noutcome: probability\n00: 0.5000\n11: 0.5000",
    ),
}
TELLING_NOTHING = {
    "the name of an exception": ({"assertion": "AssertionError"}, "it raised AssertionError"),
    "what it returned": ({"cases": [{"expected": PROBABILITIES, "got": "00: 0.5000"}]}, "It returned 00: 0.5000"),
    "a hidden case": ({"cases": [{"expected": "|01> -> |11>", "hidden": True}]}, "no case that is shown is wrong"),
}


def told_of(evidence: dict, text: str, redacted: int = 0) -> list[Attempt]:
    """Return a repair after feedback with this text on a failure with this evidence."""
    failed, passed = repaired()
    last = [*passed.messages[:-1], {"role": "user", "content": text}]
    feedback = Feedback("expected", text, redacted=redacted)
    return [
        failed.replaced(verdict=Verdict("wrong_answer", evidence)),
        passed.replaced(messages=last, feedback=feedback),
    ]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("told_what", REVEALING.values(), ids=REVEALING)
def test_feedback_with_expected_values_is_omitted(layout: str, told_what: tuple) -> None:
    assert of(told_of(*told_what), layout) == ([], Counter({training.REVEALED: 1}))


@pytest.mark.parametrize("told_what", TELLING_NOTHING.values(), ids=TELLING_NOTHING)
def test_feedback_without_grader_data_is_kept(told_what: tuple) -> None:
    assert len(of(told_of(*told_what))[0]) == 1


def test_redacted_feedback_is_omitted() -> None:
    attempts = told_of({}, "it printed [redacted: text of the test]", redacted=1)
    assert of(attempts)[1] == {training.REVEALED: 1}


def test_text_of_the_reference_is_not_text_of_the_test() -> None:
    assert holds_test(TEST, TASK)
    assert not holds_test(REFERENCE, TASK)
    assert not holds_test(REFERENCE + "\n# and my own words about climbing", TASK)


def stored(folder: Path, suite: Suite) -> Path:
    """Return a real run over the arms, made with an older version of the suite."""
    directory = folder / "arms"
    shutil.copytree(STORED / "arms", directory)
    (directory / "attempts.jsonl").write_bytes(lzma.decompress((directory / "attempts.jsonl.xz").read_bytes()))
    manifest = Manifest.read(directory)
    contents: ExperimentFields = {"suite_contents": {"aligned": [suite.version, suite.content_hash]}}
    manifest.replaced(experiment={**manifest.experiment, **contents}).write(directory)
    return directory


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_stored_run_is_exported(layout: str, tmp_path: Path, suite: Suite, cli) -> None:
    directory = stored(tmp_path, suite)
    done = cli("export", str(directory), "--format", layout)
    assert done.returncode == 0
    data, card = directory / layout / "train.jsonl", (directory / layout / "README.md").read_text()
    rows = [json.loads(line) for line in data.read_text().splitlines()]
    assert str(data) in done.stdout
    assert f"{len(rows):,} examples" in done.stdout
    assert "SIMULATED" in done.stdout
    assert training.CANARY in card
    solved = [e for e in training.metrics.episodes(load_rows(directory).rows) if e.solved_at]
    left_out = sum(int(line.split()[0]) for line in done.stdout.splitlines() if line.startswith("  "))
    assert len(rows) + left_out == len(training.metrics.episodes(load_rows(directory).rows))
    assert 0 < len(rows) <= len(solved)


def secrets(task: Task) -> set[str]:
    """Return grader data that a model cannot know: lines and error messages of tests, compared values, hidden inputs
    and correct answers.
    """
    pieces: set[str] = set()
    for check in (task.check, task.oracle):
        if isinstance(check, UnitTestCheck):
            for source in (check.test, check.classes):
                pieces |= {
                    line for line in source.splitlines() if not line.strip().startswith(("from ", "import ", "#"))
                }
            nodes = [
                node for node in ast.walk(ast.parse(check.test)) if isinstance(node, ast.Constant | ast.List | ast.Dict)
            ]
            pieces |= {ast.unparse(node) for node in nodes}
        elif check is not None:
            pieces |= set(check.setup.splitlines())
            for case in check.cases:
                answer = case.expected if isinstance(case.expected, dict) else {}
                likely = sorted((-share, outcome) for outcome, share in answer.items() if share > 1e-9)
                pieces.add("".join(f"{outcome}: {-share:.4f}" for share, outcome in likely))
                pieces |= {json.dumps(case.args), *map(json.dumps, case.args)} if case.hidden else set()
    return {plain for piece in pieces if len(plain := squeezed(piece)) > 12}


def squeezed(text: str) -> str:
    """Return a text without layout, quotes and escapes."""
    return re.sub(r"""[\s'"\\]+""", "", text)


@pytest.mark.slow
def test_exported_examples_contain_no_grader_data(tmp_path: Path, datasets: Path) -> None:
    """A simulated model runs over suites with every kind of check and with the most explicit feedback. The package's
    search for leaks is not used.
    """
    names = ["aligned", "qiskit-humaneval", "qiskit-humaneval-hard", "quantum-katas"]
    settings = {"models": "sim/novice", "suites": names, "frameworks": ["qiskit"], "limit": 12, "max_attempts": 3}
    run = repair_bench.run({**settings, "repair": {"feedback": ["default", "expected"]}}, out=tmp_path, data=datasets)
    loaded = [run_to_end(suites.load(name, data=datasets)) for name in names]
    tasks = {(task.suite, task.id, task.framework): task for suite in loaded for task in suite.tasks}
    ours = squeezed("".join(path.read_text() for path in TEMPLATES.rglob("*.j2")))
    for layout in LAYOUTS:
        made = training.write(load_rows(run.directory), layout, tmp_path / layout, datasets)
        assert training.REVEALED in made.left_out
        rows = [json.loads(line) for line in (tmp_path / layout / "train.jsonl").read_text().splitlines()]
        assert {row["source"]["suite"] for row in rows} == set(names)
        for row in rows:
            task = tasks[row["source"]["suite"], row["source"]["task_id"], row["source"]["framework"]]
            messages = [message for value in row.values() if isinstance(value, list) for message in value]
            answers = squeezed("".join(m["content"] for m in messages if m["role"] == "assistant"))
            told = squeezed("".join(m["content"] for m in messages if m["role"] != "assistant"))
            preamble = task.check.preamble if isinstance(task.check, UnitTestCheck) else ""
            known = ours + squeezed(task.prompt + task.starter + preamble)
            found = {piece for piece in secrets(task) if piece not in known}
            assert "shouldhavereturned" not in told, "the words of a right answer"
            assert not {piece for piece in found if piece in told and piece not in answers}, row["source"]
            assert not {piece for piece in found if piece in answers and piece not in squeezed(task.reference)}


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
def test_datasets_loads_the_exported_examples(layout: str, tmp_path: Path, suite: Suite) -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed: pip install datasets")
    directory = stored(tmp_path, suite)
    made = training.write(load_rows(directory), layout, tmp_path / layout, None)
    loaded = datasets.load_dataset(str(tmp_path / layout), split="train", cache_dir=str(tmp_path / "cache"))
    assert len(loaded) == made.examples
    rows = [json.loads(line) for line in (tmp_path / layout / "train.jsonl").read_text().splitlines()]
    assert loaded.to_list() == rows


@pytest.mark.slow
def test_run_with_other_suite_files_is_refused(tmp_path: Path, cli) -> None:
    contents = Manifest({"experiment": {"suite_contents": {"aligned": ["1", "0" * 64]}}})
    done = cli("export", str(written(tmp_path / "other", repaired(), contents)), "--format", "sft")
    assert (done.returncode, "different files of aligned" in done.stderr) == (2, True)
    assert not (tmp_path / "other" / "sft").exists()


def test_run_without_examples_is_a_usage_error(tmp_path: Path, cli) -> None:
    empty = written(tmp_path / "empty", repaired("p"), Manifest({"experiment": {"suite_contents": {}}}))
    done = cli("export", str(empty), "--format", "sft")
    assert done.returncode == 2
    assert "does not record its suites" in done.stderr
    unknown = cli("export", str(empty), "--format", "xlsx")
    assert "choose from parquet, csv, instances, sft, dpo" in unknown.stderr


@pytest.mark.parametrize("name", ["README.md", "train.jsonl", "notes.txt"])
def test_other_files_are_not_replaced_by_an_export(tmp_path: Path, name: str) -> None:
    manifest = Manifest({"experiment": {"suite_contents": {}}})
    (tmp_path / name).write_text("mine")
    with pytest.raises(UsageError, match=rf"contains other files \({name}\)"):
        training.write(Run(manifest, repaired(), []), "sft", tmp_path, None)
    assert (tmp_path / name).read_text() == "mine"


def test_earlier_export_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def tasks(*_: object) -> dict:
        return TASKS

    monkeypatch.setattr(training, "_tasks", tasks)
    for attempts in (repaired("wp"), repaired("wwp")):
        training.write(Run(Manifest({}), attempts, []), "sft", tmp_path / "out", None)
        (tmp_path / "out" / ".train.jsonl.1.new").write_text("left by a kill")
    assert json.loads((tmp_path / "out" / "train.jsonl").read_text())["source"]["repairs"] == 2
