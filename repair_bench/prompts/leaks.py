"""Redact grader text from feedback.

A candidate may be able to access the test in its process, and any program can print its arguments. Secrets are the
source of the test and the reference, the arguments of hidden cases, and the literals in a unit test. Text that the
model has seen is not secret: the prompt, the starter code, the model's program and the visible inputs. Imports and
names in the source of the test or the reference are also public.

To find secret source code in a text, only letters and digits are compared. A match is a sequence of `SHORTEST` letters
and digits that occurs both in the source code and in the text. Therefore, layout, quotes, escapes (`repr`), inserted
punctuation and upper case cannot hide secrets. Reversed, ROT13, hexadecimal and base64 forms are also found, but not
encodings that a candidate invents. Expected answers never reach a candidate's process, so they need not be redacted.
"""

from __future__ import annotations

import ast
import base64
import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import cache, lru_cache
from typing import NamedTuple

from repair_bench.prompts.templates import feedback_words
from repair_bench.suites.checks import CircuitCheck, UnitTestCheck
from repair_bench.suites.sources import tree
from repair_bench.suites.task import Task

SHORTEST = 12
"""A text quotes a secret source if a sequence of at least this many letters and digits occurs in both."""
KNOWN = 10
"""To find out which parts of a text the model has already seen, sequences of this many letters and digits are
compared."""
NEW = 6
"""A piece of text is secret only if it has at least this many letters and digits that the model has not seen."""
MIN_LITERAL = 12
"""Unit test literals are redacted from feedback if their weight (see `_weight`) is at least this value."""
MIN_INPUT = 4
"""Hidden arguments are redacted if their weight (see `_weight`) is at least this value. A hidden argument that is a
single word is redacted only if the argument's weight is at least twice `MIN_INPUT`."""
MAX_REFERENCE = 10_000
"""Only this many characters at the start of a reference are secret. A longer reference contains data, such as
circuits."""
MAX_VALUES = 200
"""The maximum number of literals that are redacted per unit test. If a unit test contains more literals than this
maximum, only the longest literals are redacted."""

_TEST, _REFERENCE, _INPUT = "text of the test", "text of the reference", "hidden input"

_NOISE = re.compile(r"(?<!\\)\\+[nrt]|\bnp\.(?:float|int|complex)\d+\b")
"""Matches text that `repr` adds to a value, such as an escaped line break or the name of a NumPy type."""
_COMMON = re.compile(r"^[ \t]*(?:from|import)\b.*$|\b[^\W\d]\w*(?:\.[^\W\d]\w*)*", re.MULTILINE)
"""Matches imports and names, including dotted names."""
_OTHERS = re.compile(r"[^0-9A-Za-z]+")
_ENCODED = re.compile(r"[\w+/-]{20,}={0,2}", re.ASCII)
_WORD = re.compile(r"[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?|\w+")


class _Piece(NamedTuple):
    start: int
    end: int
    label: str


def marker(label: str) -> str:
    return f"[redacted: {label}]"


def redact_secrets(
    text: str, task: Task, code: str | None = None, *, literals: bool = True, public: str = ""
) -> tuple[str, int]:
    """Return `text` without the secrets of `task`, and the number of redacted pieces.

    `code`: the model's program. `literals`: whether the literals and the assertion messages of a unit test are secret.
    Policies that show assertions set `literals` to False. `public`: text that is not secret, such as the library's
    documentation.
    """
    known = [*_known(task, code), public, *([] if literals else [*_messages(_tests(task)), *_literals(_tests(task))])]
    merged = _merged(sorted(_pieces(text, task, known, literals)))
    parts, at = [], 0
    for piece in merged:
        parts += [text[at : piece.start], marker(piece.label)]
        at = piece.end
    return "".join([*parts, text[at:]]), len(merged)


def holds_test(text: str, task: Task) -> bool:
    """Whether `text`, intended for training a model, contains part of the task's test or a hidden input.

    Text that also occurs in the reference is ignored, because such text is part of a solution.
    """
    known = [*_known(task, None), task.reference or ""]
    return any(piece.label != _REFERENCE for piece in _pieces(text, task, known, literals=True))


def _pieces(text: str, task: Task, known: list[str], literals: bool) -> Iterator[_Piece]:
    clean = _NOISE.sub(lambda match: " " * len(match[0]), text)
    yield from _sources(clean, task, known)
    yield from _values(clean, task, "\n".join(known), literals)


def _known(task: Task, code: str | None) -> Iterator[str]:
    yield from (task.prompt, task.starter, code or "", feedback_words())
    if isinstance(task.check, UnitTestCheck):
        yield task.check.preamble
    if isinstance(task.check, CircuitCheck):
        yield from (repr(case.args) for case in task.check.cases if not case.hidden)


