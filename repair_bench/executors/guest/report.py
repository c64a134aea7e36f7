"""Telling what a candidate raised, in the words that help to repair it.

The candidate's own frames are shown with their source lines; of the library calls between and below them only the last
one; of this program nothing. Paths are relative to where packages are installed, every string is bounded and printable.
Whatever the exception object does when it is asked (raise, loop, lie), something is told.
"""

from __future__ import annotations

import os
import re
import sysconfig
import threading
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Set

from . import text

FILENAME = "<candidate>"
"""The file name that a candidate's source is compiled under."""
SHOWN_AS = "solution.py"
MESSAGE_LIMIT = 2000
TRACEBACK_LIMIT = 4000
ASK_SECONDS = 1.0
"""How long an exception may take to say its message."""
MAX_CHAIN = 5
MAX_GROUP = 5
MAX_FRAMES = 10_000
REPEATS = 3
"""Equal frames in a row that are shown before the rest of them is counted."""

HERE = os.path.dirname(os.path.abspath(__file__))
_CUT = " ... [{} characters left out] ... "
_CAUSE = "The exception above was the direct cause of this one:"
_CONTEXT = "While it was handled, this one was raised:"


class Frame(NamedTuple):
    file: str
    line: int
    name: str
    own: bool
    """Whether it is the candidate's."""


def describe_exception(exc: BaseException, source: str, filename: str = FILENAME) -> Dict[str, str]:
    """`type`, `message` (at most 2000 characters) and `traceback` (at most 4000) of an exception of the candidate.

    `source`: the candidate's source, as compiled under `filename`.
    """
    lines = re.split(r"\r\n|\r|\n", source)
    shown: List[str] = []
    chain = _chain(exc)
    for earlier, link in chain:
        shown += [_briefly(earlier, lines, filename), "", link, ""]
    frames = _frames(exc, filename)
    if frames:
        shown.append("Traceback (most recent call last):")
        shown += _printed(frames, lines)
    shown += _syntax(exc, lines, filename)
    shown.append(_headline(exc))
    shown += _notes(exc)
    shown += _members(exc, lines, filename)
    return {
        "type": _type_name(exc),
        "message": clean(_message(exc), MESSAGE_LIMIT),
        "traceback": clean("\n".join(shown), TRACEBACK_LIMIT),
    }


