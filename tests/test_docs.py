"""README and docs/ only name commands, files, modules and links that exist."""

import json
import re
import tomllib
from collections.abc import Iterator
from pkgutil import resolve_name
from typing import Any, get_args

import pytest
import typer
from pages import PAGES, ROOT, SHOWN, blocks
from typer._click.exceptions import ClickException

from repair_bench.cli import app
from repair_bench.plugins import Kind
from repair_bench.traces.faults import UsageError

COMMANDS: Any = typer.main.get_command(app)


def test_pages_show_commands() -> None:
    assert len(SHOWN) > 60
    assert {page for page, _ in SHOWN} >= {"README.md", "docs/tutorial.md", "docs/how-to/look-at-a-run.md"}


@pytest.mark.parametrize(("page", "words"), SHOWN, ids=lambda part: part if isinstance(part, str) else " ".join(part))
def test_commands_of_the_pages_exist(page: str, words: tuple[str, ...]) -> None:
    command, left, path = COMMANDS, list(words), "repair-bench"
    while hasattr(command, "commands"):
        path += f" {left[0]}"
        assert left[0] in command.commands, f"{page}: there is no {path}"
        command, left = command.commands[left[0]], left[1:]
    try:
        command.make_context(path, left)
    except ClickException as error:
        pytest.fail(f"{page}: {' '.join(words)}: {error.format_message()}")


def test_toml_and_json_blocks_are_valid() -> None:
    for page in PAGES:
        for block in blocks(page):
            if block.language == "toml":
                assert tomllib.loads(block.text)
            if block.language == "json":
                assert all(json.loads(line) for line in block.text.strip().splitlines())


TEXTS = PAGES | {
    name: (ROOT / name).read_text(encoding="utf-8") for name in ("AGENTS.md", "CHANGELOG.md", "CONTRIBUTING.md")
}
GROUPS = {f"repair_bench.{kind}" for kind in get_args(Kind)}
"""Names of entry points, some of which are not modules."""


@pytest.mark.parametrize("page", TEXTS)
def test_modules_named_by_the_pages_exist(page: str) -> None:
    text = TEXTS[page]
    missing = [path for path in re.findall(r"\brepair_bench/[\w./-]*\w", text) if not (ROOT / path).exists()]
    places = [ROOT, ROOT / "repair_bench", *ROOT.glob("repair_bench/*/")]  # possible beginnings of a path
    for path in re.findall(r"`((?:\w+/)+\w+\.py)`", text):
        missing += [] if any((place / path).exists() for place in places) else [path]
    names = set(re.findall(r"\brepair_bench(?:\.[A-Za-z]\w*)+", text)) - GROUPS
    for module, imported in re.findall(r"^from (repair_bench[\w.]*) import ([\w, ]+)$", text, re.MULTILINE):
        names |= {f"{module}.{name.strip()}" for name in imported.split(",")}
    for name in names:
        try:
            resolve_name(name)
        except UsageError as error:  # the error names the missing extra
            missing += [] if "pip install" in str(error) else [name]
        except (ImportError, AttributeError):
            missing.append(name)
    assert missing == []


def test_changelog_and_guide_list_every_entry_point_group() -> None:
    for kind in get_args(Kind):
        assert re.search(rf"`(repair_bench)?\.{kind}`", TEXTS["CHANGELOG.md"]), kind
        assert f"`repair_bench.{kind}`" in TEXTS["CONTRIBUTING.md"], kind


def commands(group: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Return every command of the program, as a user types it."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{path}{name} ")
        else:
            yield path + name, command


def test_page_lists_the_commands_with_an_interpreter_option() -> None:
    page = PAGES["docs/how-to/grade-stored-answers.md"]
    (sentence,) = re.findall(r"The commands (.+?)\s+accept\s+this\s+option", page, re.DOTALL)
    take_it = {
        name for name, command in commands(COMMANDS) if any("--python" in option.opts for option in command.params)
    }
    assert set(re.findall("`(.+?)`", sentence)) == take_it - {"env create"}  # the command that creates one


def test_links_of_the_readme_have_targets() -> None:
    for link in re.findall(r"\]\((?!https://)([^)#]+)", PAGES["README.md"]):
        assert (ROOT / link).exists(), link


def test_readme_and_citation_file_name_the_same_title_and_authors() -> None:
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    entry = next(block.text for block in blocks("README.md") if block.language == "bibtex")
    for field, key in (("title", "title"), ("author", r"  - name")):
        (value,) = re.findall(rf'^{key}: "?(.+?)"?$', cited, re.MULTILINE)
        assert f"{field} = {{{{{value}}}}}" in entry


def test_readme_is_short_and_states_limits() -> None:
    assert PAGES["README.md"].count("\n") <= 120
    assert "This is not [RepairBench](https://arxiv.org/abs/2409.18952)" in PAGES["README.md"]


@pytest.mark.parametrize("wrong", ["log-rank", "luck included", "McNemar's exact test", "D_KL(p ‖ q̂) in nats"])
def test_methods_contain_no_known_false_statement(wrong: str) -> None:
    """Each statement is false: arms that share first answers are not independent, as the log-rank test requires; chance
    was not included; the test of 1947 is not exact; and the observed frequencies come first in Wilks.
    """
    assert wrong not in PAGES["docs/methods.md"]
