"""README and docs/ as a reader follows them: blocks to write to a file, to run, and to type."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if path.parent != ROOT / "docs" / "reference"  # generated from the code, if a site was built here
}
FILLED_IN = {
    "RUN_DIR": "runs/a",
    "OTHER_DIR": "runs/b",
    "EPISODE": "episode",
    "NAME-OR-PATH": "old",
    "NAME": "aligned",
}
"""Values of the placeholders that a reader fills in."""


@dataclass(frozen=True)
class Block:
    """A part of a page: a fenced block, or indented lines, which are commands."""

    language: str
    title: str | None
    text: str

    def commands(self) -> Iterator[list[str]]:
        """Yield the words of each `repair-bench` command, without comments and with placeholders replaced."""
        if self.language != "sh":
            return
        text = self.text.replace("\\\n", " ")
        for word, value in FILLED_IN.items():
            text = re.sub(rf"\b{word}\b", value, text)
        for line in text.splitlines():
            if line.startswith("repair-bench "):
                yield shlex.split(line, comments=True)[1:]


def blocks(page: str) -> Iterator[Block]:
    """Return the blocks of a page in order."""
    parts = re.compile(
        r'^```(\w+)(?: title="(.+?)")?\n(.*?)^```$|((?:^    \S[^\n]*\n)+)|`(repair-bench \w+ (?:docs|runs)/[^`]+)`',
        re.MULTILINE | re.DOTALL,
    )
    for language, title, fenced, indented, inline in parts.findall(PAGES[page]):
        text = re.sub("^    ", "", indented, flags=re.MULTILINE) if indented else fenced or inline
        yield Block(language or "sh", title or None, text)


SHOWN = list(
    dict.fromkeys((page, tuple(words)) for page in PAGES for block in blocks(page) for words in block.commands())
)
"""Every command on a page, with the page."""
