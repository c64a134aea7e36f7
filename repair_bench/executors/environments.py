"""Virtual environments with different versions of frameworks but without repair-bench, in the user's data directory."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from repair_bench.executors import interpreters
from repair_bench.frameworks import FRAMEWORKS
from repair_bench.traces.faults import UsageError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_OFFLINE = re.compile(
    "NewConnectionError|ConnectTimeout|ConnectionResetError|NameResolutionError|ProxyError|error sending request"
    "|dns error|Could not connect|Network connectivity is disabled"
)


@dataclass(frozen=True)
class Environment:
    """A virtual environment, with its versions of Python, NumPy and the frameworks' packages."""

    name: str
    folder: Path
    python: str
    packages: dict[str, str]

    def row(self) -> dict[str, Any]:
        interpreter = str(interpreters.of_environment(self.folder))
        return {"name": self.name, "python": self.python, "packages": self.packages, "interpreter": interpreter}


def create(name: str, packages: Sequence[str], python: str | None = None) -> Environment:
    """Create an environment with these packages, each a requirement such as `qiskit==0.46.0`.

    `python`: the base interpreter, by default the running interpreter. Uses uv if it is installed, otherwise venv and
    pip. The new folder is renamed to `name` only after the framework has been imported. Raises UsageError if the name
    is taken or invalid, the interpreter is missing or too old, or a package cannot be installed or imported. After an
    error, no files are left behind.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} is not a valid name: use letters, digits, dots, dashes and underscores")
    home = interpreters.environments_folder()
    final = home / name
    if final.exists():
        raise UsageError(
            f"the environment {name!r} already exists: run `repair-bench env remove {name}`, or choose another name"
        )
    base, _ = interpreters.examine(interpreters.find(python) if python is not None else Path(sys.executable))
    try:
        home.mkdir(parents=True, exist_ok=True)
        building = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=home))
    except OSError as error:
        raise UsageError(f"{home} cannot be written: {error.strerror}") from None
    try:
        _build(building / "env", base, packages)
        _try(building / "env", packages)
        (building / "env").rename(final)
    except OSError as error:
        raise UsageError(f"{final} cannot be created: {error.strerror}") from None
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return _read(final)


def listed() -> list[Environment]:
    home = interpreters.environments_folder()
    return [_read(home / name) for name in interpreters.environment_names()]


def remove(name: str) -> None:
    """Remove an environment. Raises UsageError for an unknown name."""
    if name not in interpreters.environment_names():
        raise UsageError(f"there is no environment named {name!r}")
    shutil.rmtree(interpreters.environments_folder() / name)


def framework_packages(paths: Sequence[str] | None = None) -> dict[str, str]:
    """Return the versions of NumPy and the frameworks' packages that are installed in `paths` (default: `sys.path`)."""
    installed = metadata.distributions(path=list(sys.path if paths is None else paths))
    versions = {dist.name.lower().replace("_", "-"): dist.version for dist in installed}
    ours = tuple(prefix for framework in FRAMEWORKS.values() for prefix in framework.packages)
    return {name: version for name, version in sorted(versions.items()) if name == "numpy" or name.startswith(ours)}


def _build(folder: Path, base: Path, packages: Sequence[str]) -> None:
    python = interpreters.of_environment(folder)
    uv = shutil.which("uv")
    if uv is not None:
        _run([uv, "venv", "--quiet", "--no-project", "--python", base, folder])
        _run([uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", python, *packages])
    else:
        _run([base, "-m", "venv", folder])
        _run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages])
    # Other scripts contain the folder's path, which will change.
    for script in (folder / "bin").iterdir():
        if not script.name.startswith("python"):
            script.unlink()


def _try(folder: Path, packages: Sequence[str]) -> None:
    frameworks = [name for name in FRAMEWORKS if any(folder.glob(f"lib/python*/site-packages/{name}"))]
    if not frameworks:
        raise UsageError(f"{' '.join(packages)}: includes none of {', '.join(FRAMEWORKS)}")
    for framework in frameworks:
        try:
            interpreters.versions(framework, interpreters.of_environment(folder))
        except UsageError as error:
            raise UsageError(
                f'{error}; you may have to install other packages too, such as "numpy<2" or "setuptools<81"'
            ) from None


def _run(command: Sequence[str | Path]) -> None:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise UsageError(_problem(done.stderr or done.stdout or f"{command[0]} ended with {done.returncode}"))


def _problem(text: str) -> str:
    """Extract the error from the output of pip or uv, as one line."""
    errors = [line.partition("ERROR:")[2] for line in text.splitlines() if line.startswith("ERROR:")]  # pip's
    line = re.sub(r"[^\w.,:;=<>~!'\"`()\[\]/@+&?*-]+", " ", " ".join(errors[-1:]) or text).strip()
    reason = line if len(line) <= 300 else f"{line[:297]}..."
    return f"the package index cannot be reached: {reason}" if _OFFLINE.search(text) else reason


def _read(folder: Path) -> Environment:
    lines = (folder / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    settings = dict(re.split(r"\s*=\s*", line, maxsplit=1) for line in lines if "=" in line)
    version = settings.get("version") or settings.get("version_info", "unknown")
    packages = framework_packages([str(place) for place in folder.glob("lib/python*/site-packages")])
    return Environment(folder.name, folder, version, packages)
