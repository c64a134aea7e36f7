"""A candidate's private directory: how much it holds, and its removal, whatever a candidate made of it."""

from __future__ import annotations

import contextlib
import os

MAX_ENTRIES = 4000


def overfull(top: str, limit: int) -> bool:
    """Whether a directory holds more than `limit` bytes or 4000 entries. For where no tmpfs sets the limit."""
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
    """Delete a directory and all in it; True when it is gone.

    Not `shutil.rmtree`, which recurses: a tree 1000 levels deep makes it raise RecursionError, and its paths grow
    longer than the system takes. Here the content of each directory is moved up to the top before the directory is
    removed, so that no path ever has more than two parts.
    """
    try:
        os.chmod(top, 0o700)
        root = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return not os.path.lexists(top)
    try:
        count = 0
        progress = True
        while progress:
            progress = False
            for name in os.listdir(root):
                count, moved = _flatten(root, name, count)
                progress = progress or moved
    finally:
        os.close(root)
    with contextlib.suppress(OSError):
        os.rmdir(top)
    return not os.path.lexists(top)


def _flatten(root: int, name: str, count: int) -> "tuple[int, bool]":
    """Delete one entry of `root`, after moving what it holds up into `root`. True when something was done."""
    with contextlib.suppress(OSError):
        os.unlink(name, dir_fd=root)
        return count, True
    try:
        os.chmod(name, 0o700, dir_fd=root)
        below = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=root)
    except OSError:
        return count, False
    try:
        for child in os.listdir(below):
            count += 1
            with contextlib.suppress(OSError):
                os.unlink(child, dir_fd=below)
                continue
            with contextlib.suppress(OSError):
                os.chmod(child, 0o700, dir_fd=below)  # a directory is moved only by one who may write to it
                os.rename(child, ".moved-%d-%d" % (os.getpid(), count), src_dir_fd=below, dst_dir_fd=root)
    finally:
        os.close(below)
    with contextlib.suppress(OSError):
        os.rmdir(name, dir_fd=root)
        return count, True
    return count, False
