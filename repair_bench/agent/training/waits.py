"""Waits for the clients of a server, so many at once and no longer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Waits:
    """Waits for clients that send or read slowly. Beyond `most` at once the oldest ends, so that no client is locked
    out by the others.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._waits: dict[asyncio.Timeout, None] = {}

    @asynccontextmanager
    async def wait(self, seconds: float) -> AsyncIterator[None]:
        """Raises TimeoutError in the wait that takes longer, or has to end."""
        if len(self._waits) >= self._most:
            oldest = next(iter(self._waits))
            del self._waits[oldest]
            if not oldest.expired():
                oldest.reschedule(asyncio.get_running_loop().time())
        async with asyncio.timeout(seconds) as timeout:
            self._waits[timeout] = None
            try:
                yield
            finally:
                self._waits.pop(timeout, None)