def _messages(tests: tuple[str, ...]) -> Iterator[str]:
    """Yield the source code of each message in the assert and raise statements of unit tests."""
    for source in tests:
        for node in ast.walk(tree(source)):
            message = node.msg if isinstance(node, ast.Assert) else node.exc if isinstance(node, ast.Raise) else None
            if message is not None:
                yield ast.get_source_segment(source, message) or ""


def _secret(task: Task) -> Iterator[tuple[str, str]]:
    """Yield the label and the text of each secret source.

    A passage that occurs in several sources gets the label of the source that is yielded first.
    """
    for test in _tests(task):
        yield _TEST, test
    if isinstance(task.check, UnitTestCheck):
        yield _REFERENCE, task.check.canary
    if isinstance(task.check, CircuitCheck):
        yield _TEST, task.check.setup
    yield _REFERENCE, (task.reference or "")[:MAX_REFERENCE]


def _sources(clean: str, task: Task, known: list[str]) -> Iterator[_Piece]:
    secret = tuple(_secret(task))
    runs, shared = _runs(secret), cache(lambda: _shared(secret, known))
    if pieces := _stretches(_letters(clean), runs, shared):
        places = [at for at, character in enumerate(clean) if character.isalnum()]
        for piece in pieces:
            yield _Piece(places[piece.start], places[piece.end - 1] + 1, piece.label)
    for match in _ENCODED.finditer(clean):
        for decoded in _decoded(match[0]):
            for piece in _stretches(_letters(decoded), runs, shared):
                yield _Piece(*match.span(), piece.label)


def _stretches(text: str, runs: Mapping[str, str], shared: Callable[[], AbstractSet[str]]) -> list[_Piece]:
    """Return the parts of a text that match a secret and contain at least `NEW` letters and digits that the model has
    not seen.

    `runs`: maps each sequence of `SHORTEST` letters and digits in a secret source to the label of the source. `shared`:
    a function that returns the set of public (not secret) sequences. Each sequence consists of `KNOWN` letters and
    digits. The function `shared` is called only if the text contains a key of `runs`.
    """
    cut = _cut(text, SHORTEST)
    if runs.keys().isdisjoint(cut):  # quicker than the next line, and true of most texts
        return []
    matched = _merged(_Piece(at, at + SHORTEST, label) for at, run in enumerate(cut) if (label := runs.get(run)))
    secret = []
    for piece in matched:
        part = text[piece.start : piece.end]
        if _information(part) >= SHORTEST and _new(part, shared()) >= NEW:
            secret.append(piece)
    # a short gap between two stretches is probably secret too: a line shorter than a run, or a line number
    return _merged(secret, SHORTEST - 1)


def _new(part: str, shared: AbstractSet[str]) -> int:
    known = [False] * len(part)
    for at, run in enumerate(_cut(part, KNOWN)):
        if run in shared:
            known[at : at + KNOWN] = [True] * KNOWN
    return known.count(False)


@lru_cache(maxsize=64)
def _runs(secret: tuple[tuple[str, str], ...]) -> Mapping[str, str]:
    """Map each sequence of `SHORTEST` consecutive letters and digits in a secret source to the source's label.

    Reversed and ROT13 sequences are included.
    """
    runs: dict[str, str] = {}
    for label, source in secret:
        text = _letters(_NOISE.sub(" ", source))
        for form in (text, text[::-1], codecs.encode(text, "rot13")):
            for run in _cut(form, SHORTEST):
                runs.setdefault(run, label)
    return runs


def _shared(secret: tuple[tuple[str, str], ...], known: list[str]) -> AbstractSet[str]:
    """Return the public (not secret) sequences, each of which is `KNOWN` letters and digits long.

    A sequence is public if it occurs in a text that the model has seen, or in an import or a name in a secret source.
    """
    return _public_names(secret).union(*map(_cached_sequences, known))


@lru_cache(maxsize=64)
def _public_names(secret: tuple[tuple[str, str], ...]) -> frozenset[str]:
    matches = (match[0] for _, source in secret for match in _COMMON.finditer(source))
    return frozenset(run for name in matches for run in _sequences(name))


def _sequences(text: str) -> frozenset[str]:
    return frozenset(_cut(_letters(_NOISE.sub(" ", text)), KNOWN))


# for the words of the feedback and the last task's prompt; the sequences of a long program take megabytes
_cached_sequences = lru_cache(maxsize=8)(_sequences)


