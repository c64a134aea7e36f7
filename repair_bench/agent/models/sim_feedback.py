"""What the feedback of a failed attempt says, read by the simulated model from its words alone.

It goes by cues that any wording has (a traceback, an exception's name, numbers after "returned" or "expected"), so that
a new feedback policy needs nothing here. A traceback of another program is recognised; values of another are not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

_FRAME = re.compile(r'^\s*File "(?P<file>.*)", line \d+(?:, in (?P<function>.+))?$')
_EXCEPTION = re.compile(r"\b[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Warning)\b")
_RAISED = re.compile(
    r"^Traceback|\b(?:raise[sd]?|exception)\b|^\s*[\w.]*(?:Error|Exception)\b", re.IGNORECASE | re.MULTILINE
)
_QUOTED = re.compile(r"['\"`]([A-Za-z_][\w.]*)['\"`]")
_ROW = re.compile(r"\b[01]+['\"]?\s*[:=]\s*\d|\|[01]+[>⟩]|\b\d+\.\d+\b|\[\[?-?\d")
_OWN = re.compile(r"\b(returned|gave|produced|printed|output|outcome|got|yours?)\b", re.IGNORECASE)
_EXPECTED = re.compile(r"\b(expected|should (?:be|have|return)|right answer|correct answer|reference)\b", re.IGNORECASE)
_SHAPE = re.compile(r"\bshape\b|\b(?:expected|got|wanted|instead of)\b[^.\n]*\b\d+ (?:qu)?bits?\b", re.IGNORECASE)
_TYPE = re.compile(r"\breturned None\b|\bnot be read\b|\ban? \w+ was expected", re.IGNORECASE)
_MISSING = re.compile(
    r"\bno (?:\w+ )?(?:code|program)\b|\bentry[ _]point\b|\bnot define\b|\bno function\b", re.IGNORECASE
)
_TABLE_HEAD = re.compile(r"^\W*outcome\b.*\bprobabilit", re.IGNORECASE)
"""It stands over what was returned and over what was expected alike."""

_COMMON = {"qiskit", "pennylane", "cirq", "QuantumCircuit", "Circuit", "module", "object", "None"}
"""Names in so many programs that sharing them shows nothing."""


@dataclass(frozen=True)
class Told:
    """What a feedback text holds.

    `exception`: the type of the exception. `functions`, `line`, `names`: the program's functions in its traceback, the
    last line of code shown there, and the names its message quotes. `output`: the values that were returned.
    `expected`: the right ones. `mismatch`: a wrong type, or a wrong number of bits or qubits. `missing`: that no code
    or no entry point was found.
    """

    exception: str | None = None
    functions: frozenset[str] = frozenset()
    line: str | None = None
    names: frozenset[str] = frozenset()
    output: bool = False
    expected: bool = False
    mismatch: bool = False
    missing: bool = False

    @property
    def bare(self) -> bool:
        """Whether an exception is named and nothing else of it shown."""
        return self.exception is not None and not (self.functions or self.line or self.names)

    def concerns(self, code: str) -> bool:
        """Whether the exception can have come from this code, by the functions, the line or the names it shows."""
        words = set(re.findall(r"\w+", code))
        if not self.functions <= words:
            return False
        if self.line is not None:
            return self.line in {line.strip() for line in code.splitlines()}
        if self.functions:
            return True
        return any(name.split(".")[-1] in words for name in self.names)


def read_feedback(text: str) -> Told:
    """What a feedback text tells; of one that says no more than that the program failed, nothing."""
    told = _read_exception(text)
    if told.exception is not None:
        return told
    output, expected = _read_numbers(text)
    return Told(
        output=output,
        expected=expected,
        mismatch=bool(_SHAPE.search(text) or _TYPE.search(text)),
        missing=bool(_MISSING.search(text)),
    )


def _read_exception(text: str) -> Told:
    # a failed assertion is how a unit test says that the answer is wrong
    found = [name for name in _EXCEPTION.findall(text) if name != "AssertionError"]
    if not found or not _RAISED.search(text):
        return Told()
    functions: set[str] = set()
    last_line: str | None = None
    for line, following in pairwise([*text.splitlines(), ""]):
        frame = _FRAME.match(line)
        if not frame or "/" in frame["file"]:
            continue  # a frame of a library says nothing of the program
        if (frame["function"] or "").isidentifier():
            functions.add(frame["function"])
        shown = following.strip()
        if shown and not _FRAME.match(following) and not shown.startswith(found[-1]):
            last_line = shown
    message = text[text.rfind(found[-1]) :].split("\n", 1)[0]
    names = frozenset(_QUOTED.findall(message)) - _COMMON
    return Told(exception=found[-1], functions=frozenset(functions), line=last_line, names=names)


def _read_numbers(text: str) -> tuple[bool, bool]:
    """Whether values come after a word for what was returned, and whether after a word for what is right."""
    own = expected = False
    heading: str | None = None
    for line in text.splitlines():
        if _SHAPE.search(line):
            continue
        of_expected, of_own = _EXPECTED.search(line), _OWN.search(line)
        if of_expected and of_own:
            # "it should have returned:" or "expected 0.5, got 1.0"
            both = bool(_ROW.search(line))
            own, expected = own or both, expected or both
            heading = "expected" if of_expected.start() < of_own.start() else "own"
        elif of_expected:
            heading = "expected"
        elif of_own and not (heading and _TABLE_HEAD.search(line)):
            heading = "own"
        if _ROW.search(line):
            own, expected = own or heading == "own", expected or heading == "expected"
    return own, expected
