"""README and docs/ work as described: each page's files are written, its packages installed and its commands run."""

import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pages import PAGES, ROOT, SHOWN, Block, blocks

import repair_bench
from repair_bench.cli import main
from repair_bench.frameworks import FRAMEWORKS
from repair_bench.suites.fetch import SOURCES

SUBSTITUTES = {
    "openai/gpt-4.1": "sim/novice",
    "anthropic/claude-sonnet-4-5": "sim/expert",
    "sim/journeyman": "sim/novice",
    "providers.openai": "providers.sim",
}
"""Models without a key by provider, and one whose failures can be repaired."""
ELSEWHERE = (
    "env create",
    "--ray-address",
    "openai.batch=true",
    "suites validate quantum-katas",
    "suites calibrate",
    "serve --",
    "--sign",
)
"""Blocks that require an installation, a cluster or a key, or take very long; other tests cover them."""
ENDS = {"run --model manual/answers": 1}
"""The exit codes of commands that do not end with 0, because their answers are pending."""
AS_THEY_STAND = ("run --limit 3 ", "seed=1'")
"""Commands whose output a page quotes, by a part of their text."""
SMALL = {
    "run": ["--limit", "2", "--max-attempts", "1", "--framework", "qiskit"],
    "suites audit": ["--framework", "cirq", "--mutants", "1"],
}
"""Additional arguments, for a smaller run."""
ARCHIVE = "benchmark_qhe_v3_20260427_194907.json"
ARCHIVED = 12
"""Number of its answers: those of the first six tasks."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run, for pages that require one."""
    folder = tmp_path_factory.mktemp("docs") / "made"
    settings = {
        "models": "sim/novice",
        "limit": 2,
        "max_attempts": 1,
        "repair": {"feedback": ["default", "verdict", "none"]},
    }
    repair_bench.run(settings, out=folder)
    return folder


