"""What `repair-bench doctor` finds: the sandbox, interpreters, environments and datasets of this machine."""

from __future__ import annotations

import os
import platform
import shutil
from typing import Any

from repair_bench._version import __version__
from repair_bench.executors import doctor, environments
from repair_bench.frameworks import FRAMEWORKS
from repair_bench.suites import fetch

Rows = list[dict[str, Any]]


def diagnosis() -> dict[str, Rows]:
    """The rows of each section, as JSON data. Nothing is fetched or changed; sandbox and frameworks are tried out."""
    return {
        "machine": [
            {
                "system": f"{platform.system()} {platform.release()}",
                "machine": platform.machine(),
                "cores": os.cpu_count(),
                "python": platform.python_version(),
                "repair-bench": __version__,
                "uv": shutil.which("uv") or "absent: pip is used",
            }
        ],
        "sandbox": [dict(row) for row in doctor.report()],
        "frameworks": _frameworks(),
        "environments": [environment.row() for environment in environments.listed()],
        "datasets": [_dataset(name) for name in fetch.SOURCES],
    }


def _frameworks() -> Rows:
    """What this interpreter runs them with when `--python` names no other."""
    installed = environments.framework_packages()
    own = {
        name: {package: version for package, version in installed.items() if package.startswith(framework.packages)}
        for name, framework in FRAMEWORKS.items()
    }
    programs = doctor.trials(name for name, packages in own.items() if packages)
    return [
        {"framework": name, "packages": packages or "not installed", "programs": programs.get(name, "")}
        for name, packages in own.items()
    ]


def _dataset(name: str) -> dict[str, Any]:
    folder = fetch.folder(name)
    there = all((folder / file).is_file() for file in fetch.SOURCES[name].files)
    state = str(folder) if there else f"absent: `repair-bench suites fetch {name}`, or --data"
    return {"suite": name, "version": fetch.SOURCES[name].version, "files": state}
