"""The project's English: phrases that a reader stumbles over, counted in texts, docstrings, comments and test names.

CONTRIBUTING.md states the rules. `python tests/test_language.py` lists every hit.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAX_HITS = 5
"""Only ever lower this number."""
MAX_NAME = 60
"""Characters of a test's name after `test_`."""

PHRASES = {
    r"mend(s|ed|ing)?": "fix, repair",
    r"beside": "next to, compared with",
    r"alike": "similar, in the same way",
    r"anew|afresh": "again",
    r"begun": "started",
    r"ow(es|ed)": "pending",
    r"nobody|who(so)?ever|somebody": "no one, or name the actor",
    r"luck": "chance",
    r"ought|in vain|for want of|likeness|wholly|hither|whereof|nought|each two": "a current word",
    r"stands?(?! for| alone| out| in for|ing)|stood": "is, appears",
    r"(is|are|was|were) (told|said)(?! to be)": "receives, is shown; is reported",
    r"(is|are|was|were|be) had": "is available",
    r"bef(ell|alls?|allen)": "happened to",
    r"h[au]ng(s|ing)? on": "depends on",
    r"booked (as|a)": "counted as, recorded as",
    r"(go|goes|going|gone|went) on(?! (the )?(disk|top|record)| to \w)": "continue, resume",
    r"on our side|our faults?|faults? of ours": "infrastructure error",
    r"without (an|the) idea|blanks": "trivial baseline",
    r"what (is|was|are|were) (said|told|known|wanted|meant|seen)": "name the thing",
    r"(says?|said|tells?|told|knows?|hears?|speaks?|learns?)( nothing| anything| more)? of(?! course)": "about",
    r"but for": "except",
    r"of (ours|yours|theirs|mine)(?= )": "our own, a custom",
    r"(is|are|was|were) of (?!course|use|interest|type|note|order|the (form|same))(?=\w)": "covers, belongs to",
    r"(came|comes?) of": "resulted from",
    r"at the (least|most)": "at least, at most",
    r"(of|within|in|with|for|at|by|than|after) so (many|much|few)": "that many, n",
    r"in the place of|whatever (that|it) is worth": "instead of",
    r"the whole of": "all of, the complete",
    r"(tokens|USD|seconds|rows?|lines?|calls|cents) an? (line|case|model|task|row|second|episode|run)": "per",
    r"(taken|held) for (?!granted)|held (against|beside)|holds? the truth": "treated as; compared with; covers",
    r"(?-i:^(What|Where|Which|Why|Who)\b)(?=[^?]*$)": "open with a verb or a noun phrase",
    r"(?-i:(^|(?<=\. ))Of) (an?|the|those|them|that|what|its|each|all|two|these)": "put the phrase after the verb",
}
PATTERNS = [(re.compile(rf"(?<![-\w])(?:{phrase})(?![-\w])", re.IGNORECASE), use) for phrase, use in PHRASES.items()]
ANY = re.compile(rf"(?<![-\w])(?:{'|'.join(PHRASES)})(?![-\w])", re.IGNORECASE)


def texts() -> Iterator[tuple[str, int, str]]:
    """Yield each text that people or models read: its file, its line, and its content without code."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    for name in listed:
        path = ROOT / name
        if path == Path(__file__).resolve() or re.match(
            r"tests/(stored_runs|hostile/\w+/)|.*(corpus|tasks)/.*py$", name
        ):
            continue  # records, and programs of candidates
        if path.suffix == ".py":
            yield from ((name, line, _prose(text)) for line, text in _python(path.read_text(), package=name[0] == "r"))
        elif path.suffix in {".md", ".j2"} or path.name == "task.toml":
            fenced = False
            for line, text in enumerate(path.read_text().splitlines(), 1):
                fenced ^= text.lstrip().startswith("```") and path.suffix == ".md"
                if not fenced:
                    yield name, line, _prose(re.sub(r"^[#|\s-]+", "", text))


def _prose(text: str) -> str:
    return re.sub(r"`[^`]*`|\{[^}]*\}|<[^>]*>|https?:\S+|--[a-z-]+|\]\([^)]*\)", "X", " ".join(text.split()))


def _python(source: str, *, package: bool) -> Iterator[tuple[int, str]]:
    """Yield comments, docstrings and test names; in the package also all other strings."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("# ")
    tree = ast.parse(source)
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.lineno, node.name[5:].replace("_", " ")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and (package or id(node) in docs):
            yield node.lineno, node.value


def hits() -> list[str]:
    return sorted(
        {
            f"{name}:{line}: {match[0]!r}, write: {use}"
            for name, line, text in texts()
            if ANY.search(text)
            for pattern, use in PATTERNS
            for match in pattern.finditer(text)
        }
    )


@pytest.mark.slow  # `make check` runs it
def test_the_number_of_unidiomatic_phrases_only_falls() -> None:
    found = hits()
    assert len(found) <= MAX_HITS, "\n".join(found)
    assert len(found) == MAX_HITS, f"lower MAX_HITS to {len(found)}"


def test_names_of_tests_are_short() -> None:
    names = [
        name for path in (ROOT / "tests").rglob("test_*.py") for name in re.findall(r"def test_(\w+)", path.read_text())
    ]
    assert [name for name in names if len(name) > MAX_NAME] == []


@pytest.mark.parametrize("text", ["It is gone on with.", "a fault on our side", "tokens an episode"])
def test_unidiomatic_phrases_are_found(text: str) -> None:
    assert ANY.search(text)


if __name__ == "__main__":
    sys.exit("\n".join(hits()))
