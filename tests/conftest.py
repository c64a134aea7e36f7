"""Fixtures that every test may use."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# the same examples every time, and no clock: these machines are shared
settings.register_profile("repair-bench", deadline=None, derandomize=True)
settings.load_profile("repair-bench")

DATASETS = Path(os.environ.get("REPAIR_BENCH_DATASETS", Path(__file__).parents[2] / "shared" / "datasets"))


@pytest.fixture(scope="session")
def datasets() -> Path:
    """The folder with the official files of the published benchmarks; they are not part of the project."""
    if DATASETS.is_dir():
        return DATASETS
    reason = f"the published datasets are absent: put them in {DATASETS} or set REPAIR_BENCH_DATASETS"
    if os.environ.get("REPAIR_BENCH_CI"):
        pytest.fail(reason)
    pytest.skip(reason)
