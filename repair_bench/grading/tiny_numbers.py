"""Numbers in texts that stand for zero, and whose digits depend on the processor."""

from __future__ import annotations

import re

_TINY = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?e-[1-9]\d+")


def without_tiny_numbers(text: str) -> str:
    """Return the text with 0 in place of each number in scientific notation whose exponent is -10 or less.

    Two machines that execute the same program may print 1.2e-33 and 4.9e-32 for the same result.
    """
    return _TINY.sub("0", text) if "e-" in text else text
