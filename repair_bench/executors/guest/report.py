"""Describe a candidate's exception for the repair prompt.

The description shows the candidate's frames with their source lines, and the last frame of each sequence of library
frames. The description omits the frames of repair-bench's own code. The description is also produced if methods of the
exception's class raise exceptions, loop forever or return false data.
"""

from __future__ import annotations

import builtins
import os
import re
import sysconfig
import threading
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Set, Tuple

from . import text

FILENAME = "<candidate>"
"""File name of a candidate's compiled source."""
SHOWN_AS = "solution.py"
SETUP = "<setup>"
"""File name of the trusted source that creates a task's inputs."""
MESSAGE_LIMIT = 2000
TRACEBACK_LIMIT = 4000
ASK_SECONDS = 0.5
"""Time limit, in seconds, for the `__str__` of an exception."""
MAX_CHAIN = 5
MAX_GROUP = 5
MAX_FRAMES = 10_000
MAX_LINE = 200
"""The maximum number of characters to show from a source line."""
REPEATS = 3
"""The maximum number of identical consecutive frames to show; further repetitions are only counted."""

HERE = os.path.dirname(os.path.abspath(__file__))
_CAUSE = "The exception above was the direct cause of the following exception:"
_CONTEXT = "While the exception above was being handled, the following exception was raised:"


class Frame(NamedTuple):
    file: str
    line: int
    name: str
    own: bool
    """Whether the frame belongs to the candidate."""


def describe_exception(exc: BaseException, source: str, filename: str = FILENAME) -> Dict[str, str]:
    """Return the `type`, `message` (up to 2000 characters) and `traceback` (up to 4000 characters) of an exception."""
    lines = re.split(r"\r\n|\r|\n", source)
    message = _message(exc).replace(filename, SHOWN_AS)
    shown: List[str] = []
    for earlier, link in _chain(exc):
        shown += [_briefly(earlier, lines, filename), "", link, ""]
    frames = _frames(exc, filename)
    if frames:
        shown.append("Traceback (most recent call last):")
        shown += _printed(frames, lines)
    place, complaint = _syntax(exc, lines, filename)
    shown += place
    shown.append(_headline(exc, complaint or message))
    shown += _notes(exc)
    shown += _members(exc, lines, filename)
    return {
        "type": _type_name(exc),
        "message": clean(message, MESSAGE_LIMIT),
        "traceback": clean("\n".join(shown), TRACEBACK_LIMIT),
    }


def clean(value: str, limit: int) -> str:
    """Shorten a text to its start and end, remove unprintable characters, and shorten the paths of libraries."""
    return text.clean(_cut(_LIBRARY.sub("", _cut(value, 2 * limit)), limit), limit)


def _cut(value: str, limit: int) -> str:
    if len(value) <= limit:
        return value
    gap = " ... [{} characters omitted] ... ".format(len(value) - max(limit - 40, 0))
    tail = max(limit - len(gap), 0) // 2
    head = max(limit - len(gap) - tail, 0)
    return (value[:head] + gap + value[len(value) - tail :])[:limit]


def _frames(exc: BaseException, filename: str) -> List[Frame]:
    """Return the frames of an exception, starting with the candidate's first frame.

    Of several consecutive library frames, only the last frame is returned.
    """
    frames: List[Frame] = []
    step = _raw(exc, "__traceback__")
    for _ in range(MAX_FRAMES):
        if step is None:
            break
        code = step.tb_frame.f_code
        file, line = code.co_filename, step.tb_lineno or 0
        step = step.tb_next
        own = file == filename
        if not own and (not frames or _is_ours(file) or file.startswith("<frozen ")):
            continue
        if not own and not frames[-1].own:
            frames.pop()
        library = file if file.startswith("<") else os.path.abspath(file)
        frames.append(Frame(SHOWN_AS if own else _LIBRARY.sub("", library), line, code.co_name, own))
    return frames


def _printed(frames: List[Frame], lines: List[str]) -> List[str]:
    out: List[str] = []
    repeated = 0
    for i, frame in enumerate(frames):
        repeated = repeated + 1 if i and frame == frames[i - 1] else 0
        if repeated < REPEATS:
            out.append('  File "{}", line {}, in {}'.format(frame.file, frame.line, frame.name))
            if frame.own and 0 < frame.line <= len(lines):
                out.append("    " + lines[frame.line - 1].strip()[:MAX_LINE])
        if repeated >= REPEATS and (i + 1 == len(frames) or frames[i + 1] != frame):
            more = repeated - REPEATS + 1
            out.append("  [the same line {} more time{}]".format(more, "" if more == 1 else "s"))
    return out


