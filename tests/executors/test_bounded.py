"""Concurrent processing of many items: order, bound, errors and cancellation."""

import asyncio
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import aclosing
from typing import Any

import pytest

from repair_bench.coroutines import map_bounded, run_to_end, stream_bounded
from repair_bench.executors.cluster.executor import RayExecutor
from repair_bench.executors.cluster.members import Member, Members
from repair_bench.executors.local import LocalExecutor


class Counting:
    """A coroutine function that counts its concurrent calls. `fails`: the items for which it raises."""

    def __init__(self, pause: Callable[[int], float] = lambda _: 0.0, fails: tuple[int, ...] = ()) -> None:
        self.now = self.most = self.ended = 0
        self.begun: list[int] = []
        self._pause, self._fails = pause, fails

    async def __call__(self, item: int) -> int:
        self.begun.append(item)
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await asyncio.sleep(self._pause(item))
            if item in self._fails:
                raise ValueError(item)
            return item * item
        finally:
            self.now -= 1
            self.ended += 1


def streamed(items: Any, function: Counting, at_once: Callable[[], int], ahead: int = 4) -> list[int]:
    async def go() -> list[int]:
        return [result async for result in stream_bounded(items, function, at_once, ahead=ahead)]

    return run_to_end(go())


@pytest.mark.parametrize("at_once", [1, 3, 8, 100])
def test_results_are_in_order_and_concurrency_is_bounded(at_once: int) -> None:
    drawn = random.Random(at_once)
    function = Counting(lambda _: drawn.random() / 500)
    assert run_to_end(map_bounded(range(40), function, lambda: at_once)) == [n * n for n in range(40)]
    assert function.most == min(at_once, 40)
    assert function.now == 0
    assert function.begun == list(range(40))


def test_the_result_of_a_coroutine_is_not_formatted() -> None:
    """A suite has thousands of arrays, and formatting them takes longer than loading the suite."""

    class Large:
        formatted = 0

        def __repr__(self) -> str:
            Large.formatted += 1
            return "a long text"

    async def load() -> Large:
        return Large()

    assert isinstance(run_to_end(load()), Large)
    assert Large.formatted == 0


def test_the_error_of_a_coroutine_has_no_other_context() -> None:
    async def fail() -> None:
        raise ValueError("the only error")

    with pytest.raises(ValueError, match="the only error") as raised:
        run_to_end(fail())
    assert raised.value.__context__ is None


def test_no_items_give_no_results() -> None:
    assert run_to_end(map_bounded([], Counting(), lambda: 4)) == []
    assert streamed([], Counting(), lambda: 4) == []


def test_the_earliest_error_is_raised_and_the_rest_cancelled() -> None:
    function = Counting(lambda item: {0: 60.0, 1: 60.0, 2: 0.02, 3: 0.0}[item], fails=(2, 3))
    with pytest.raises(ValueError, match="3"):
        run_to_end(asyncio.wait_for(map_bounded(range(4), function, lambda: 4), 10))
    assert (function.now, function.ended) == (0, 4)


def test_cancellation_leaves_no_task_in_flight() -> None:
    function = Counting(lambda _: 60.0)

    async def go() -> None:
        working = asyncio.create_task(map_bounded(range(9), function, lambda: 3))
        await asyncio.sleep(0.01)
        assert function.now == 3
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await working
        assert (function.now, function.ended) == (0, 3)

    run_to_end(go())


def test_closing_a_stream_leaves_no_task_in_flight() -> None:
    function = Counting(lambda item: 60.0 * (item > 1))

    async def go() -> None:
        async with aclosing(stream_bounded(range(9), function, lambda: 3, ahead=4)) as results:
            async for result in results:
                if result == 1:
                    break
        assert (function.now, function.most) == (0, 3)

    run_to_end(go())


def test_a_slow_item_delays_at_most_a_window_of_items() -> None:
    taken: list[int] = []
    slow = asyncio.Event()

    def many() -> Iterator[int]:
        for item in range(100_000):
            taken.append(item)
            yield item

    async def wait_for_the_first(item: int) -> int:
        await (slow.wait() if item == 0 else asyncio.sleep(0))
        return item

    async def go() -> None:
        async with aclosing(stream_bounded(many(), wait_for_the_first, lambda: 3, ahead=8)) as results:
            first = asyncio.ensure_future(anext(results))
            await asyncio.sleep(0.05)
            assert not first.done()
            assert len(taken) == 24
            slow.set()
            assert await first == 0
            assert await anext(results) == 1

    run_to_end(go())


def test_an_error_of_the_iterator_cancels_the_tasks() -> None:
    def items() -> Iterator[int]:
        yield from range(5)
        raise LookupError("line 6")

    function = Counting(lambda _: 0.01)
    with pytest.raises(LookupError, match="line 6"):
        streamed(items(), function, lambda: 8)
    assert function.now == 0


def mapped(items: Any, function: Counting, at_once: Callable[[], int]) -> list[int]:
    return run_to_end(map_bounded(items, function, at_once))


@pytest.mark.parametrize("way", [streamed, mapped])
def test_a_growing_cluster_raises_the_concurrency(way: Callable[..., list[int]]) -> None:
    function = Counting(lambda _: 0.002)
    assert way(range(60), function, lambda: 2 if len(function.begun) < 20 else 16) == [n * n for n in range(60)]
    assert function.most == 16


def test_local_capacity_is_the_number_of_workers() -> None:
    executor = LocalExecutor(workers=8)
    try:
        assert executor.capacity == 8
    finally:
        executor.shutdown()


def test_cluster_capacity_is_the_sum_over_nodes_in_use() -> None:
    members = Members.__new__(Members)
    members.__dict__.update({"_lock": threading.Lock(), "_members": {}})
    executor = RayExecutor.__new__(RayExecutor)
    executor._members = members
    assert executor.capacity == 1  # a program waits for a node, and raises NoNode in time
    members._members = {name: Member(name, name, cores, workers, None) for name, cores, workers in
                        [("a", 4, 4), ("b", 64, 8)]}  # fmt: skip
    assert executor.capacity == 12
