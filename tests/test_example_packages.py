"""The packages in `examples/` install and pass their tests."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.slow
@pytest.mark.parametrize("name", [path.parent.name for path in sorted(EXAMPLES.glob("*/pyproject.toml"))])
def test_example_passes_its_tests(name: str, tmp_path: Path) -> None:
    copied = tmp_path / name
    subprocess.run(["cp", "-r", str(EXAMPLES / name), str(copied)], check=True)  # pip writes to the folder
    install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*install, "--target", str(tmp_path / "installed"), str(copied)], check=True, timeout=120)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(copied), str(copied)]
    path = {**os.environ, "PYTHONPATH": str(tmp_path / "installed")}
    subprocess.run(command, cwd=tmp_path, env=path, check=True, timeout=300)
