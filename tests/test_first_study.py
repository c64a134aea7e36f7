"""The shipped study is consistent, and its figures can be computed again. `make study` checks all of it."""

import sys
import tarfile
from pathlib import Path

import pytest

STUDY = Path(__file__).parents[1] / "studies/2026-first"


@pytest.mark.slow
def test_shipped_answers_are_verified(cli, tmp_path: Path) -> None:
    with tarfile.open(STUDY / "ask.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    assert (tmp_path / "ask/study.lock").read_bytes() == (STUDY / "locks/ask.lock").read_bytes()
    done = cli("verify", "ask", "--sample", "5")
    assert done.returncode == 0, done.stdout
    assert "consistent: 52 attempts, 0 contradictions" in done.stdout


def test_figures_of_the_page_are_recomputed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(STUDY), *sys.path])
    import recompute

    figures = recompute.figures()
    assert figures["attempts"] == {"study": 861, "horizon": 78, "ask": 52}
    effect = figures["effects"]["conventions none default"]
    assert effect["difference"] == pytest.approx(50.98039215686274)
    assert effect["interval"] == pytest.approx([40.2814897575, 61.6792945562])
    assert (effect["won"], effect["lost"], effect["p_holm"]) == (26, 0, 2**-13)
    assert figures["rates"]["conventions verdict"] == pytest.approx([100 * n / 51 for n in (23, 28, 31, 41, 43, 45)])
    assert figures["requests per solved task"]["conventions none"] == 7.56