def _cut(text: str, length: int) -> list[str]:
    return [text[at : at + length] for at in range(len(text) - length + 1)]


def _decoded(run: str) -> Iterator[str]:
    """Decode a string as hexadecimal and as base64, starting at every possible offset, and yield the decoded texts."""
    plain = run.rstrip("=").translate(str.maketrans("-_", "+/"))
    decoders: tuple[tuple[Callable[[str], bytes], int], ...] = ((bytes.fromhex, 2), (base64.b64decode, 4))
    for decode, unit in decoders:
        for shift in range(unit):
            part = plain[shift:]
            try:
                yield decode(part[: len(part) // unit * unit]).decode(errors="ignore")
            except ValueError:  # binascii.Error is one
                continue


def _letters(text: str) -> str:
    """Return the letters and digits of a text in lower case."""
    if text.isascii():
        return _OTHERS.sub("", text).lower()
    return "".join(character.lower()[:1] for character in text if character.isalnum())


def _values(clean: str, task: Task, known: str, literals: bool) -> Iterator[_Piece]:
    """Yield each piece of a text that shows a hidden argument or a literal of a unit test.

    A value is found even if the text shows the value with different spacing, line breaks or brackets.
    """
    patterns: dict[str, str] = {}
    if isinstance(task.check, CircuitCheck):
        for case in task.check.cases:
            for value in (case.args, *case.args) if case.hidden else ():
                words = _WORD.findall(repr(value))
                if _weight(words) >= MIN_INPUT * (1 if len(words) > 1 else 2):
                    patterns[_pattern(words)] = _INPUT
    elif isinstance(task.check, UnitTestCheck) and literals:
        patterns = dict.fromkeys(_literal_patterns(_tests(task)), _TEST)
    for text, label in patterns.items():
        pattern = re.compile(text, re.IGNORECASE)
        if not pattern.search(known):
            yield from (_Piece(*match.span(), label) for match in pattern.finditer(clean))


@lru_cache(maxsize=64)
def _literal_patterns(tests: tuple[str, ...]) -> list[str]:
    values = (_WORD.findall(text) for text in _literals(tests))
    heavy = [words for words in values if _weight(words) >= MIN_LITERAL]
    return [_pattern(words) for words in sorted(heavy, key=len, reverse=True)[:MAX_VALUES]]


def _literals(tests: tuple[str, ...]) -> Iterator[str]:
    """Yield the `repr` of the literal lists, tuples, sets, dicts and strings in unit tests."""
    for node in (node for source in tests for node in ast.walk(tree(source))):
        if isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict | ast.Constant):
            with suppress(ValueError, TypeError):
                yield repr(ast.literal_eval(node))


def _weight(words: list[str]) -> float:
    """Return the number of letters and digits (see `_information`) if any word contains a digit; otherwise, return 0.

    A text without any digit gets the weight 0, because such a text is usually a sentence or a name.
    """
    letters = "".join(re.sub(r"[\W_]", "", word) for word in words)
    return _information(letters) if any(map(str.isdigit, letters)) else 0


def _information(letters: str) -> float:
    """Return the length of `letters`, or half the length if `letters` is a bit string.

    The length of a bit string is halved, because many programs print the same bits.
    """
    return len(letters) / (2 if set(letters) <= {"0", "1"} else 1)


def _pattern(words: list[str]) -> str:
    """Return a pattern that matches `words` in order, separated only by punctuation. The word 0.5 also matches 0.50."""
    parts = []
    for word in words:
        sign, digits = re.escape(word[:1]) if word[:1] in "-+" else "", word.lstrip("-+")
        number = re.fullmatch(r"(\d+)(?:\.(\d*?)0*)?", digits) if not digits.startswith("0") or "." in digits else None
        if number is None:
            parts.append(sign + re.escape(digits))
        else:
            tail = rf"\.{number[2]}0*" if number[2] else r"(?:\.0*)?"
            parts.append(f"{sign}{number[1]}{tail}")
    return r"(?<![\w.])" + r"(?:[^\w.+-]+|(?=[-+j]))".join(parts) + r"(?!\w|\.\d)"


def _tests(task: Task) -> tuple[str, ...]:
    return tuple(check.test for check in (task.check, task.oracle) if isinstance(check, UnitTestCheck))


def _merged(pieces: Iterable[_Piece], gap: int = 0) -> list[_Piece]:
    merged: list[_Piece] = []
    for piece in pieces:
        if merged and piece.start <= merged[-1].end + gap:
            merged[-1] = merged[-1]._replace(end=max(merged[-1].end, piece.end))
        else:
            merged.append(piece)
    return merged
