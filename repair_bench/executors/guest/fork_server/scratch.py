"""Measure the size of a candidate's private directory and remove the directory, whatever the directory contains."""

from __future__ import annotations

import contextlib
import itertools
import os
from typing import Iterator

MAX_ENTRIES = 4000


def overfull(top: str, limit: int) -> bool:
    """Whether a directory contains more than `limit` bytes or 4000 entries.

    This function is used if no tmpfs limits the size and the number of entries of the directory.
    """
    entries = size = 0
    todo = [top]
    while todo:
        with contextlib.suppress(OSError), os.scandir(todo.pop()) as listing:
            for entry in listing:
                entries += 1
                try:
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
                except OSError:
                    continue
                if size > limit or entries > MAX_ENTRIES:
                    return True
                if entry.is_dir(follow_symlinks=False):
                    todo.append(entry.path)
    return False


def remove(top: str) -> bool:
    """Delete a directory and its contents. Return whether the directory was deleted.

    `shutil.rmtree` fails on deep directories: it raises RecursionError at 1000 levels, and paths become too long. This
    function first moves the contents of each directory to the top directory, so that paths have at most two parts.
    """
    try:
        os.chmod(top, 0o700)
        root = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return not os.path.lexists(top)
    try:
        numbers = itertools.count()
        while sum(_flatten(root, name, numbers) for name in os.listdir(root)):
            pass
    finally:
        os.close(root)
    with contextlib.suppress(OSError):
        os.rmdir(top)
    return not os.path.lexists(top)


def _flatten(root: int, name: str, numbers: Iterator[int]) -> bool:
    """Move the contents of an entry of `root` to `root`, then delete the entry.

    Return whether the entry was deleted.
    """
    with contextlib.suppress(OSError):
        os.unlink(name, dir_fd=root)
        return True
    try:
        os.chmod(name, 0o700, dir_fd=root)
        below = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=root)
    except OSError:
        return False
    try:
        for child in os.listdir(below):
            with contextlib.suppress(OSError):
                os.unlink(child, dir_fd=below)
                continue
            with contextlib.suppress(OSError):
                os.chmod(child, 0o700, dir_fd=below)  # moving a directory requires the right to write to it
                os.rename(child, ".moved-%d-%d" % (os.getpid(), next(numbers)), src_dir_fd=below, dst_dir_fd=root)
    finally:
        os.close(below)
    with contextlib.suppress(OSError):
        os.rmdir(name, dir_fd=root)
        return True
    return False
