"""The figures of a page are drawn in a second process while the first one builds tables and texts."""

import threading

import pytest

from repair_bench.report.page import figures, write
from repair_bench.testing import run
from repair_bench.traces.faults import UsageError
from repair_bench.traces.run.manifest import Manifest

pytestmark = pytest.mark.slow
KINDS = ["repair-curve", "information"]


def test_page_is_the_same_with_and_without_a_second_process(monkeypatch, tmp_path) -> None:
    attempts, manifest = run(tasks=3)
    write(manifest, attempts, tmp_path / "whole.html")
    monkeypatch.setattr(figures.sys, "platform", "darwin")
    write(manifest, attempts, tmp_path / "again.html")
    assert (tmp_path / "again.html").read_bytes() == (tmp_path / "whole.html").read_bytes()


def test_figures_are_drawn_in_process_with_threads() -> None:
    attempts, manifest = run(tasks=3)
    end = threading.Event()
    thread = threading.Thread(target=end.wait, args=(60,))
    thread.start()
    try:
        with figures.in_background(manifest, attempts, (), KINDS) as drawn:
            assert [figure.kind for figure in drawn()[0]] == ["repair-curve"]
    finally:
        end.set()
        thread.join()


def test_figures_of_a_killed_process_are_redrawn() -> None:
    attempts, manifest = run(tasks=3)
    with figures.in_background(manifest, attempts, (), KINDS) as drawn:
        for child in figures.multiprocessing.active_children():
            child.kill()
        assert [figure.kind for figure in drawn()[0]] == ["repair-curve"]
    assert not figures.multiprocessing.active_children()


def test_error_of_a_figure_reaches_the_caller() -> None:
    with (
        figures.in_background(Manifest({}), [], (), ["no-such-plot"]) as drawn,
        pytest.raises(UsageError, match="no-such"),
    ):
        drawn()
