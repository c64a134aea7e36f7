"""Every command that README and docs/ show: those that need no network and no key are executed, all are parsed."""

import json
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer
from typer._click.exceptions import ClickException

from repair_bench.cli import app, main

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
ONLINE = ("openai/", "anthropic/", " fetch ", "env create", "--ray-address", "qiskit=")
"""What a command that needs a network, a key or an installation has in it."""
TO_FILL_IN = re.compile(r"[<>|]|RUN_DIR|OTHER_DIR|EPISODE|\.\.\.|NAME|FRAMEWORK")
PUBLISHED = ("quanbench-plus", "quantum-katas", "qiskit-humaneval")
SMALL = {
    "run": ["--limit", "1", "--max-attempts", "1"],
    "suites audit": ["--framework", "qiskit", "--mutants", "1", "--redraws", "10", "--runs", "1"],
}
"""Given besides: the same on less."""


@dataclass(frozen=True)
class Shown:
    """A command as a page shows it."""

    page: str
    text: str

    @property
    def words(self) -> list[str]:
        return shlex.split(self.text, comments=True)[1:]

    def __str__(self) -> str:
        return f"{self.page}: {self.text}"


def commands() -> Iterator[Shown]:
    for page in PAGES:
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        for line in text.splitlines():
            found = re.match(r"(?:    |\$ )?(repair-bench .*)", line)
            if found and not re.search(
                r"[<>|]|RUN_DIR|OTHER_DIR|EPISODE|\.\.\.|NAME|FRAMEWORK", found[1].split("#")[0]
            ):
                yield Shown(str(page.relative_to(ROOT)), " ".join(found[1].split()))


def placeholders() -> Iterator[Shown]:
    """Commands with a word to fill in are parsed with it filled in."""
    words = {
        "RUN_DIR...": "runs/a runs/b",
        "RUN_DIR": "runs/a",
        "EPISODE": "e1",
        "NAME-OR-PATH": "old",
        "NAME": "aligned",
    }
    for page in PAGES:
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        for line in text.splitlines():
            found = re.match(r"    (repair-bench .*)", line)
            if (
                found
                and re.search(r"RUN_DIR|EPISODE|NAME", found[1])
                and "..." not in found[1].replace("RUN_DIR...", "")
            ):
                filled = found[1]
                for word, value in words.items():
                    filled = filled.replace(word, value)
                yield Shown(str(page.relative_to(ROOT)), filled)


SHOWN = list(dict.fromkeys(commands()))


def test_pages_show_commands() -> None:
    assert len(SHOWN) > 30
    assert {shown.page for shown in SHOWN} >= {"README.md", "docs/tutorial.md"}


@pytest.mark.parametrize("shown", [*SHOWN, *dict.fromkeys(placeholders())], ids=str)
def test_every_command_is_one_that_the_program_takes(shown: Shown) -> None:
    command, words, path = typer.main.get_command(app), shown.words, "repair-bench"
    while hasattr(command, "commands"):
        path += f" {words[0]}"
        assert words[0] in command.commands, f"{shown}: there is no {path}"
        command, words = command.commands[words[0]], words[1:]
    try:
        command.make_context(path, list(words))
    except ClickException as error:
        pytest.fail(f"{shown}: {error.format_message()}")


def offline() -> list[Shown]:
    return [
        shown
        for shown in SHOWN
        if not any(word in f" {shown.text} " for word in ONLINE) and not any(name in shown.text for name in PUBLISHED)
    ]


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the pages suppose: runs, an experiment file, answers to grade, tasks of one's own."""
    folder = tmp_path_factory.mktemp("docs")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run(patch, ["run", "--limit", "2", "--max-attempts", "1", "--feedback", "default", "--feedback", "verdict",
                    "--model", "sim/novice", "--out", "made", "--json"])  # fmt: skip
    pages = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in PAGES}
    (folder / "arms.toml").write_text(block(pages["docs/how-to/feedback-arms.md"], "toml"))
    (folder / "tasks.jsonl").write_text(block(pages["docs/how-to/add-a-suite.md"], "json"))
    study = block(pages["README.md"], "toml")
    models = 'models = ["sim/novice"]\nframeworks = ["qiskit"]'
    (folder / "study.toml").write_text(re.sub(r"^models = .*$", models, study, flags=re.MULTILINE))
    code = "def Bell_State():\\n    return 1\\n"
    (folder / "solutions.jsonl").write_text(f'{{"task_id": "16", "framework": "qiskit", "code": "{code}"}}\n')
    graded = {
        "task_id": "16",
        "framework": "qiskit",
        "code": "1",
        "verdict": "wrong_answer",
        "error_type": "",
        "detail": "",
    }
    for name in ("old.jsonl", "new.jsonl"):
        (folder / name).write_text(json.dumps(graded) + "\n")
    return folder


def block(page: str, language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", page, re.DOTALL)
    assert found is not None
    return found[1]


def run(patch: pytest.MonkeyPatch, words: list[str]) -> int:
    patch.setattr(sys, "argv", ["repair-bench", *words])
    with pytest.raises(SystemExit) as end:
        main()
    return int(end.value.code or 0)


@pytest.mark.slow
@pytest.mark.parametrize("shown", offline(), ids=str)
def test_what_needs_no_network_runs(shown: Shown, workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workplace)
    words = list(shown.words)
    for word in words:  # the runs that a page made before, or is about to make
        if word.startswith(("runs/", "replay/runs/")):
            folder = Path(word.removeprefix("replay/"))
            is_new = words[words.index(word) - 1] == "--out"
            shutil.rmtree(folder, ignore_errors=True)
            if not is_new:
                shutil.copytree("made", folder)
    for name, more in SMALL.items():
        if words[: len(name.split())] == name.split() and "--resume" not in words:
            for option, value in zip(more[::2], more[1::2], strict=True):
                words += [option, value] if option not in words else []
    assert run(monkeypatch, words) in (0, 1), shown


@pytest.mark.slow
def test_python_blocks_on_a_run_print_figures(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(workplace)
    shutil.rmtree("runs/study", ignore_errors=True)
    shutil.copytree("made", "runs/study")
    text = (ROOT / "docs/how-to/read-the-traces.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 3
    for code in blocks:
        exec(compile(code, "docs", "exec"), {})
        assert re.search(r"\d", capsys.readouterr().out)


def test_toml_and_json_blocks_are_what_they_say() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for found in re.findall(r"```toml\n(.*?)```", text, re.DOTALL):
            tomllib.loads(found)
        for found in re.findall(r"```json\n(.*?)```", text, re.DOTALL):
            for line in found.strip().splitlines():
                json.loads(line)
