"""The limit on open files: how many candidates this process can hold a conversation with at once."""

from __future__ import annotations

import resource

from repair_bench.executors.guest.fork_server.child import OPEN_FILES
from repair_bench.traces.faults import UsageError

RESERVED = 128
"""For files, connections to models and fork servers."""
PER_CANDIDATE = 32
"""Pipes and sockets of one candidate, or of the two processes of a unit test, with some to spare."""


def affordable(workers: int) -> int:
    """How many of so many candidates can run at once. Raises the soft limit as far as that needs.

    Raises UsageError where the hard limit is too low for one.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY:
        hard = max(soft, RESERVED + workers * PER_CANDIDATE)
    least = max(OPEN_FILES, RESERVED + PER_CANDIDATE)
    if 0 <= hard < least:
        raise UsageError(
            f"at most {hard} files may be open at once, and {least} are needed: raise it (ulimit -Hn {least})"
        )
    wanted = RESERVED + workers * PER_CANDIDATE
    if 0 <= soft < wanted:
        soft = min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    return workers if soft < 0 else max(1, min(workers, (soft - RESERVED) // PER_CANDIDATE))
