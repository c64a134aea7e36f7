"""Helpers to run coroutines from synchronous code, and to process many items concurrently."""

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
    """Run a coroutine to completion, like `asyncio.run`, but also inside a running event loop, as in a notebook.

    If an event loop is running, the coroutine runs in a separate thread and event loop, with the caller's context.
    Ctrl-C cancels the coroutine and waits for its cleanup; a second Ctrl-C also cancels the cleanup.
    """
    if not _a_loop_runs():
        results: list[T] = []

        async def kept() -> None:
            # asyncio.run formats the finished task with its result, which takes up to a second for a suite
            results.append(await work)

        asyncio.run(kept())
        return results[0]
    started: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []

    async def cancellable() -> T:
        task = asyncio.current_task()
        assert task is not None
        started.append((asyncio.get_running_loop(), task))
        return await work

    with ThreadPoolExecutor(1, "repair-bench") as thread:
        result = thread.submit(contextvars.copy_context().run, asyncio.run, cancellable())
        interrupted = False
        while True:
            try:
                return result.result()
            except KeyboardInterrupt:
                interrupted = True
                for loop, task in started:
                    loop.call_soon_threadsafe(task.cancel)
            except asyncio.CancelledError:
                if interrupted:
                    raise KeyboardInterrupt from None
                raise


def _a_loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def map_bounded(
    items: Collection[T], function: Callable[[T], Coroutine[Any, Any, R]], at_once: Callable[[], int]
) -> list[R]:
    """Apply `function` to all items concurrently, and return the results in order. `at_once`: see `stream_bounded`.

    Raises the first error. After an error or a cancellation, all tasks in flight are cancelled and awaited.
    """
    results = stream_bounded(items, function, at_once, ahead=len(items))
    async with aclosing(results):
        return [result async for result in results]


async def stream_bounded(
    items: Iterable[T], function: Callable[[T], Coroutine[Any, Any, R]], at_once: Callable[[], int], *, ahead: int
) -> AsyncGenerator[R, None]:
    """Apply `function` to items concurrently, and yield the results in order.

    The caller must close the generator unless it is exhausted. `at_once`: a function that returns the maximum number of
    tasks in flight (at least 1). This function is called again for each item, because the maximum increases when nodes
    join a cluster. `ahead`: the factor that limits the number of items that are started before their results are
    yielded. The limit is `ahead` times the result of `at_once`.
    """
    left = iter(items)
    started: deque[asyncio.Task[R]] = deque()
    in_flight: set[asyncio.Task[R]] = set()
    try:
        while True:
            while len(in_flight) < at_once() and len(started) < ahead * at_once():
                try:
                    item = next(left)
                except StopIteration:
                    break
                task = asyncio.create_task(function(item))
                started.append(task)
                in_flight.add(task)
                task.add_done_callback(in_flight.discard)
            if not started:
                return
            if started[0].done():
                yield started.popleft().result()
            else:
                ended, _ = await asyncio.wait(in_flight, return_when=asyncio.FIRST_COMPLETED)
                for task in ended:
                    task.result()
    finally:
        for task in in_flight:
            task.cancel()
        await asyncio.gather(*started, return_exceptions=True)
