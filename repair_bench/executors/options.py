"""How a user wants candidates to be executed, and the executor that does it so."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from repair_bench.executors import doctor, interpreters
from repair_bench.executors.cluster.executor import RayExecutor
from repair_bench.executors.confinement import Announcement
from repair_bench.executors.local import LocalExecutor
from repair_bench.traces.faults import UsageError

Backend = LocalExecutor | RayExecutor


@dataclass(frozen=True)
class ExecutorOptions:
    """What the commands that execute candidates take."""

    workers: int | None = None
    """Candidates in flight, on each node of a cluster; None for what is usual there."""
    pythons: Mapping[str, str] = field(default_factory=dict)
    """The interpreter of a framework: a path, the name of an environment, or a command. This one for the others."""
    require_sandbox: str = "best"
    """`strict`, `best` or `none`, see `LocalExecutor`."""
    backend: str = "local"
    """`local`, this machine, or `ray`, the nodes of a Ray cluster."""
    ray_address: str | None = None
    """Of the cluster; None for RAY_ADDRESS, else a Ray of its own on this machine."""
    quiet: bool = True
    """Whether standard error has a line about the sandbox only where a layer is missing."""
    private: tuple[Path, ...] = ()
    """Files and folders that candidates must not read; they need not be there yet."""

    def open(self, *private: Path | None) -> Backend:
        """Open the executor. `private`: more files and folders that candidates must not read.

        Raises UsageError when an interpreter, the sandbox or a cluster cannot be had.
        """
        added = tuple(path.absolute() for path in private if path is not None)
        options = dataclasses.replace(self, private=self.private + added)
        if self.backend not in ("local", "ray"):
            raise UsageError(f"--backend {self.backend!r}: choose from local, ray")
        if self.backend == "local" and self.ray_address is not None:
            raise UsageError("--ray-address is for --backend ray")
        announcement = Announcement(quiet=self.quiet)
        if self.backend == "local":
            return options.on_this_machine(self.workers, announcement)
        return RayExecutor(self.ray_address, self.workers, self.pythons, options.on_this_machine, announcement)

    def on_this_machine(self, workers: int | None, announce: Announcement | None = None) -> LocalExecutor:
        """An executor here: on this machine, or on the node of a cluster where it is called."""
        sandbox = doctor.require(self.require_sandbox)
        pythons = interpreters.resolve(self.pythons)
        return LocalExecutor(workers, pythons, require_sandbox=sandbox, private=self.private, announce=announce)
