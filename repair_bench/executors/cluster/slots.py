"""Select the node with the most free slots for the next program. A node has one slot per concurrent program."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from concurrent.futures import Future
from typing import Generic, TypeVar

T = TypeVar("T")


class NoNode(Exception):  # noqa: N818 - the executor converts it to a fault
    """Raised if the cluster has had no nodes for too long."""


class Slots(Generic[T]):
    """The free slots of each node, for use by threads and event loops.

    `patience`: how many seconds a cluster may have no nodes.
    """

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._free: dict[T, int] = {}
        self._waiting: deque[Future[T]] = deque()
        self._lock = threading.Lock()
        self._empty_since = time.monotonic()

    def open(self, node: T, count: int) -> None:
        with self._lock:
            self._free[node] = count
            self._hand_out()

    def shut(self, node: T) -> bool:
        """Remove a node. Return whether the node was present."""
        with self._lock:
            had_seats = self._free.pop(node, None) is not None
            if had_seats and not self._free:
                self._empty_since = time.monotonic()
            return had_seats

    async def take(self) -> T:
        """Take a free slot and return its node. The caller must release the slot afterwards (`give_back`). Raises
        NoNode.
        """
        seat: Future[T] = Future()
        with self._lock:
            self._waiting.append(seat)
            self._hand_out()
        waiting = asyncio.wrap_future(seat)
        try:
            while not (await asyncio.wait([waiting], timeout=1.0))[0]:
                with self._lock:
                    if self._free or time.monotonic() - self._empty_since < self._patience or not seat.cancel():
                        continue
                raise NoNode
            return waiting.result()
        except asyncio.CancelledError:
            with self._lock:
                taken = not seat.cancel()
            if taken:
                self.give_back(seat.result())
            raise

    def give_back(self, node: T) -> None:
        with self._lock:
            if node in self._free:
                self._free[node] += 1
                self._hand_out()

    def _hand_out(self) -> None:
        while self._waiting:
            node = max(self._free, key=self._free.__getitem__, default=None)
            if node is None or not self._free[node]:
                return
            seat = self._waiting.popleft()
            if seat.set_running_or_notify_cancel():
                self._free[node] -= 1
                seat.set_result(node)
