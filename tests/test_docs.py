"""README and docs/ do what they say: each page's files are written, its packages installed and its commands run."""

import json
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name

import pytest
import typer
from typer._click.exceptions import ClickException

import repair_bench
from repair_bench.cli import app, main
from repair_bench.suites.fetch import SOURCES

ROOT = Path(__file__).parents[1]
PAGES = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
}
FILLED_IN = {
    "RUN_DIR": "runs/a",
    "OTHER_DIR": "runs/b",
    "EPISODE": "episode",
    "NAME-OR-PATH": "old",
    "NAME": "aligned",
}
"""What stands for a word that the reader is to fill in."""


@dataclass(frozen=True)
class Block:
    """A part of a page: a fenced block, or indented lines, which are commands."""

    language: str
    title: str | None
    text: str

    def commands(self) -> Iterator[list[str]]:
        """The words of each command of ours, without its comment, with what is to be filled in filled in."""
        if self.language != "sh":
            return
        text = self.text.replace("\\\n", " ")
        for word, value in FILLED_IN.items():
            text = re.sub(rf"\b{word}\b", value, text)
        for line in text.splitlines():
            if line.startswith("repair-bench "):
                yield shlex.split(line, comments=True)[1:]


def blocks(page: str) -> Iterator[Block]:
    parts = re.compile(r'^```(\w+)(?: title="(.+?)")?\n(.*?)^```$|((?:^    \S[^\n]*\n)+)', re.MULTILINE | re.DOTALL)
    for language, title, fenced, indented in parts.findall(PAGES[page]):
        text = re.sub("^    ", "", indented, flags=re.MULTILINE) if indented else fenced
        yield Block(language or "sh", title or None, text)


SHOWN = list(
    dict.fromkeys((page, tuple(words)) for page in PAGES for block in blocks(page) for words in block.commands())
)


def test_pages_show_commands() -> None:
    assert len(SHOWN) > 60
    assert {page for page, _ in SHOWN} >= {"README.md", "docs/tutorial.md", "docs/how-to/look-at-a-run.md"}


@pytest.mark.parametrize(("page", "words"), SHOWN, ids=lambda part: part if isinstance(part, str) else " ".join(part))
def test_every_command_is_one_that_the_program_takes(page: str, words: tuple[str, ...]) -> None:
    command, left, path = typer.main.get_command(app), list(words), "repair-bench"
    while hasattr(command, "commands"):
        path += f" {left[0]}"
        assert left[0] in command.commands, f"{page}: there is no {path}"
        command, left = command.commands[left[0]], left[1:]
    try:
        command.make_context(path, left)
    except ClickException as error:
        pytest.fail(f"{page}: {' '.join(words)}: {error.format_message()}")


def test_toml_and_json_blocks_are_what_they_say() -> None:
    for page in PAGES:
        for block in blocks(page):
            if block.language == "toml":
                tomllib.loads(block.text)
            if block.language == "json":
                for line in block.text.strip().splitlines():
                    json.loads(line)


TEXTS = PAGES | {
    name: (ROOT / name).read_text(encoding="utf-8") for name in ("AGENTS.md", "CHANGELOG.md", "CONTRIBUTING.md")
}
GROUPS = {f"repair_bench.{kind}" for kind in ("models", "suites", "feedback", "frameworks", "plots")}
"""Of entry points: some are no modules."""


@pytest.mark.parametrize("page", TEXTS)
def test_what_a_page_names_of_the_code_is_there(page: str) -> None:
    text = TEXTS[page]
    missing = [path for path in re.findall(r"\brepair_bench/[\w./-]*\w", text) if not (ROOT / path).exists()]
    places = [ROOT, ROOT / "repair_bench", *ROOT.glob("repair_bench/*/")]  # what a path may begin at
    for path in re.findall(r"`((?:\w+/)+\w+\.py)`", text):
        missing += [] if any((place / path).exists() for place in places) else [path]
    names = set(re.findall(r"\brepair_bench(?:\.[A-Za-z]\w*)+", text)) - GROUPS
    for module, imported in re.findall(r"^from (repair_bench[\w.]*) import ([\w, ]+)$", text, re.MULTILINE):
        names |= {f"{module}.{name.strip()}" for name in imported.split(",")}
    for name in names:
        try:
            resolve_name(name)
        except (ImportError, AttributeError):
            missing.append(name)
    assert missing == []


def test_links_of_the_readme_lead_somewhere() -> None:
    for link in re.findall(r"\]\((?!https://)([^)#]+)", PAGES["README.md"]):
        assert (ROOT / link).exists(), link


def test_the_readme_is_short_and_says_what_it_is_not() -> None:
    assert PAGES["README.md"].count("\n") <= 120
    assert "This is not [RepairBench](https://arxiv.org/abs/2409.18952)" in PAGES["README.md"]


