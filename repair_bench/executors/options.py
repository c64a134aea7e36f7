"""How a user wants candidates to be executed, and the executor that does it so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from repair_bench.executors import doctor, interpreters
from repair_bench.executors.local import LocalExecutor


@dataclass(frozen=True)
class ExecutorOptions:
    """What the commands that execute candidates take."""

    workers: int | None = None
    """Candidates in flight; None for one a core."""
    pythons: Mapping[str, str] = field(default_factory=dict)
    """The interpreter of a framework: a path, the name of an environment, or a command. This one for the others."""
    require_sandbox: str = "best"
    """`strict`, `best` or `none`, see `LocalExecutor`."""

    def open(self) -> LocalExecutor:
        """The executor. Raises UsageError when an interpreter cannot be used or the sandbox cannot be had."""
        sandbox = doctor.require(self.require_sandbox)
        return LocalExecutor(self.workers, interpreters.resolve(self.pythons), require_sandbox=sandbox)
