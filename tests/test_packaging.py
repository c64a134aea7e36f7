"""The distribution: one import package, and no links, tests, host names or paths of a machine."""

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import repair_bench

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> tuple[set[str], set[str]]:
    """Return the names in the sdist and in the wheel."""
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    with tarfile.open(next(out.glob("*.tar.gz"))) as sdist:
        source = {name.split("/", 1)[1] for name in sdist.getnames() if "/" in name}
    with zipfile.ZipFile(next(out.glob("*.whl"))) as wheel:
        return source, set(wheel.namelist())


@pytest.mark.slow
def test_archives_contain_the_package_without_the_links(archives: tuple[set[str], set[str]]) -> None:
    for names in archives:
        assert "repair_bench/cli/commands/run.py" in names
        assert "repair_bench/py.typed" in names
        assert "repair_bench/prompts/templates/task.j2" in names
        assert "repair_bench/suites/aligned/tasks/16_bell_state/solution_cirq.py" in names
        assert "repair_bench/suites/aligned/tasks/16_bell_state/solution_openqasm3.qasm" in names
        assert "repair_bench/suites/aligned/tasks/16_bell_state/task.toml" in names
        assert "repair_bench/report/page/assets/index.html.j2" in names
        tops = {name.split("/")[0] for name in names}
        assert not tops & {"agent", "executors", "prompts", "suites", "traces"}
    version = f"repair_bench-{repair_bench.__version__}.dist-info"
    assert {name.split("/")[0] for name in archives[1]} == {"repair_bench", version}


def test_files_contain_no_registry_or_machine_path() -> None:
    hosts = re.compile("|".join(["py" + "pi\\.org", "python" + "hosted", "registry\\.npm" + "js", "deb\\.deb" + "ian"]))
    machine = re.compile(r"(?<![\w.])/(work|farm|root)/")
    if not (ROOT / ".git").exists():
        pytest.skip("the files of the project are listed by git, and this is not a git checkout")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.splitlines():
        path = ROOT / name
        if path.is_symlink() or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        assert not hosts.search(text), name
        assert not machine.search(text), name


def test_version_is_stated_once() -> None:
    written = {
        name: re.findall(r"^version\W+([\d.]+)", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        for name in ("pyproject.toml", "CITATION.cff")
    }
    assert written == {"pyproject.toml": [], "CITATION.cff": [repair_bench.__version__]}
    newest = re.search(r"^## ([\d.]+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert newest is not None
    assert newest[1] == repair_bench.__version__


def test_locks_are_hashed() -> None:
    for name in ("requirements.lock", "requirements-dev.lock"):
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        pinned = [line for line in lines if "==" in line]
        assert pinned
        assert sum("--hash=sha256:" in line for line in lines) >= len(pinned)
        assert not [line for line in lines if line.startswith("--") or "://" in line]
