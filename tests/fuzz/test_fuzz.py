"""A little of what the scripts of this folder do at length."""

import candidate_socket
import pathological_texts
import pytest


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_no_message_of_a_candidate_forges_a_verdict_or_breaks_its_test(seed: int) -> None:
    counts = candidate_socket.fuzz(1500, seed).counts
    assert counts["failed"]
    assert counts["malformed"]
    assert counts["exception"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_no_text_occupies_a_parser_for_a_second(seed: int) -> None:
    slowest = pathological_texts.slowest(pathological_texts.a_task(), seed, 100)
    assert {name: text for name, (seconds, text) in slowest.items() if seconds > pathological_texts.MAX_SECONDS} == {}