def clean(value: str, limit: int) -> str:
    """A text of at most `limit` characters that can be stored and printed anywhere, its head and its tail kept.

    Lone surrogates and control characters are replaced, paths of this machine cut short.
    """
    value = _LIBRARY.sub("", value) if len(value) < 100 * limit else value
    if len(value) > limit:
        gap = _CUT.format(len(value) - limit)
        kept = max(limit - len(gap), 0)
        head = value[: kept - kept // 2]
        tail = value[len(value) - kept // 2 :]
        value = (head + gap + tail)[:limit]
    return text.clean(value, limit)


def _frames(exc: BaseException, filename: str) -> List[Frame]:
    """The candidate's frames, and of each run of other frames the last; ours are left out."""
    frames: List[Frame] = []
    step = exc.__traceback__
    for _ in range(MAX_FRAMES):
        if step is None:
            break
        code = step.tb_frame.f_code
        file, line = code.co_filename, step.tb_lineno or 0
        step = step.tb_next
        own = file == filename
        if not own and (_is_ours(file) or file.startswith("<frozen ") or file == "<setup>"):
            continue
        frame = Frame(SHOWN_AS if own else _short(file), line, code.co_name, own)
        if not own and frames and not frames[-1].own:
            frames.pop()
        frames.append(frame)
    while frames and not any(frame.own for frame in frames):
        frames.pop()  # nothing of the candidate's in it: how we got there is of no use
    return frames


def _printed(frames: List[Frame], lines: List[str]) -> List[str]:
    out: List[str] = []
    repeated = 0
    for i, frame in enumerate(frames):
        repeated = repeated + 1 if i and frame == frames[i - 1] else 0
        if repeated < REPEATS:
            out.append('  File "{}", line {}, in {}'.format(frame.file, frame.line, frame.name))
            if frame.own and 0 < frame.line <= len(lines):
                out.append("    " + lines[frame.line - 1].strip()[:200])
        if repeated >= REPEATS and (i + 1 == len(frames) or frames[i + 1] != frame):
            more = repeated - REPEATS + 1
            out.append("  [the same line {} more time{}]".format(more, "" if more == 1 else "s"))
    return out


def _syntax(exc: BaseException, lines: List[str], filename: str) -> List[str]:
    """The line of a syntax error and a caret below the place."""
    if not isinstance(exc, SyntaxError) or exc.filename != filename or not isinstance(exc.lineno, int):
        return []
    out = ['  File "{}", line {}'.format(SHOWN_AS, exc.lineno)]
    if 0 < exc.lineno <= len(lines):
        line = lines[exc.lineno - 1]
        bare = line.lstrip()
        out.append("    " + bare.rstrip()[:200])
        if isinstance(exc.offset, int) and 0 < exc.offset <= len(line) + 1:
            column = max(exc.offset - 1 - (len(line) - len(bare)), 0)
            out += ["    " + " " * column + "^"] if column < 200 else []
    return out


def _headline(exc: BaseException) -> str:
    message = exc.msg if isinstance(exc, SyntaxError) and isinstance(exc.msg, str) else _message(exc)
    return _type_name(exc) + (": " + clean(message, MESSAGE_LIMIT) if message else "")


def _briefly(exc: BaseException, lines: List[str], filename: str) -> str:
    """One or two lines: where in the candidate, and what."""
    own = [frame for frame in _frames(exc, filename) if frame.own]
    where = _printed(own[-1:], lines)
    return "\n".join([*where, clean(_headline(exc), 500)])


def _chain(exc: BaseException) -> List[Any]:
    """The exceptions that led to this one, the first one first, each with the words that lead on."""
    found: List[Any] = []
    seen: Set[int] = {id(exc)}
    while len(found) < MAX_CHAIN:
        cause, link = exc.__cause__, _CAUSE
        if cause is None and not exc.__suppress_context__:
            cause, link = exc.__context__, _CONTEXT
        if cause is None or id(cause) in seen:
            break
        seen.add(id(cause))
        found.append((cause, link))
        exc = cause
    return found[::-1]


def _members(exc: BaseException, lines: List[str], filename: str) -> List[str]:
    """The exceptions of a group."""
    members = getattr(exc, "exceptions", None) if "ExceptionGroup" in _class_names(exc) else None
    if not isinstance(members, tuple):
        return []
    out = []
    for i, member in enumerate(members[:MAX_GROUP], 1):
        brief = _briefly(member, lines, filename).replace("\n", "\n    ")
        out.append("  {} of {}:\n    {}".format(i, len(members), brief))
    return out


def _notes(exc: BaseException) -> List[str]:
    notes = _asked(lambda: [str(note) for note in getattr(exc, "__notes__", ())][:3], [])
    return [clean(str.__str__(note), 500) for note in notes]


def _message(exc: BaseException) -> str:
    unknown = "<the message of this exception could not be read>"
    return str.__str__(_asked(lambda: str(exc), unknown))


def _asked(question: Callable[[], Any], otherwise: Any) -> Any:
    """The answer of an object of the candidate's; `otherwise` when it raises, or is not done in time.

    It is asked in a thread of its own, which is left behind if it never comes back.
    """
    answer: List[Any] = []

    def ask() -> None:
        try:
            answer.append(question())
        except BaseException:  # the exception of an exception: there is nothing to tell about it
            return

    thread = threading.Thread(target=ask, daemon=True)
    try:
        thread.start()
    except RuntimeError:  # no thread left for it
        return otherwise
    thread.join(ASK_SECONDS)
    return answer[0] if answer else otherwise


def _type_name(exc: BaseException) -> str:
    """The qualified name of the class; bare for the built-in ones and the candidate's own."""
    kind = type(exc)
    name = type.__dict__["__qualname__"].__get__(kind).replace("<locals>.", "")
    module: Optional[Any] = type.__dict__["__module__"].__get__(kind)
    if isinstance(module, str) and module.split(".")[0] not in ("builtins", "candidate", "__main__"):
        name = module + "." + name
    return clean(name, 200)


def _class_names(exc: BaseException) -> str:
    return " ".join(kind.__name__ for kind in type(exc).__mro__)


def _is_ours(file: str) -> bool:
    return os.path.abspath(file).startswith(HERE + os.sep)


def _short(file: str) -> str:
    """A library's file relative to where packages, or the standard library, are installed."""
    return _LIBRARY.sub("", file) if file.startswith("<") else _LIBRARY.sub("", os.path.abspath(file))


def _library_pattern() -> "re.Pattern[str]":
    roots = {sysconfig.get_paths()[key] for key in ("purelib", "platlib", "stdlib", "platstdlib")}
    roots |= {os.path.realpath(root) for root in roots}
    roots |= {HERE}
    known = "|".join(re.escape(root) for root in sorted(roots, key=len, reverse=True))
    return re.compile(r"(?:{}|/[^\s'\"():,]*/(?:site|dist)-packages)/".format(known))


_LIBRARY = _library_pattern()