@pytest.fixture
def reader(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], lent: None
) -> Iterator["Reader"]:
    """Remove the packages that a page installs after the test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.nice", lambda _: 0)  # changes that a command makes to its process would slow later tests
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shutil.copytree(ROOT / "docs" / "images", tmp_path / "docs" / "images")
    frameworks = dict(FRAMEWORKS)
    yield Reader(made, tmp_path, monkeypatch, capsys)
    FRAMEWORKS.clear()
    FRAMEWORKS.update(frameworks)
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]


class Reader:
    """Follows a page in a separate folder."""

    def __init__(self, made: Path, folder: Path, patch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.made = made
        self.folder = folder
        self.patch = patch
        self.capsys = capsys
        self.printed: dict[str, str] = {}
        """The output by command, as written on the page; "python": the output of its Python."""

    def fetch(self, datasets: Path) -> None:
        """Copy the official files to the place where `suites fetch` stores them."""
        for name, source in SOURCES.items():
            place = self.folder / "cache" / "repair-bench" / "datasets" / name / source.version
            place.mkdir(parents=True)
            for file in source.files:
                (original,) = datasets.rglob(file)
                shutil.copy(original, place)

    def unpack(self, answers: list[dict]) -> None:
        """Copy the published archive that a page regrades to the place that the page names."""
        names = {
            "task_id": "prompt_id",
            "completion": "generated_code",
            "theirs": "success",
            "strategy": "strategy_name",
        }
        results = [{names[name]: value for name, value in answer.items() if name in names} for answer in answers]
        (self.folder / ARCHIVE).write_text(json.dumps({"results": results}), encoding="utf-8")

    def read(self, page: str) -> None:
        for block in blocks(page):
            if block.title is not None:
                self.write(block)
            elif block.language == "python":
                for path in re.findall(r'(?<!out=")runs/[\w-]+', block.text):
                    self.suppose(Path(path))
                exec(compile(block.text, page, "exec"), {})
                self.printed["python"] = self.printed.get("python", "") + self.capsys.readouterr().out
            for words in block.commands():
                self.run(page, words)

    def suppose(self, run: Path) -> None:
        """Make a run with this name unless it exists."""
        if not run.exists():
            shutil.copytree(self.made, run)

    def write(self, block: Block) -> None:
        text = block.text
        for model, substitute in SUBSTITUTES.items():
            text = text.replace(model, substitute)
        place = self.folder / block.title
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        if block.title == "pyproject.toml":
            self.install(self.folder)

    def install(self, folder: Path) -> None:
        """Create the files of an installed package: its name, version and entry points."""
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        info = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
        groups = project["entry-points"].items()
        lines = [line for group, named in groups for line in (f"[{group}]", *(f"{n} = {v}" for n, v in named.items()))]
        (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
        self.patch.syspath_prepend(str(folder))

    def run(self, page: str, words: list[str]) -> None:
        if any(text in " ".join(words) for text in ELSEWHERE):
            return
        shown = " ".join(words)
        words = [SUBSTITUTES.get(word, word).replace("providers.openai", "providers.sim") for word in words]
        if "--python" in words:  # the interpreters of `env create`
            at = words.index("--python")
            words = words[:at] + words[at + 2 :]
        for i, word in enumerate(words):
            path = Path(word.removeprefix("replay/"))
            if path.parts[:1] == ("runs",) and words[i - 1] != "--out":
                self.suppose(path)
            if word == "study.toml" and not path.exists():
                self.write(next(block for block in blocks("README.md") if block.title == "study.toml"))
            if word == "episode":
                words[i] = repair_bench.load(self.made).rows[0].episode
        for name, more in () if any(part in shlex.join(words) for part in AS_THEY_STAND) else SMALL.items():
            if words[: len(name.split())] == name.split() and "--resume" not in words:
                for option, value in zip(more[::2], more[1::2], strict=True):
                    words = _with(words, option, value)
        self.patch.setattr(sys, "argv", ["repair-bench", *words])
        with pytest.raises(SystemExit) as end:
            main()
        self.printed[shown], errors = self.capsys.readouterr()
        assert (end.value.code or 0) == ENDS.get(shown, 0), f"{page}: {shown}: {errors}"
        if words[0] == "new":
            self.install(self.folder / words[-1])

    def attempts(self, run: str) -> list[dict]:
        """Return the records of the runs with this name; `*` matches any."""
        files = sorted(self.folder.glob(f"{run}/attempts.jsonl"))
        assert files, run
        return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]

    def there(self, *paths: str) -> bool:
        """Whether the page wrote these files or non-empty folders."""
        places = [self.folder / path for path in paths]
        return all(
            place.exists() and (any(place.iterdir()) if place.is_dir() else place.stat().st_size) for place in places
        )


def _with(words: list[str], option: str, value: str) -> list[str]:
    if option not in words:
        return [*words, option, value]
    at = words.index(option) + 1
    return [*words[:at], value, *words[at + 1 :]] if option == "--limit" else words


def readme(page: Reader) -> None:
    assert page.there("runs/first/plots/repair-curve.png")
    assert page.there("runs/gpt-4.1/report.html")
    assert "No request was sent and no file was written." in page.printed["run study.toml --plan"]
    firsts = [line for line in page.attempts("runs/study") if line["attempt"] == 0]
    assert len(firsts) == 8 * len({line["id"] for line in firsts}), "arms share their first attempt"
    asked = [line["id"] for line in page.attempts("runs/gpt-4.1")]
    assert len(asked) == len(set(asked)), "a resumed run asks for nothing twice"


def cluster(page: Reader) -> None:
    shards = [{line["id"] for line in page.attempts(f"runs/shard-{number}")} for number in (1, 2)]
    assert shards[0].isdisjoint(shards[1])
    assert {line["id"] for line in page.attempts("runs/whole")} == shards[0] | shards[1]


def add_a_feedback_policy(page: Reader) -> None:
    feedbacks = [line["feedback"] for line in page.attempts("runs/*") if line["feedback"]]
    told = [feedback["text"] for feedback in feedbacks if feedback["policy"] == "name-only"]
    assert told
    assert all(text.endswith("Reply with the complete corrected program.") for text in told)
    hints = [feedback for feedback in feedbacks if feedback["policy"] == "one-hint"]
    assert hints
    for hint in hints:
        assert hint["critic"]["model"] == "sim/expert"
        assert hint["critic"]["messages"][-1]["content"].startswith("Give one hint")
        assert f"A hint: {hint['critic']['completion']['text']}" in hint["text"]


def add_a_framework(page: Reader) -> None:
    assert page.printed["suites validate jsonl --data tasks.jsonl"] == "1 task: pass 1\n"
    lines = page.attempts("runs/*")
    assert {(line["task_id"], line["framework"]) for line in lines} == {("bell", "numpy")}
    assert all(line["verdict"] and "np." in line["code"] for line in lines)


def add_a_plot(page: Reader) -> None:
    assert page.there("runs/study/plots/lengths.svg", "runs/study/plots/lengths.png")


def add_a_provider(page: Reader) -> None:
    lines = page.attempts("runs/*")
    assert {(line["model"], line["verdict"]["kind"]) for line in lines} == {("echo/one", "wrong_answer")}


def add_a_suite(page: Reader) -> None:
    assert page.printed["suites validate jsonl --data tasks.jsonl"] == "1 task: pass 1\n"
    assert page.printed["suites validate ghz"] == "2 tasks: pass 2\n"
    lines = page.attempts("runs/*")
    assert {line["task_id"] for line in lines} == {"bell/1", "ghz-2", "ghz-3"}
    assert all(line["verdict"] for line in lines)


def add_an_oracle(page: Reader) -> None:
    assert "incorrect under every reading" in page.printed["python"]


def choose_a_suite(page: Reader) -> None:
    named = re.findall(r"`([\w-]+)`(?=[^|\n]* \| \d| \| your)", PAGES["docs/how-to/choose-a-suite.md"])
    assert len(named) == 8
    assert all(f"\n{name} " in page.printed["suites list"] for name in named)
    assert page.there(page.printed["suites fetch quantum-katas"].strip())
    assert "Write a Cirq function `Bell_State()`." in page.printed["suites show aligned 16 --framework cirq"]
    assert "An empty circuit passes." in page.printed["suites show quanbench-plus --errata"]
    assert page.printed["suites validate aligned"] == "164 tasks: pass 164\n"
    assert "failures that repairs could solve" in page.printed["suites headroom runs/first-answers"]
    assert "passed by" not in page.printed["suites audit aligned --framework qiskit"]
    released = page.printed["suites audit quanbench-plus --rule released --framework qiskit"]
    assert "passed by empty" in " ".join(released.split())


def feedback_arms(page: Reader) -> None:
    assert "Effect of feedback" in page.printed["report runs/arms"]
    assert page.there("runs/arms/plots/budget.svg")
    stored, forked = page.attempts("runs/arms"), page.attempts("runs/forked")
    firsts = {line["id"] for line in forked if line["attempt"] == 0}
    assert firsts
    assert firsts <= {line["id"] for line in stored if line["attempt"] == 0}
    assert {line["feedback"]["policy"] for line in forked if line["attempt"]} == {"distance"}
    assert re.search(
        r"^distance\n(control .*\n)?none .* exploratory$",
        page.printed["report runs/arms runs/forked --full"],
        re.MULTILINE,
    )
    assert all("@sim/novice" in line["condition"] for line in page.attempts("runs/expert"))
    written = [
        (line["model"], line["writer"], line["condition"])
        for line in page.attempts("runs/stored")
        if not line["attempt"]
    ]
    assert sorted(written) == [(model, "stored", "default@stored") for model in ("sim/expert", "sim/novice")]


def find_what_feedback_helps(page: Reader) -> None:
    assert "Evidence" in page.printed["report runs/evidence --full"]
    assert "Understood and applied" in page.printed["report runs/probe --full"]
    policies = {line["feedback"]["policy"] for line in page.attempts("runs/evidence") if line["attempt"]}
    assert policies == {"default", "verdict", "critic", "tool", "api"}
    assert any(line["questions"] for line in page.attempts("runs/ask"))
    assert any(line["probe"] for line in page.attempts("runs/probe"))
    assert (
        "2 pairs, by model; 0 unpaired" in page.printed["compare sim/journeyman sim/expert --by model --in runs/others"]
    )


def find_the_horizon(page: Reader) -> None:
    assert "parity-8" in page.printed["suites show horizon"]
    assert "Return a QuantumCircuit on exactly 8 qubits" in page.printed["suites show horizon?sizes=8 parity-8"]
    assert page.printed["suites validate horizon?sizes=6,8"] == "12 tasks: pass 12\n"
    for line in page.attempts("runs/horizon"):
        assert line["verdict"]["rule"] == "budget"
        assert len(line["verdict"]["evidence"].get("instances", [])) in (0, 6)  # no code, or 3 visible and 3 hidden
    assert "Horizon after k repairs: the instance size at which" in page.printed["report runs/horizon --full"]
    assert page.there("runs/horizon/plots/horizon.svg", "runs/horizon/instances.csv")
    assert {line["condition"] for line in page.attempts("runs/arms")} >= {"verdict"}


def grade_stored_answers(page: Reader) -> None:
    lines = [json.loads(line) for line in (page.folder / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["verdict"] for line in lines] == ["pass", "no_code"]
    assert all({"error_type", "detail", "sealed", "seconds"} <= line.keys() for line in lines)
    assert not (page.folder / "verdicts.jsonl.part").exists()
    assert "0 of 2 verdicts changed" in page.printed["drift old.jsonl new.jsonl"]


def look_at_a_run(page: Reader) -> None:
    assert page.there("runs/a/report.html", "runs/a/plots/repair-curve.svg", "runs/a/plots/budget.svg")
    assert "Effect of feedback" in page.printed["report runs/a"]
    assert "GPT-4.1" in page.printed["report runs/a --published quanbench-plus"]
    assert "18 pairs; 0 unpaired" in page.printed["compare runs/a runs/b"]
    assert "A: none\nB: default\n" in page.printed["compare none default --by condition --in runs/a"]
    assert "--- prompt (user)" in page.printed["show runs/a episode"]
    there = {
        row.episode for row in repair_bench.load(page.made).rows if (row.task_id, row.framework) == ("01", "qiskit")
    }
    assert there <= set(page.printed["show runs/a --task 01 --framework qiskit"].split())
    assert "execute --> classify" in page.printed["graph"]
    assert "\nlandlock " in page.printed["doctor"]


def read_the_traces(page: Reader) -> None:
    assert len(re.findall(r"\d\.\d", page.printed["python"])) > 10
    assert page.there("runs/study/attempts.csv", "runs/study/attempts.parquet")


def regrade_an_archive(page: Reader) -> None:
    command = "grade answers.jsonl --suite qiskit-humaneval --out verdicts.jsonl --verdict-field theirs"
    agreed = f"compared with theirs: {ARCHIVED - 1} of {ARCHIVED} verdicts agree"
    assert agreed in page.printed[command]
    assert "\nours pass, published fail: 1: qiskitHumanEval/3 qiskit (line 8)\n" in page.printed[command]
    assert page.printed["python"] == "8 qiskitHumanEval/3 multi_turn pass None\n"


def reproduce_quanbench_plus(page: Reader) -> None:
    assert page.there("runs/paper/report.html")
    assert "Tables 2 and 6" in page.printed["report runs/paper --published quanbench-plus"]
    assert (
        "graded with the rule released" in page.printed["regrade runs/paper --rule released --out runs/paper-released"]
    )
    assert "2 pairs; 0 unpaired" in page.printed["compare runs/paper runs/paper-released"]
    codes = [sorted(line["code"] for line in page.attempts(run)) for run in ("runs/paper", "runs/paper-released")]
    assert codes[0] == codes[1]


def install(page: Reader) -> None:
    assert "SIMULATED MODEL" in page.printed["run --max-attempts 5"]


def publish_a_run(page: Reader) -> None:
    assert page.there(*(f"runs/site/{file}" for file in ("index.html", "README.md", "runs/first/attempts.parquet")))
    said = page.printed["verify runs/first --sample 3 --seed 7"]
    assert "0 contradictions" in said
    assert "answers (seed 7): 3 agree" in said
    assert page.printed["verify runs/site"].endswith("\nconsistent\n")


def run_a_model(page: Reader) -> None:
    answered = [sorted(line["code"] for line in page.attempts(run)) for run in ("runs/study", "runs/again")]
    assert answered[0] == answered[1]
    assert page.there("answers")
    assert {line["feedback"]["policy"] for line in page.attempts("runs/2*") if line["attempt"]} == {"default"}
    assert len(page.attempts("runs/study-paper")) == len(answered[0])


def plan_a_study(page: Reader) -> None:
    for command, supposed in (
        ("run planned.toml --plan", "Assumed, not measured: first, repaired, icc"),
        (
            "run planned.toml --plan --rates first=0.4,repaired=0.3,icc=0.3,correlation=0.9",
            "Assumptions: 40% of first answers pass",
        ),
        ("run planned.toml --plan --pilot runs/pilot", "is estimated from runs/pilot"),
    ):
        assert supposed in " ".join(page.printed[command].split())
    lock = json.loads((page.folder / "runs/planned/study.lock").read_text(encoding="utf-8"))
    assert [(c["baseline"], c["other"]) for c in lock["comparisons"]] == [("none", "default")]
    assert lock["sha256"] in page.printed["run planned.toml --plan"]
    assert {"planned", "exploratory"} <= set(page.printed["report runs/planned --full"].split())


def train_a_model(page: Reader) -> None:
    for layout, answers in (("sft", {"completion"}), ("dpo", {"chosen", "rejected"})):
        lines = (page.folder / "runs/taught" / layout / "train.jsonl").read_text(encoding="utf-8").splitlines()
        assert lines
        assert all(json.loads(line).keys() == {"prompt", "canary", "source"} | answers for line in lines)
    assert page.printed["python"] == "no_code 0.0\n" * 4 + "0.0 0.0\n"
    text = PAGES["docs/how-to/train-a-model.md"]
    curls = [shlex.split(line) for line in text.splitlines() if line.startswith("curl ")]
    (served,) = re.findall(r"^repair-bench (serve .+)$", text, re.MULTILINE)
    process = subprocess.Popen(
        [sys.executable, "-m", "repair_bench", *shlex.split(served), "--port", "0", "--limit", "20"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        (address,) = re.findall(r"http://\S+(?=\.)", process.stdout.readline())
        replies: list[Any] = [{}]
        for curl in curls:
            (url,) = (word for word in curl if word.startswith("http"))
            url = re.sub(r"\bID\b", replies[-1].get("id", "") if isinstance(replies[-1], dict) else "", url)
            body = curl[curl.index("--json") + 1].encode() if "--json" in curl else None
            method = curl[curl.index("-X") + 1] if "-X" in curl else None
            asked = urllib.request.Request(
                url.replace("http://127.0.0.1:8470", address), body, {"Content-Type": "application/json"}, method=method
            )
            with urllib.request.urlopen(asked, timeout=60) as reply:
                replies.append(json.loads(reply.read() or "{}"))
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0
        process.stdout.close()
    assert [task["task_id"] for task in replies[1]].count("16") == 1
    assert (replies[3]["verdict"], replies[3]["attempt"], replies[4]["last"]) == ("no_code", 1, replies[3])


def use_from_python(page: Reader) -> None:
    assert "['no_code', 'no_code']" in page.printed["python"]
    assert re.search(r"^coins (pass|wrong_answer|exception|no_code)$", page.printed["python"], re.MULTILINE)
    assert "kind-only" in page.printed["python"]
    told = [line["feedback"] for line in page.attempts("runs/policies") if line["condition"] == "kind-only"]
    assert all(text["text"].startswith("The verdict is ") for text in told if text is not None)
    assert "\n<?xml\n" in page.printed["python"]
    assert page.printed["python"].strip().endswith("pass")


def write_an_experiment(page: Reader) -> None:
    assert "\n8 conditions: " in page.printed["run study.toml --plan"]
    by_history = [{line["condition"] for line in page.attempts(run)} for run in ("runs/study", "runs/[!s]*")]
    assert [len(conditions) for conditions in by_history] == [8, 4]
    (plan,) = (text for command, text in page.printed.items() if command.startswith("run --protocol"))
    assert "2 tasks of quanbench-plus" in plan


def tutorial(page: Reader) -> None:
    assert page.there("runs/tutorial/report.html", "runs/tutorial/plots/repair-curve.svg")
    assert page.there(page.printed["suites fetch quantum-katas"].strip())
    assert "Effect of feedback" in page.printed["report runs/katas runs/katas-arms"]
    (first,) = (text for command, text in page.printed.items() if command == "report runs/tutorial")
    (use,) = (text for command, text in page.printed.items() if command == "report runs/conventions")
    assert STATED.findall(first) == STATED.findall(PAGES["docs/tutorial.md"].split("```")[2])
    rows = re.findall(r"^\| `(sim/\w+)` \| (.+) \| (.+) \|$", PAGES["docs/tutorial.md"], re.MULTILINE)
    assert len(rows) == 2
    rates, shares = use.split("Feedback utilisation")
    for model, used, solved in rows:
        assert re.search(rf"^{model} +{re.escape(used)}$", shares, re.MULTILINE), (model, used, use)
        assert re.search(rf"^{model}\n(n .*\n)?\d.* {re.escape(solved)}$", rates, re.MULTILINE), (model, solved, use)
    assert page.there("runs/conventions/plots/information.svg")
    asked = [line["id"] for line in page.attempts("runs/katas")]
    assert len(asked) == len(set(asked))


STATED = re.compile(r"\d+\.\d \(\d+\.\d-\d+\.\d\)")
"""A rate with its interval."""
PROMISES: dict[str, Callable[[Reader], None]] = {
    "README.md": readme,
    "docs/cluster.md": cluster,
    "docs/how-to/add-a-feedback-policy.md": add_a_feedback_policy,
    "docs/how-to/add-a-framework.md": add_a_framework,
    "docs/how-to/add-a-plot.md": add_a_plot,
    "docs/how-to/add-a-provider.md": add_a_provider,
    "docs/how-to/add-a-suite.md": add_a_suite,
    "docs/how-to/add-an-oracle.md": add_an_oracle,
    "docs/how-to/choose-a-suite.md": choose_a_suite,
    "docs/how-to/feedback-arms.md": feedback_arms,
    "docs/how-to/find-what-feedback-helps.md": find_what_feedback_helps,
    "docs/how-to/find-the-horizon.md": find_the_horizon,
    "docs/how-to/grade-stored-answers.md": grade_stored_answers,
    "docs/how-to/look-at-a-run.md": look_at_a_run,
    "docs/how-to/plan-a-study.md": plan_a_study,
    "docs/how-to/publish-a-run.md": publish_a_run,
    "docs/how-to/read-the-traces.md": read_the_traces,
    "docs/how-to/regrade-an-archive.md": regrade_an_archive,
    "docs/how-to/reproduce-quanbench-plus.md": reproduce_quanbench_plus,
    "docs/how-to/run-a-model.md": run_a_model,
    "docs/how-to/train-a-model.md": train_a_model,
    "docs/how-to/use-from-python.md": use_from_python,
    "docs/how-to/write-an-experiment.md": write_an_experiment,
    "docs/install.md": install,
    "docs/tutorial.md": tutorial,
}
"""The required results of following a page, besides the exit codes of its commands."""
PUBLISHED = re.compile(rf"(?<!--published )(?:{'|'.join(SOURCES)})")


def test_every_page_that_can_be_followed_has_required_results() -> None:
    followed = {page for page in PAGES if any(b.language == "python" or list(b.commands()) for b in blocks(page))}
    assert set(PROMISES) == followed


@pytest.mark.slow
@pytest.mark.usefixtures("drawn")
@pytest.mark.parametrize("page", PROMISES)
def test_page_works_as_described(page: str, reader: Reader, request: pytest.FixtureRequest) -> None:
    if any(PUBLISHED.search(" ".join(words)) for shown, words in SHOWN if shown == page):
        reader.fetch(request.getfixturevalue("datasets"))
    if ARCHIVE in PAGES[page]:
        reader.unpack(request.getfixturevalue("answers")[:ARCHIVED])
    reader.read(page)
    PROMISES[page](reader)
