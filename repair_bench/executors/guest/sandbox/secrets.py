"""Find the paths that no candidate may read, and test whether they are readable inside the sandbox.

Three kinds of paths are secret: copies of repair-bench that an interpreter can find, packages that add suites, and
folders that the driver names. The driver and the fork server search for secret paths separately, each in its own
interpreter. Visible and secret folders may be nested. If a file is inside several visible or secret folders, the
innermost of these folders determines whether the file is visible. For example, an interpreter's folder inside a secret
folder is visible, and a secret folder inside an interpreter's folder is hidden.
"""

from __future__ import annotations

import contextlib
import glob
import importlib.machinery
import itertools
import os
import re
import stat
import sys
import zipimport
from importlib import metadata
from typing import Collection, Iterable, Iterator, List, Optional, Tuple

PACKAGE = "repair_bench"
SUITES = "repair_bench.suites"
"""The entry point group of packages that add suites."""
LIBRARIES = ("site-packages", "dist-packages")
"""The names of folders that contain installed packages. A folder of installed packages is visible in the sandbox,
except for the packages that must stay secret."""
MAX_LOOKS = 2000
"""The maximum number of files and folders below each secret path for which read access is checked."""
_OURS = re.compile(
    r"(_[\w.]*)?[r~]epair[-_.]bench([-_.]\d+[._]\d.*|[-_.].*(info|link|pth|finder).*|\.pyc?)?", re.IGNORECASE
)
"""Names of the package, its metadata, files of editable installations, and leftovers of an interrupted pip command."""
_OCTAL = re.compile(r"\\([0-7]{3})")


def below(path: str, top: str) -> bool:
    """Whether a path is equal to `top` or lies below `top`."""
    return path == top or path.startswith(top.rstrip("/") + "/")


def shows(path: str, readable: Iterable[str], hidden: Iterable[str]) -> bool:
    """Whether `path` is visible: its longest prefix in `readable` is longer than its longest prefix in `hidden`."""
    return _longest(path, readable) > _longest(path, hidden)


def _longest(path: str, tops: Iterable[str]) -> int:
    return max((len(top) for top in tops if below(path, top)), default=-1)


def prefixes() -> List[str]:
    """Return the prefixes of this interpreter. For a virtual environment, also return the prefixes of its base
    interpreter.
    """
    installed = os.path.dirname(os.path.dirname(os.path.realpath(sys.executable)))
    return list(dict.fromkeys([sys.prefix, sys.exec_prefix, sys.base_prefix, installed]))


def copies() -> List[str]:
    """Find all copies of repair-bench that this interpreter can reach: packages, archives, metadata, source trees.

    The search covers the import path, the folders of the base installation, and the targets of editable installations.
    """
    patterns = [os.path.join(prefix, "l*", "python*", name) for prefix in [*prefixes(), "/usr", "/usr/local"]
                for name in LIBRARIES]  # fmt: skip
    folders = dict.fromkeys([*map(os.path.abspath, sys.path), *(found for p in patterns for found in glob.glob(p))])
    found: List[str] = []
    for folder in folders:
        for place in (folder, os.path.join(folder, "__pycache__")):
            with contextlib.suppress(OSError):
                found += [os.path.join(place, name) for name in os.listdir(place) if _OURS.fullmatch(name)]
        with contextlib.suppress(ImportError):  # a folder, or an archive without the package
            found += [_existing(folder)] if zipimport.zipimporter(folder).is_package(PACKAGE) else []
    for finder in sys.meta_path:
        with contextlib.suppress(Exception):  # third-party finders may raise anything
            found += _of_spec(finder.find_spec(PACKAGE, None))
    for path in [path for path in found if os.path.basename(path) == PACKAGE]:
        tree = os.path.dirname(path)
        if os.path.basename(tree) not in LIBRARIES and os.path.exists(os.path.join(tree, "pyproject.toml")):
            found.append(tree)
    return list(dict.fromkeys(found))


def suite_packages() -> List[str]:
    """Find the folder or file of each package that adds suites, without importing the package."""
    modules = {
        entry.value.partition(":")[0].strip()
        for distribution in metadata.distributions()
        for entry in distribution.entry_points
        if entry.group == SUITES
    }
    return [path for module in sorted(modules) for path in _of_module(module)]


def loaded(suites: Iterable[str]) -> List[str]:
    """Return the names of all imported modules that belong to repair-bench or to a package that adds suites."""
    tops = tuple(os.path.realpath(path) for path in suites)
    return [
        name
        for name, module in sorted(sys.modules.items())
        if name.partition(".")[0] == PACKAGE
        or any(below(os.path.realpath(getattr(module, "__file__", None) or "/"), top) for top in tops)
    ]


def _of_module(name: str) -> List[str]:
    """Return the paths of the outermost package that contains a module, ignoring namespace packages."""
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
    """Return the folders of a package, or the source and compiled files of a module.

    If the files are in an archive, return the archive.
    """
    if spec is None:
        return []
    folders = list(spec.submodule_search_locations or ())
    files = [] if folders else [path for path in (spec.origin, spec.cached) if path]
    return [_existing(os.path.abspath(path)) for path in (*folders, *files) if os.path.isabs(path)]


def _existing(path: str) -> str:
    """Return the archive if `path` points into an archive; otherwise return `path` unchanged."""
    above = _nearest(path)
    return above if os.path.isfile(above) else path


def _nearest(path: str) -> str:
    """Return a path if it exists, otherwise its nearest existing parent."""
    while not os.path.lexists(path):
        path = os.path.dirname(path)
    return path


def arrange(readable: Iterable[str], secret: Iterable[str]) -> Tuple[List[str], List[str]]:
    """Return the paths to show and the paths to hide, so that no secret is visible.

    A secret path is also hidden where it is accessible through symbolic links or other mounts. A secret file that does
    not exist yet could be created later in a visible folder. Therefore, the folder itself is hidden, and each of its
    current entries is made visible separately. A path on which the interpreter depends is never hidden. The function
    `seen` reports a secret path that stays visible because the interpreter depends on the path.
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
    """Yield a path, and all other paths that give access to the same files or to files mounted below the path."""
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
    """Return the device, the root and the mount point of every mount, with the topmost mount last."""
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
            lines = [line.split() for line in file]
    except OSError:
        return []
    return [(fields[2], _plain(fields[3]), _plain(fields[4])) for fields in lines]


def _plain(text: str) -> str:
    return _OCTAL.sub(lambda match: chr(int(match.group(1), 8)), text)


def seen(secret: Iterable[str], shown: Collection[str]) -> Optional[str]:
    """Return the first path in `secret` that contains a file that this process can read.

    Files in `shown` are ignored.
    """
    except_for = {os.path.realpath(path) for path in shown}
    for path in secret:
        real = os.path.realpath(path)  # `path` may go through a link, such as `lib64` in a virtual environment
        for file in _files(path, {path + top[len(real) :] for top in except_for if below(top, real)}):
            with contextlib.suppress(OSError):
                fd = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
                try:
                    if stat.S_ISREG(os.fstat(fd).st_mode) and os.read(fd, 1):
                        return path
                finally:
                    os.close(fd)
    return None


def _files(path: str, except_for: Collection[str]) -> Iterator[str]:
    """Yield the file at `path`. If `path` is a folder, yield the files among the first `MAX_LOOKS` entries below the
    folder, in breadth-first order.
    """
    todo = [path]
    for place in itertools.islice(todo, MAX_LOOKS):  # the list grows during the loop
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