SUBSTITUTES = {
    "openai/gpt-4.1": "sim/novice",
    "anthropic/claude-sonnet-4-5": "sim/expert",
    "sim/journeyman": "sim/novice",
}
"""Models that need no key, and one that leaves failures to go on from."""
ELSEWHERE = ("env create", "--ray-address", "suites validate quantum-katas", "suites calibrate")
"""What an installation or a cluster is needed for, and what takes very long: other tests have it."""
SMALL = {
    "run": ["--limit", "2", "--max-attempts", "1", "--framework", "qiskit"],
    "suites audit": ["--framework", "qiskit", "--mutants", "1", "--redraws", "10", "--runs", "1"],
}
"""Given besides: the same on less."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run, for pages that suppose one."""
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
def reader(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "Reader":
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return Reader(made, tmp_path, monkeypatch)


class Reader:
    """Someone who does what a page says, in a folder of its own."""

    def __init__(self, made: Path, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.made = made
        self.folder = folder
        self.patch = patch
        self.ended: dict[str, int | str] = {}

    def fetch(self, datasets: Path) -> None:
        """Put the official files where `suites fetch` puts them."""
        for name, source in SOURCES.items():
            place = self.folder / "cache" / "repair-bench" / "datasets" / name / source.version
            place.mkdir(parents=True)
            for file in source.files:
                (original,) = datasets.rglob(file)
                shutil.copy(original, place)

    def read(self, page: str) -> None:
        for block in blocks(page):
            if block.title is not None:
                self.write(block)
            elif block.language == "python":
                for path in re.findall(r'(?<!out=")runs/[\w-]+', block.text):
                    self.suppose(Path(path))
                exec(compile(block.text, page, "exec"), {})
            for words in block.commands():
                self.run(page, words)

    def suppose(self, run: Path) -> None:
        """A run of that name is there, whoever made it."""
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
            self.install(tomllib.loads(text)["project"])

    def install(self, project: dict) -> None:
        """What an installer leaves of a package: its name, its version and its entry points."""
        info = self.folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
        groups = project["entry-points"].items()
        lines = [line for group, named in groups for line in (f"[{group}]", *(f"{n} = {v}" for n, v in named.items()))]
        (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
        self.patch.syspath_prepend(str(self.folder))

    def run(self, page: str, words: list[str]) -> None:
        if any(text in " ".join(words) for text in ELSEWHERE):
            return
        words = [SUBSTITUTES.get(word, word) for word in words]
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
            if path.parts[:2] == ("docs", "images"):
                words[i] = str(ROOT / path)
        for name, more in SMALL.items():
            if words[: len(name.split())] == name.split() and "--resume" not in words:
                for option, value in zip(more[::2], more[1::2], strict=True):
                    words = _with(words, option, value)
        self.patch.setattr(sys, "argv", ["repair-bench", *words])
        with pytest.raises(SystemExit) as end:
            main()
        code = self.ended[" ".join(words)] = end.value.code or 0
        assert code in (0, 1), f"{page}: {' '.join(words)}"

    def attempts(self) -> list[dict]:
        """What the runs of the page recorded."""
        files = sorted(self.folder.glob("runs/*/attempts.jsonl"))
        return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def _with(words: list[str], option: str, value: str) -> list[str]:
    if option not in words:
        return [*words, option, value]
    at = words.index(option) + 1
    return [*words[:at], value, *words[at + 1 :]] if option == "--limit" else words


PUBLISHED = re.compile(rf"(?<!--beside )(?:{'|'.join(SOURCES)})")
DOES_SOMETHING = [page for page in PAGES if any(b.language in ("sh", "python") for b in blocks(page))]


@pytest.mark.slow
@pytest.mark.parametrize("page", DOES_SOMETHING)
def test_a_page_does_what_it_says(
    page: str, reader: Reader, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    if any(PUBLISHED.search(" ".join(words)) for shown, words in SHOWN if shown == page):
        reader.fetch(request.getfixturevalue("datasets"))
    reader.read(page)
    printed, attempts = capsys.readouterr().out, reader.attempts()
    match Path(page).stem:
        case "add-a-feedback-policy":
            told = [
                line["feedback"]["text"] for line in attempts if (line["feedback"] or {}).get("policy") == "name-only"
            ]
            assert told
            assert all(text.endswith("Answer with the whole corrected program.") for text in told)
        case "add-a-provider":
            assert {(line["model"], line["verdict"]["kind"]) for line in attempts} == {("echo/one", "wrong_answer")}
        case "add-a-suite":
            assert {line["task_id"] for line in attempts} >= {"bell/1", "coin-1"}
            assert all(line["verdict"] for line in attempts)
            assert (
                reader.ended["suites validate coins"] == reader.ended["suites validate jsonl --data tasks.jsonl"] == 0
            )
        case "add-a-plot":
            assert (reader.folder / "runs/study/plots/lengths.svg").exists()
        case "tutorial":
            assert "What feedback causes" in printed
        case "use-from-python":
            assert "['no_code', 'no_code']" in printed
            assert printed.strip().endswith("pass")
        case "read-the-traces":
            assert len(re.findall(r"\d\.\d", printed)) > 10
