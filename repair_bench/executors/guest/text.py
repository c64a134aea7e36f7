"""Exchange text and JSON messages (frames) between processes that do not trust each other.

All exchanged text is limited in length, is valid UTF-8 and contains no control characters.
"""

from __future__ import annotations

import json
import os
import struct
from typing import Any

REPLACEMENT = "\ufffd"
_UNPRINTABLE = dict.fromkeys([*range(32), 127, *range(128, 160)], REPLACEMENT)
_UNPRINTABLE.update({ord("\n"): "\n", ord("\t"): "\t"})


def clean(text: str, limit: int) -> str:
    """Truncate a text to `limit` characters, and replace the characters that a result must not contain.

    A lone surrogate becomes a question mark. A control character except newline and tab becomes U+FFFD.
    """
    cut = text[:limit].encode("utf-8", "replace").decode("utf-8").replace("\r\n", "\n")
    return cut.translate(_UNPRINTABLE)


def clean_json(value: Any, limit: int) -> Any:
    """Apply `clean` to all strings and keys in a JSON value."""
    if isinstance(value, str):
        return clean(value, limit)
    if isinstance(value, (list, tuple)):
        return [clean_json(item, limit) for item in value]
    if isinstance(value, dict):
        return {clean(str(key), limit): clean_json(item, limit) for key, item in value.items()}
    return value


def printed(value: Any, limit: int = 500) -> str:
    """Return the `repr` of an untrusted value.

    If `__repr__` raises an exception, return a text that names the exception.
    """
    try:
        return clean(repr(value), limit)
    except Exception as error:
        return "<%s whose repr raises %s>" % (type(value).__name__, type(error).__name__)


def frame(value: Any) -> bytes:
    """Encode a value as a frame: the length of its JSON text (4 bytes, big-endian), followed by the text in ASCII."""
    body = json.dumps(value, allow_nan=False).encode("ascii")
    return struct.pack("!I", len(body)) + body


def read_frame(fd: int) -> Any:
    """Read the next frame and return its value. Raises EOFError if the pipe is closed before the end of the frame."""
    (size,) = struct.unpack("!I", read_exactly(fd, 4))
    return json.loads(read_exactly(fd, size))


def write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def read_exactly(fd: int, size: int) -> bytes:
    parts = []
    while size:
        part = os.read(fd, min(size, 1 << 20))
        if not part:
            raise EOFError("the process at the other end closed the pipe")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