def _syntax(exc: BaseException, lines: List[str], filename: str) -> Tuple[List[str], str]:
    """Describe a syntax error in the candidate's code. Return the location, the source line and a caret as lines of
    text.

    The error message is returned separately.
    """
    if not issubclass(type(exc), SyntaxError) or _raw(exc, "filename", SyntaxError) != filename:
        return [], ""
    line_number, offset, complaint = (_raw(exc, name, SyntaxError) for name in ("lineno", "offset", "msg"))
    out = ['  File "{}", line {}'.format(SHOWN_AS, line_number)]
    if 0 < line_number <= len(lines):
        line = lines[line_number - 1]
        bare = line.lstrip()
        out.append("    " + bare.rstrip()[:MAX_LINE])
        column = max((offset or 0) - 1 - (len(line) - len(bare)), 0)
        if offset and column < MAX_LINE:
            out.append("    " + " " * column + "^")
    return out, complaint


def _headline(exc: BaseException, message: str) -> str:
    return _type_name(exc) + (": " + clean(message, MESSAGE_LIMIT) if message else "")


def _briefly(exc: BaseException, lines: List[str], filename: str) -> str:
    own = [frame for frame in _frames(exc, filename) if frame.own]
    return "\n".join([*_printed(own[-1:], lines), clean(_headline(exc, _message(exc)), 500)])


def _chain(exc: BaseException) -> List[Tuple[BaseException, str]]:
    """Return the causes and contexts of an exception, oldest first, each with a sentence that introduces the next
    exception.
    """
    found: List[Tuple[BaseException, str]] = []
    seen: Set[int] = {id(exc)}
    while len(found) < MAX_CHAIN:
        cause, link = _raw(exc, "__cause__"), _CAUSE
        if cause is None and not _raw(exc, "__suppress_context__"):
            cause, link = _raw(exc, "__context__"), _CONTEXT
        if cause is None or id(cause) in seen:
            break
        seen.add(id(cause))
        found.append((cause, link))
        exc = cause
    return found[::-1]


def _members(exc: BaseException, lines: List[str], filename: str) -> List[str]:
    group = getattr(builtins, "BaseExceptionGroup", None)
    if group is None or not issubclass(type(exc), group):
        return []
    members = _raw(exc, "exceptions", group)
    out = []
    for i, member in enumerate(members[:MAX_GROUP], 1):
        brief = _briefly(member, lines, filename).replace("\n", "\n    ")
        out.append("  {} of {}:\n    {}".format(i, len(members), brief))
    return out


def _notes(exc: BaseException) -> List[str]:
    notes = _answer(lambda: [str(note) for note in getattr(exc, "__notes__", ())][:3], [])
    return [clean(str.__str__(note), 500) for note in notes]


def _message(exc: BaseException) -> str:
    unknown = "<the message of this exception could not be read>"
    return str.__str__(_answer(lambda: str(exc), unknown))


def _raw(exc: BaseException, name: str, kind: type = BaseException) -> Any:
    """Read an attribute that a built-in exception class defines, ignoring overrides in the candidate's class."""
    return kind.__dict__[name].__get__(exc)


def _answer(question: Callable[[], Any], otherwise: Any) -> Any:
    """Call the candidate's code in a thread. Return `otherwise` if the call raises an exception or takes too long."""
    answer: List[Any] = []

    def ask() -> None:
        try:
            answer.append(question())
        except BaseException:  # raised by the exception itself
            return

    thread = threading.Thread(target=ask, daemon=True)
    try:
        thread.start()
    except RuntimeError:  # no thread can be started
        return otherwise
    thread.join(ASK_SECONDS)
    return answer[0] if answer else otherwise


def _type_name(exc: BaseException) -> str:
    """Return the name of an exception's class, including the module unless the class is built-in or defined by the
    candidate.
    """
    kind = type(exc)
    name = type.__dict__["__qualname__"].__get__(kind).replace("<locals>.", "")
    module: Optional[Any] = type.__dict__["__module__"].__get__(kind)
    if isinstance(module, str) and module.split(".")[0] not in ("builtins", "candidate", "__main__"):
        name = module + "." + name
    return clean(name, 200)


def _is_ours(file: str) -> bool:
    return file == SETUP or os.path.abspath(file).startswith(HERE + os.sep)


_ROOTS = {sysconfig.get_paths()[key] for key in ("purelib", "platlib", "stdlib", "platstdlib")}
_ROOTS |= {os.path.realpath(root) for root in _ROOTS} | {HERE}
_KNOWN = "|".join(re.escape(root) for root in sorted(_ROOTS, key=len, reverse=True))
_LIBRARY = re.compile(r"(?:{}|/[^\s'\"():,]{{0,200}}/(?:site|dist)-packages)/".format(_KNOWN))
"""Matches the installation folder at the start of the path of a library's file."""
