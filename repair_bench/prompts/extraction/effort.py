"""Limit the work done to process one completion.

The work is measured in characters, so the limit is the same on every machine. A degenerate answer (40,000 spaces,
20,000 opening fences) must not block the process that drives all other episodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_PER_LINE = 10
_left: ContextVar[int | None] = ContextVar("_left", default=None)


class EffortExceededError(Exception):
    """Raised when processing a text would take more work than the limit allows."""


@contextmanager
def limited(characters: int) -> Iterator[None]:
    """Make `spend` raise EffortExceededError when more than this number of characters are processed."""
    token = _left.set(characters)
    try:
        yield
    finally:
        _left.reset(token)


def spend(characters: int) -> None:
    """Subtract a number of processed characters from the effort that is left, if the effort is limited."""
    left = _left.get()
    if left is not None:
        if left < characters:
            raise EffortExceededError
        _left.set(left - characters)


def spend_on(text: str) -> None:
    """Count one pass over a text towards the effort limit. Each line break counts as a few additional processed
    characters.
    """
    spend(len(text) + _PER_LINE * text.count("\n"))
