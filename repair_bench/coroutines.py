"""Asynchronous work: waited for by ordinary code, and applied to many items, several at once."""

from __future__ import annotations

import asyncio
import contextvars
from collections import deque
from collections.abc import AsyncGenerator, Callable, Collection, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")


def run_to_end(work: Coroutine[Any, Any, T]) -> T:
    """What `work` returns or raises.

    Like `asyncio.run`, and also where an event loop runs already, as in a notebook: there the work has a thread and a
    loop of its own, with the caller's context, and Ctrl-C cancels it and waits until it has put away what it holds. A
    second Ctrl-C cancels it again, which ends a wait of that kind.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    begun: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []

    async def cancellable() -> T:
        task = asyncio.current_task()
        assert task is not None
        begun.append((asyncio.get_running_loop(), task))
        return await work

    with ThreadPoolExecutor(1, "repair-bench") as thread:
        result = thread.submit(contextvars.copy_context().run, asyncio.run, cancellable())
        interrupted = False
        while True:
            try:
                return result.result()
            except KeyboardInterrupt:
                interrupted = True
                for loop, task in begun:
                    loop.call_soon_threadsafe(task.cancel)
            except asyncio.CancelledError:
                if interrupted:
                    raise KeyboardInterrupt from None
                raise


async def map_bounded(
    items: Collection[T], function: Callable[[T], Coroutine[Any, Any, R]], at_once: Callable[[], int]
) -> list[R]:
    """Return the results of all items, in their order. `at_once`: as for `stream_bounded`.

    When one fails, or the caller is cancelled, what is in flight is cancelled and waited for; the error of the first
    that failed is raised.
    """
    results = stream_bounded(items, function, at_once, ahead=len(items))
    async with aclosing(results):
        return [result async for result in results]


async def stream_bounded(
    items: Iterable[T], function: Callable[[T], Coroutine[Any, Any, R]], at_once: Callable[[], int], *, ahead: int
) -> AsyncGenerator[R, None]:
    """The results one by one, for items that are too many to be kept. Close it when it is not read to its end.

    `at_once`: tells how many may be in flight, at least 1: an executor's `capacity`, asked for again each time, since a
    cluster grows. `ahead`: how many items may be begun whose results are not yet given, as a multiple of that: where
    one takes long, those after it wait.
    """
    left = iter(items)
    begun: deque[asyncio.Task[R]] = deque()
    in_flight: set[asyncio.Task[R]] = set()
    try:
        while True:
            while len(in_flight) < at_once() and len(begun) < ahead * at_once():
                try:
                    item = next(left)
                except StopIteration:
                    break
                task = asyncio.create_task(function(item))
                begun.append(task)
                in_flight.add(task)
                task.add_done_callback(in_flight.discard)
            if not begun:
                return
            if begun[0].done():
                yield begun.popleft().result()
            else:
                ended, _ = await asyncio.wait(in_flight, return_when=asyncio.FIRST_COMPLETED)
                for task in ended:
                    task.result()
    finally:
        for task in in_flight:
            task.cancel()
        await asyncio.gather(*begun, return_exceptions=True)
