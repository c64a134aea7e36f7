"""The distribution: one import package, and no links, tests, host names or paths of a machine."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import repair_bench

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the sdist, and the wheel from the sdist. Return the folder that contains both."""
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return out


@pytest.fixture(scope="module")
def wheel(built: Path) -> zipfile.ZipFile:
    return zipfile.ZipFile(next(built.glob("*.whl")))


@pytest.fixture(scope="module")
def base(wheel: zipfile.ZipFile, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a virtual environment that contains the wheel, and of the installed packages only its dependencies."""
    folder = tmp_path_factory.mktemp("base")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, timeout=60)
    (packages,) = folder.glob("lib/python*/site-packages")
    wheel.extractall(packages)
    (ours,) = packages.glob("*.dist-info")
    todo = metadata.PathDistribution(ours).requires or []
    done: set[str] = set()
    for requirement in map(Requirement, todo):  # the list grows during the loop
        if requirement.name in done or not any(_applies(requirement, extra) for extra in ("", *requirement.extras)):
            continue
        done.add(requirement.name)
        package = metadata.distribution(requirement.name)
        todo += package.requires or []
        for top in {file.parts[0] for file in package.files or ()} - {"..", "__pycache__"}:
            if (source := Path(package.locate_file(top))).is_dir():  # symbolic links would lead out of the sandbox
                shutil.copytree(source, packages / top, copy_function=_link, dirs_exist_ok=True)
            else:
                _link(source, packages / top)
    return folder


def _link(source: str | Path, target: str | Path) -> None:
    try:
        os.link(source, target)
    except FileExistsError:  # packages may share a folder
        pass
    except OSError:  # another file system
        shutil.copy2(source, target)


def _applies(requirement: Requirement, extra: str) -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"extra": extra})


@pytest.mark.slow
def test_archives_contain_the_package_without_links_and_tests(built: Path, wheel: zipfile.ZipFile) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as sdist:
        source = {name.split("/", 1)[1] for name in sdist.getnames() if "/" in name}
    for names in (source, {*wheel.namelist()}):
        assert "repair_bench/cli/commands/run.py" in names
        assert "repair_bench/py.typed" in names
        assert "repair_bench/prompts/templates/task.j2" in names
        assert "repair_bench/suites/aligned/tasks/16_bell_state/solution_cirq.py" in names
        assert "repair_bench/suites/aligned/tasks/16_bell_state/solution_openqasm3.qasm" in names
        assert "repair_bench/suites/aligned/tasks/16_bell_state/task.toml" in names
        assert "repair_bench/report/page/assets/index.html.j2" in names
        tops = {name.split("/")[0] for name in names}
        assert not tops & {"agent", "executors", "prompts", "suites", "tests", "traces"}
    version = f"repair_bench-{repair_bench.__version__}.dist-info"
    assert {name.split("/")[0] for name in wheel.namelist()} == {"repair_bench", version}


@pytest.mark.slow
def test_links_and_images_of_the_long_description_are_absolute(wheel: zipfile.ZipFile) -> None:
    text = wheel.read(f"repair_bench-{repair_bench.__version__}.dist-info/METADATA").decode()
    places = re.findall(r"""\]\(([^)\s]+)|(?:src|srcset|href)="([^"]+)""", text)
    relative = [place for place in map("".join, places) if not place.startswith(("https://", "#"))]
    assert places
    assert relative == []
    tree = f"repair-bench/repair-bench/{{}}v{repair_bench.__version__}/"
    files = re.findall("|".join(re.escape(tree.format(kind)) + r"([^)\"#\s]+)" for kind in ("", "blob/")), text)
    assert files
    assert [name for name in map("".join, files) if not (ROOT / name).exists()] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "code", "line"),
    [
        (["--limit", "2"], 0, "2 tasks (needs cirq, not installed (pip install 'repair-bench[cirq]'))"),
        (
            ["--framework", "openqasm3"],
            2,
            "needs antlr4, openqasm3, not installed (pip install 'repair-bench[openqasm]')",
        ),
        (["--model", "openai/gpt-4.1"], 2, "models of providers need litellm: pip install 'repair-bench[litellm]'"),
    ],
    ids=["default", "openqasm3", "litellm"],
)
def test_base_install_runs_and_names_missing_extras(
    base: Path, tmp_path: Path, options: list[str], code: int, line: str
) -> None:
    command = [base / "bin" / "python", "-m", "repair_bench", "run", *options, "--out", "r"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == code, done.stderr
    assert line in " ".join((done.stdout + done.stderr).split())
    assert (tmp_path / "r").exists() == (code == 0)
    assert (tmp_path / "r" / "plots" / "repair-curve.png").exists() == (code == 0)
    assert code == 0 or done.stderr.count("\n") == 1


def test_extras_are_documented() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    assert {*re.findall(r"^\| `([\w-]+)` \|", page, re.MULTILINE)} == {*project["optional-dependencies"]}


@pytest.mark.slow
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
