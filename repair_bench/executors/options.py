"""The options for the execution of candidates, and the executor that these options select."""

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
    """The options that are shared by all commands that execute candidates."""

    workers: int | None = None
    """The number of concurrent candidates (on a cluster: per node); None for the default."""
    pythons: Mapping[str, str] = field(default_factory=dict)
    """The interpreter per framework: a path, the name of an environment, or a command. Default: this interpreter."""
    require_sandbox: str = "best"
    """`strict`, `best` or `none`, see `LocalExecutor`."""
    backend: str = "local"
    """`local` (this machine) or `ray` (the nodes of a Ray cluster)."""
    ray_address: str | None = None
    """The address of the cluster. None selects RAY_ADDRESS if that is set, otherwise a new cluster on this machine."""
    quiet: bool = True
    """Whether to print the line about the sandbox only if a sandbox layer is missing."""
    private: tuple[Path, ...] = ()
    """Files and folders that candidates must not read, including paths that do not exist yet."""

    def open(self, *private: Path | None) -> Backend:
        """Open the executor. `private`: further files hidden from candidates. Raises UsageError."""
        added = tuple(path.absolute() for path in private if path is not None)
        options = dataclasses.replace(self, private=self.private + added)
        if self.backend not in ("local", "ray"):
            raise UsageError(f"--backend {self.backend!r}: choose from local, ray")
        if self.backend == "local" and self.ray_address is not None:
            raise UsageError("--ray-address requires --backend ray")
        announcement = Announcement(quiet=self.quiet)
        if self.backend == "local":
            return options.on_this_machine(self.workers, announcement)
        return RayExecutor(self.ray_address, self.workers, self.pythons, options.on_this_machine, announcement)

    def on_this_machine(self, workers: int | None, announce: Announcement | None = None) -> LocalExecutor:
        """Return an executor for the calling machine, which may be a node of a cluster."""
        sandbox = doctor.require(self.require_sandbox)
        pythons = interpreters.resolve(self.pythons)
        return LocalExecutor(workers, pythons, require_sandbox=sandbox, private=self.private, announce=announce)
