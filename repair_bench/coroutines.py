"""Asynchronous work, waited for by ordinary code."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


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
