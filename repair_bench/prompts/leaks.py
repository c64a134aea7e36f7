"""Text of a grader that got into a feedback, found and taken out.

A candidate may reach the test that runs beside it, and any program can print what it was called with; both would be
read by the model before its next attempt. Secret are the source of the test and of the reference, the arguments of
hidden cases, and the literals of a unit test. Not secret is what the model knows: the prompt, the starter, its own
program, the inputs that it is shown; nor imports and names, which every program has.

Source is compared by its letters and digits alone, so that neither layout, quotes, escapes (`repr`), signs put between
them nor upper case hide it, and in runs of `SHORTEST`: what is shorter cannot be told from what programs say anyway.
It is found reversed, in ROT13, hexadecimal digits and base64 as well. An encoding of a candidate's own passes.
Expected answers never reach a candidate's process, and a value that it computes is its own: they are not looked for.
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
from repair_bench.suites.task import Task
from repair_bench.syntax_tree import parsed

SHORTEST = 12
"""Letters and digits in a row that are taken for a piece of source."""
KNOWN = 10
"""Letters and digits in a row that the model knows: the like of them in a piece is nothing new."""
NEW = 6
"""Letters and digits of a piece that must be new."""
MIN_LITERAL = 12
"""Weight from which on the literal of a unit test is looked for (`_weight`)."""
MIN_INPUT = 4
"""Weight from which on the arguments of a hidden case are, where they are two values or more; else twice as much."""
MAX_VALUES = 200
"""Literals of one test that are looked for, the longest ones."""

_TEST, _REFERENCE, _INPUT = "text of the test", "text of the reference", "hidden input"

_NOISE = re.compile(r"(?<!\\)\\+[nrt]|\bnp\.(?:float|int|complex)\d+\b")
"""What `repr` puts between the parts of a text or of a value."""
_COMMON = re.compile(r"^[ \t]*(?:from|import)\b.*$|\b[^\W\d]\w*(?:\.[^\W\d]\w*)*", re.MULTILINE)
"""Imports, and names with their dots."""
_ENCODED = re.compile(r"[\w+/-]{20,}={0,2}", re.ASCII)
_WORD = re.compile(r"[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?|\w+")


class _Piece(NamedTuple):
    """Characters `start` to `end` of a text, and what they are."""

    start: int
    end: int
    what: str


class _Stream(NamedTuple):
    """The letters and digits of a text in lower case, and where in the text each stands."""

    text: str
    places: list[int]


def marker(what: str) -> str:
    """What stands in the place of a piece."""
    return f"[left out: {what}]"


def redact_secrets(text: str, task: Task, code: str | None = None, *, literals: bool = True) -> tuple[str, int]:
    """`text` without what is secret of `task`, and how many pieces that were.

    `code`: the program that the text is about, which the model wrote. `literals`: whether those of a unit test are
    secret; a policy that shows what it asserts needs them, and the messages of its assertions.
    """
    known = [*_known(task, code), *([] if literals else [*_messages(task), *_literals(task)])]
    merged = _merged(_pieces(text, task, known, literals))
    parts, at = [], 0
    for piece in merged:
        parts += [text[at : piece.start], marker(piece.what)]
        at = piece.end
    return "".join([*parts, text[at:]]), len(merged)


def holds_test(text: str, task: Task) -> bool:
    """Whether text of the task's test or a hidden input stands in `text`, which a model is to be trained on.

    What the reference says as well is part of solving the task, and no mark of the test.
    """
    known = [*_known(task, None), task.reference or ""]
    return any(piece.what != _REFERENCE for piece in _pieces(text, task, known, literals=True))


def _pieces(text: str, task: Task, known: list[str], literals: bool) -> Iterator[_Piece]:
    """The pieces of a text that are secret and not known."""
    clean = _NOISE.sub(lambda match: " " * len(match[0]), text)
    joined = "\n".join(known)
    yield from _sources(clean, task, joined)
    yield from _values(clean, task, joined, literals)


def _known(task: Task, code: str | None) -> Iterator[str]:
    yield from (task.prompt, task.starter, code or "", feedback_words())
    if isinstance(task.check, UnitTestCheck):
        yield task.check.preamble
    if isinstance(task.check, CircuitCheck):
        yield from (repr(case.args) for case in task.check.cases if not case.hidden)


def _messages(task: Task) -> Iterator[str]:
    """What the unit tests say where they raise, as it is written there."""
    for source in _tests(task):
        for node in ast.walk(_parsed(source)):
            message = node.msg if isinstance(node, ast.Assert) else node.exc if isinstance(node, ast.Raise) else None
            if message is not None:
                yield ast.get_source_segment(source, message) or ""


def _secret(task: Task) -> Iterator[tuple[str, str]]:
    """Sources of the grader, and what each is; what comes first names what several hold."""
    for test in _tests(task):
        yield _TEST, test
    if isinstance(task.check, UnitTestCheck):
        yield _REFERENCE, task.check.canary
    if isinstance(task.check, CircuitCheck):
        yield _TEST, task.check.setup
    yield _REFERENCE, task.reference or ""


def _sources(clean: str, task: Task, known: str) -> Iterator[_Piece]:
    """Where source of the grader stands in a text."""
    secret = tuple(_secret(task))
    runs, shared = _runs(secret), cache(lambda: _shared(secret, known))
    stream = _stream(clean)
    for piece in _stretches(stream.text, runs, shared):
        yield _Piece(stream.places[piece.start], stream.places[piece.end - 1] + 1, piece.what)
    for match in _ENCODED.finditer(clean):
        for decoded in _decoded(match[0]):
            for piece in _stretches(_stream(decoded).text, runs, shared):
                yield _Piece(*match.span(), piece.what)


def _stretches(text: str, runs: Mapping[str, str], shared: Callable[[], AbstractSet[str]]) -> list[_Piece]:
    """The stretches of a stream that are made of secret runs and hold something that the model does not know.

    `shared`: the runs that it knows, asked for only where there is a secret one, since most texts hold none.
    """
    matched: list[_Piece] = []
    for at, run in enumerate(_cut(text, SHORTEST)):
        if what := runs.get(run):
            if matched and at <= matched[-1].end:
                matched[-1] = matched[-1]._replace(end=at + SHORTEST)
            else:
                matched.append(_Piece(at, at + SHORTEST, what))
    merged: list[_Piece] = []
    for piece in matched:
        part = text[piece.start : piece.end]
        if _tells(part) < SHORTEST or _new(part, shared()) < NEW:
            continue
        # what stands between two stretches is likely of them too: a line shorter than a run, the number of a line
        if merged and piece.start - merged[-1].end < SHORTEST:
            merged[-1] = merged[-1]._replace(end=piece.end)
        else:
            merged.append(piece)
    return merged


def _new(part: str, shared: AbstractSet[str]) -> int:
    """How many characters are in none of the runs that the model knows."""
    known = [False] * len(part)
    for at, run in enumerate(_cut(part, KNOWN)):
        if run in shared:
            known[at : at + KNOWN] = [True] * KNOWN
    return known.count(False)


@lru_cache(maxsize=64)
def _runs(secret: tuple[tuple[str, str], ...]) -> Mapping[str, str]:
    """Every run of letters and digits of the sources, as it is and disguised, and what it is of."""
    runs: dict[str, str] = {}
    for what, source in secret:
        text = _stream(_NOISE.sub(" ", source)).text
        for form in (text, text[::-1], codecs.encode(text, "rot13")):
            for run in _cut(form, SHORTEST):
                runs.setdefault(run, what)
    return runs


def _shared(secret: tuple[tuple[str, str], ...], known: str) -> AbstractSet[str]:
    """The runs of what the model knows, and of what every program has."""
    texts = [known, *(match[0] for _, source in secret for match in _COMMON.finditer(source))]
    return {run for text in texts for run in _cut(_stream(_NOISE.sub(" ", text)).text, KNOWN)}


def _cut(text: str, length: int) -> Iterator[str]:
    return (text[at : at + length] for at in range(len(text) - length + 1))


def _decoded(run: str) -> Iterator[str]:
    """What a run of characters holds as hexadecimal digits and as base64, wherever it was cut."""
    plain = run.rstrip("=").translate(str.maketrans("-_", "+/"))
    decoders: tuple[tuple[Callable[[str], bytes], int], ...] = ((bytes.fromhex, 2), (base64.b64decode, 4))
    for decode, unit in decoders:
        for shift in range(unit):
            part = plain[shift:]
            try:
                yield decode(part[: len(part) // unit * unit]).decode(errors="ignore")
            except ValueError:  # binascii.Error is one
                continue


def _stream(text: str) -> _Stream:
    places = [at for at, character in enumerate(text) if character.isalnum()]
    return _Stream("".join(text[at].lower()[:1] for at in places), places)


def _values(clean: str, task: Task, known: str, literals: bool) -> Iterator[_Piece]:
    """Where hidden arguments and literals of a unit test stand in a text, however they are laid out and bracketed."""
    patterns: dict[str, str] = {}
    if isinstance(task.check, CircuitCheck):
        for case in task.check.cases:
            for value in (case.args, *case.args) if case.hidden else ():
                words = _WORD.findall(repr(value))
                if _weight(words) >= MIN_INPUT * (1 if len(words) > 1 else 2):
                    patterns[_pattern(words)] = _INPUT
    elif isinstance(task.check, UnitTestCheck) and literals:
        values = (_WORD.findall(text) for text in _literals(task))
        heavy = [words for words in values if _weight(words) >= MIN_LITERAL]
        for words in sorted(heavy, key=len, reverse=True)[:MAX_VALUES]:
            patterns[_pattern(words)] = _TEST
    for text, what in patterns.items():
        pattern = re.compile(text, re.IGNORECASE)
        if not pattern.search(known):
            yield from (_Piece(*match.span(), what) for match in pattern.finditer(clean))


def _literals(task: Task) -> Iterator[str]:
    """The lists, tuples, sets, dicts and strings of the unit tests that are written out, as `repr` shows them."""
    for node in (node for source in _tests(task) for node in ast.walk(_parsed(source))):
        if isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict | ast.Constant):
            with suppress(ValueError, TypeError):
                yield repr(ast.literal_eval(node))


def _weight(words: list[str]) -> float:
    """How much the words tell: their letters and digits; 0 without a digit, for that is a sentence or a name."""
    letters = "".join(re.sub(r"[\W_]", "", word) for word in words)
    return _tells(letters) if any(map(str.isdigit, letters)) else 0


def _tells(letters: str) -> float:
    """How many letters and digits there are, those of bits counted half: many programs print the same bits."""
    return len(letters) / (2 if set(letters) <= {"0", "1"} else 1)


def _pattern(words: list[str]) -> str:
    """A pattern for the words in this order with nothing but signs between them; 0.5 is 0.50 as well."""
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


def _tests(task: Task) -> list[str]:
    return [check.test for check in (task.check, task.oracle) if isinstance(check, UnitTestCheck)]


def _parsed(source: str) -> ast.AST:
    try:
        return parsed(source)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def _merged(pieces: Iterable[_Piece]) -> list[_Piece]:
    """The pieces in order; those that overlap or touch are one."""
    merged: list[_Piece] = []
    for piece in sorted(pieces):
        if merged and piece.start <= merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(merged[-1].end, piece.end))
        else:
            merged.append(piece)
    return merged
