"""What no candidate may read: where it lies, and whether it can still be read from inside the sandbox.

Secret are all copies of repair-bench that an interpreter can reach, packages that add suites, and the folders that the
driver names. The driver and the fork server both look, each in its own interpreter. Of two listed paths the longer one
decides what lies below it: an interpreter inside a secret folder works, a secret inside a prefix does not show.
"""

from __future__ import annotations

import contextlib
import glob
import importlib.machinery
import os
import re
import stat
import sys
import zipimport
from importlib import metadata
from typing import Collection, Iterable, Iterator, List, Optional, Tuple

PACKAGE = "repair_bench"
SUITES = "repair_bench.suites"
"""The group of entry points by which a package adds suites."""
LIBRARIES = ("site-packages", "dist-packages")
"""Folders of many packages, of which only those that are secret are hidden; any other one is a project's own."""
MAX_LOOKS = 2000
"""Files that are tried below each secret path: all of them have the rights of their folder."""
_OURS = re.compile(
    r"(_[\w.]*)?[r~]epair[-_.]bench([-_.]\d+[._]\d.*|[-_.].*(info|link|pth|finder).*|\.pyc?)?", re.IGNORECASE
)
"""The package, its metadata, what stands for it in an editable installation, and what pip leaves when it is stopped."""
_OCTAL = re.compile(r"\\([0-7]{3})")


def below(path: str, top: str) -> bool:
    """Whether a path is `top` or lies below it."""
    return path == top or path.startswith(top.rstrip("/") + "/")


def shows(path: str, readable: Iterable[str], hidden: Iterable[str]) -> bool:
    """Whether a path is to be seen: the longest path above it decides, and a hidden one if it is listed as both."""
    return _longest(path, readable) > _longest(path, hidden)


def _longest(path: str, tops: Iterable[str]) -> int:
    return max((len(top) for top in tops if below(path, top)), default=-1)


def prefixes() -> List[str]:
    """Where this interpreter is installed, and the one that its environment is based on."""
    installed = os.path.dirname(os.path.dirname(os.path.realpath(sys.executable)))
    return list(dict.fromkeys([sys.prefix, sys.exec_prefix, sys.base_prefix, installed]))


def copies() -> List[str]:
    """Every copy of repair-bench within reach of this interpreter: packages, archives, metadata, and source trees.

    It looks in all folders that the interpreter imports from, in those of the installation below its environment, and
    where the finders of editable installations point.
    """
    patterns = [os.path.join(prefix, "l*", "python*", name) for prefix in [*prefixes(), "/usr", "/usr/local"]
                for name in LIBRARIES]  # fmt: skip
    folders = dict.fromkeys([*map(os.path.abspath, sys.path), *(found for p in patterns for found in glob.glob(p))])
    found: List[str] = []
    for folder in folders:
        for place in (folder, os.path.join(folder, "__pycache__")):
            with contextlib.suppress(OSError):
                found += [os.path.join(place, name) for name in os.listdir(place) if _OURS.fullmatch(name)]
        with contextlib.suppress(ImportError):  # a folder, or an archive without it
            found += [_existing(folder)] if zipimport.zipimporter(folder).is_package(PACKAGE) else []
    for finder in sys.meta_path:
        with contextlib.suppress(Exception):  # a finder of somebody else's
            found += _of_spec(finder.find_spec(PACKAGE, None))
    for path in [path for path in found if os.path.basename(path) == PACKAGE]:
        tree = os.path.dirname(path)
        if os.path.basename(tree) not in LIBRARIES and os.path.exists(os.path.join(tree, "pyproject.toml")):
            found.append(tree)
    return list(dict.fromkeys(found))


def suite_packages() -> List[str]:
    """The folder or file of every package in this interpreter that adds suites. Nothing of them is imported."""
    modules = {
        entry.value.partition(":")[0].strip()
        for distribution in metadata.distributions()
        for entry in distribution.entry_points
        if entry.group == SUITES
    }
    return [path for module in sorted(modules) for path in _of_module(module)]


def loaded(suites: Iterable[str]) -> List[str]:
    """The modules of repair-bench or of packages that add suites that this process has imported."""
    tops = tuple(os.path.realpath(path) for path in suites)
    return [
        name
        for name, module in sorted(sys.modules.items())
        if name.partition(".")[0] == PACKAGE
        or any(below(os.path.realpath(getattr(module, "__file__", None) or "/"), top) for top in tops)
    ]


def _of_module(name: str) -> List[str]:
    """Where the package of a module lies: the first on its way that is no namespace for several packages."""
    found: List[str] = []
    within: Optional[List[str]] = None
    parts = name.split(".")
    for index in range(len(parts)):
        spec = _find(".".join(parts[: index + 1]), within)
        if spec is None:
            break
        found = _of_spec(spec)
        if spec.origin is not None or spec.submodule_search_locations is None:
            break
        within = list(spec.submodule_search_locations)
    return found


