"""Selection of the node for the next program of a cluster."""

import asyncio

import pytest

from repair_bench.coroutines import run_to_end
from repair_bench.executors.cluster.slots import NoNode, Slots


def test_the_node_with_the_most_free_slots_is_next() -> None:
    async def go() -> list[str]:
        seats: Slots[str] = Slots(60)
        seats.open("small", 1)
        seats.open("large", 3)
        return [await seats.take() for _ in range(4)]

    taken = run_to_end(go())
    assert taken[:2] == ["large", "large"]
    assert sorted(taken) == ["large"] * 3 + ["small"]


def test_waiting_programs_get_freed_or_new_slots_in_order() -> None:
    async def go() -> tuple[list[str], str]:
        seats: Slots[str] = Slots(60)
        seats.open("a", 1)
        await seats.take()
        first, second = (asyncio.create_task(seats.take()) for _ in range(2))
        await asyncio.sleep(0)
        seats.give_back("a")
        served = [await first]
        assert not second.done()
        seats.open("b", 1)
        return served, await second

    assert run_to_end(go()) == (["a"], "b")


def test_a_slot_assigned_to_a_cancelled_program_is_not_lost() -> None:
    async def go() -> str:
        seats: Slots[str] = Slots(60)
        seats.open("a", 1)
        await seats.take()
        waiting = asyncio.create_task(seats.take())
        await asyncio.sleep(0)
        seats.give_back("a")  # the slot is assigned, but the program has not been notified
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return await seats.take()

    assert run_to_end(go()) == "a"


def test_a_cancelled_program_is_skipped() -> None:
    async def go() -> str:
        seats: Slots[str] = Slots(60)
        seats.open("a", 1)
        await seats.take()
        first, second = (asyncio.create_task(seats.take()) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.sleep(0)
        seats.give_back("a")
        return await second

    assert run_to_end(go()) == "a"


@pytest.mark.slow
def test_a_removed_node_gets_no_programs() -> None:
    async def go() -> None:
        seats: Slots[str] = Slots(0)
        seats.open("a", 1)
        node = await seats.take()
        assert seats.shut("a")
        assert not seats.shut("a")
        seats.give_back(node)
        with pytest.raises(NoNode):
            await seats.take()
        seats.open("b", 1)
        assert await seats.take() == "b"

    run_to_end(go())
