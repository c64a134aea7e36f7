"""The shipped study is consistent, and its figures can be computed again. `make study` checks all of it."""

import tarfile
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
STUDY = ROOT / "studies/2026-first"


@pytest.mark.slow
def test_shipped_answers_are_verified(cli, tmp_path: Path) -> None:
    with tarfile.open(STUDY / "ask.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    assert (tmp_path / "ask/study.lock").read_bytes() == (STUDY / "locks/ask.lock").read_bytes()
    done = cli("verify", "ask", "--sample", "5")
    assert done.returncode == 0, done.stdout
    assert "consistent: 52 attempts, 0 contradictions" in done.stdout


@pytest.mark.slow
def test_figures_of_the_page_are_recomputed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(STUDY))
    import recompute

    figures = recompute.figures()
    assert figures["attempts"] == {"study": 861, "horizon": 78, "ask": 52}
    page = " ".join((ROOT / "docs/results.md").read_text("utf-8").split())
    assert [line for line in recompute.lines(figures) if line not in page] == []


@pytest.mark.slow
def test_table_of_hypotheses_is_that_of_the_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(STUDY))
    import hypotheses
    import observer

    table = hypotheses.table()
    assert table.keys() == observer.tables().keys()
    for name, shipped in observer.tables().items():
        assert shipped["texts"] == table[name]["texts"], name
        for one, other in zip(shipped["fingerprints"], table[name]["fingerprints"], strict=True):
            assert np.array(one) == pytest.approx(np.array(other), abs=1e-5), name