def _find(name: str, within: Optional[List[str]]) -> Optional[importlib.machinery.ModuleSpec]:
    for finder in sys.meta_path:
        with contextlib.suppress(Exception):
            spec = finder.find_spec(name, within)
            if spec is not None:
                return spec
    return None


def _of_spec(spec: Optional[importlib.machinery.ModuleSpec]) -> List[str]:
    """The files of a module: its folders, or itself with what is compiled of it; of an archive the whole."""
    if spec is None:
        return []
    folders = list(spec.submodule_search_locations or ())
    files = [] if folders else [path for path in (spec.origin, spec.cached) if path]
    return [_existing(os.path.abspath(path)) for path in (*folders, *files) if os.path.isabs(path)]


def _existing(path: str) -> str:
    """The path, or the file that it leads into: an archive."""
    above = _nearest(path)
    return above if os.path.isfile(above) else path


def _nearest(path: str) -> str:
    """The path, or the nearest one above it that is there."""
    while not os.path.lexists(path):
        path = os.path.dirname(path)
    return path


def arrange(readable: Iterable[str], secret: Iterable[str]) -> Tuple[List[str], List[str]]:
    """The paths to show and those to hide, such that nothing secret shows.

    A secret path is hidden wherever it can be met: behind symbolic links, and in every place where what it holds is
    mounted. Where one is not there yet its folder is shown by what it holds now. What an interpreter cannot do without
    is not hidden: `seen` tells.
    """
    shown = list(dict.fromkeys(readable))
    needed = {os.path.realpath(path) for path in sys.path if os.path.abspath(path) in shown}
    mounts = _mounts()
    places = [place for path in secret for place in _places(os.path.realpath(path), mounts)]
    hidden = [place for place in dict.fromkeys(places) if place not in needed]
    for path in list(hidden):
        for top in shown:
            real = os.path.realpath(top)
            if real != top and below(path, real) and not os.path.islink(top):
                hidden.append(top + path[len(real) :])
    for path in [path for path in hidden if not os.path.lexists(path)]:
        above = _nearest(path)
        if os.path.isdir(above) and shows(above, shown, hidden):
            shown += [os.path.join(above, name) for name in os.listdir(above)]
            hidden.append(above)
    hidden = list(dict.fromkeys(hidden))
    shown = [path for path in dict.fromkeys(shown) if path not in hidden]
    return [path for path in shown if not shows(path, [top for top in shown if top != path], hidden)], hidden


def _places(path: str, mounts: List[Tuple[str, str, str]]) -> Iterator[str]:
    """A path and all others under which its content, or what is mounted below it, can be met."""
    yield path
    at = max((mount for mount in mounts if below(path, mount[2])), key=lambda m: len(m[2]), default=None)
    inside = [] if at is None else [(at[0], _joined(at[1], path[len(at[2]) :]))]
    inside += [(device, root) for device, root, point in mounts if below(point, path)]
    for device, root, point in mounts:
        for other, content in inside:
            if device == other and below(content, root):
                yield _joined(point, content[len(root) :])
            elif device == other and below(root, content):
                yield point


def _joined(folder: str, rest: str) -> str:
    return "/" + os.path.normpath(folder + "/" + rest).lstrip("/")


def _mounts() -> List[Tuple[str, str, str]]:
    """Every mount: its device, which of the device's folders it shows, and where. The one on top comes last."""
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
            lines = [line.split() for line in file]
    except OSError:
        return []
    return [(fields[2], _plain(fields[3]), _plain(fields[4])) for fields in lines]


def _plain(text: str) -> str:
    return _OCTAL.sub(lambda match: chr(int(match.group(1), 8)), text)


def seen(secret: Iterable[str], shown: Collection[str]) -> Optional[str]:
    """The first of some paths of which this process can read a file, other than below the paths to be shown."""
    except_for = {os.path.realpath(path) for path in shown}
    for path in secret:
        for file in _files(path, except_for):
            with contextlib.suppress(OSError):
                fd = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
                try:
                    if stat.S_ISREG(os.fstat(fd).st_mode) and os.read(fd, 1):
                        return path
                finally:
                    os.close(fd)
    return None


def _files(path: str, except_for: Collection[str]) -> Iterator[str]:
    """A file itself, or those below a folder, `MAX_LOOKS` at most, the nearest first."""
    todo, looks = [path], 0
    for place in todo:  # it grows meanwhile
        looks += 1
        if looks > MAX_LOOKS:
            return
        if place in except_for:
            continue
        try:
            names = os.listdir(place)
        except NotADirectoryError:
            yield place
        except OSError:
            continue
        else:
            todo += [
                os.path.join(place, name) for name in sorted(names) if not os.path.islink(os.path.join(place, name))
            ]
