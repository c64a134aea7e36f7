"""Import a framework, and report the versions of the imported packages."""

from __future__ import annotations

import abc
import builtins
import collections.abc
import contextlib
import importlib
import numbers
import platform
import sys
import types
from importlib import metadata
from typing import Any, Dict, Optional

from . import adapters, kinds


def load(name: str, folder: Optional[str] = None, *, extra_imports: bool = False) -> Any:
    """Import the packages of a framework and fill the codec's table. Return the adapter.

    `folder`: the folder that contains a plug-in's adapter, which may import the modules that all adapters share.
    `extra_imports`: whether to also import the installed packages that only a few programs need.
    """
    if folder is not None:
        adapters.__path__ = [folder, *adapters.__path__]
    adapter = importlib.import_module("..adapters.%s_adapter" % name, __name__)
    for module in (*adapter.PRELOAD, *(getattr(adapter, "EXTRA_PRELOAD", ()) if extra_imports else ())):
        importlib.import_module(module)
    kinds.table()
    _fill_caches(adapter)
    return adapter


def _fill_caches(adapter: Any) -> None:
    """Fill the caches of abstract classes before any fork; otherwise, each child would copy many memory pages."""
    packages = [sys.modules[name] for name in sorted({module.split(".")[0] for module in adapter.PRELOAD})]
    owners = [builtins, *packages]
    kinds = {kind for owner in owners for kind in vars(owner).values() if isinstance(kind, type)}
    kinds |= {type(None), types.FunctionType, types.GeneratorType}
    for owner in (collections.abc, numbers):
        for abstract in vars(owner).values():
            if isinstance(abstract, abc.ABCMeta):
                for kind in kinds:
                    with contextlib.suppress(Exception):  # a metaclass may raise anything
                        issubclass(kind, abstract)


def versions(adapter: Any) -> Dict[str, str]:
    """Return the versions of Python and of all packages that an adapter can preload."""
    found = {"python": platform.python_version()}
    for name in (*adapter.PRELOAD, *getattr(adapter, "EXTRA_PRELOAD", ())):
        package = name.split(".")[0]
        version = getattr(sys.modules.get(package), "__version__", None)
        if version is None and package not in sys.modules:
            with contextlib.suppress(metadata.PackageNotFoundError):
                version = metadata.version(package)
        if isinstance(version, str):
            found[package] = version
    return found
