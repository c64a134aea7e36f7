"""Importing a framework for good, and telling the versions of what was imported."""

from __future__ import annotations

import importlib
import json
import platform
import sys
from typing import Any, Dict

from . import codec


def load(name: str) -> Any:
    """The adapter of a framework, once all that it preloads was imported and the codec knows its values."""
    adapter = importlib.import_module("..adapters.%s_adapter" % name, __name__)
    for module in adapter.PRELOAD:
        importlib.import_module(module)
    codec.table()
    return adapter


def versions(adapter: Any) -> Dict[str, str]:
    """The version of Python and of every package that an adapter preloads."""
    found = {"python": platform.python_version()}
    for name in adapter.PRELOAD:
        package = name.split(".")[0]
        version = getattr(sys.modules.get(package), "__version__", None)
        if isinstance(version, str):
            found[package] = version
    return found


def main(name: str) -> None:
    """Print the versions, as JSON on the last line."""
    sys.stdout.write("\n%s\n" % json.dumps(versions(load(name))))
