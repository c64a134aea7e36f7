"""A little of what the scripts of this folder do at length."""

from pathlib import Path

import candidate_socket
import pathological_texts
import pytest
from benchmark import FOLDER, benchmark


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


@pytest.mark.slow
def test_no_changed_answer_passes_a_test_that_looks_at_it(datasets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(FOLDER)
    monkeypatch.setenv("REPAIR_BENCH_DATASETS", str(datasets))
    border = benchmark("border")
    rows, found = border.measure(["quantum-katas", "qiskit-humaneval", "aligned"], range(6), every=29, seed=1)
    assert [row["suite"] for row in rows] == ["quantum-katas", "qiskit-humaneval", "aligned"]
    assert all(row["refused"] and row["failed"] and row["the same"] for row in rows)
    assert not [one for one in found if one.different and not one.weak]
