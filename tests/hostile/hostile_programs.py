"""The programs of this folder, one file each, in six classes: resources, escape, tampering, arguments, records,
malformed.

A file begins with a comment block in the form of PEP 723, of type `hostile`, in TOML:

does       what it does, in one line
accept     what may come of it: outcome statuses, for tampering kinds of verdict
must_not   the effect that must not be seen (see `surroundings.EFFECTS`), where it has one of its own. For every
           program: it must not pass, hang, or leave a process behind
control    how it is shown that the attack works: "plain", on a fork server without a sandbox that effect is seen;
           "root", likewise, if we are root; "roomy", likewise, given four times the memory and disk that it is measured
           by; for tampering, the sign by which a naive grader (see `ways.NAIVE`) takes it for right, "exit",
           "verdict", "print" or "told", or the one of our own ways that is known to let it through, by its name (see
           `ways.WAYS`; for arguments `ways.GIVEN`); false, with the reason, where there is none
before     for what came after version 0.1.0: the ways by which it passed there, for records the flaws of what was kept
           (see `records_kept.FLAWS`), as `measured.py` saw it
framework  whose fork server it runs on; if not said Qiskit for tampering, else plain Python
limits     those that differ from what it gets by what it accepts: little time where it may be stopped for that, else so
           much that a busy machine decides nothing
beside     whether another candidate runs at the same time
quick      whether it belongs to the representative few of the ordinary tests

Except for the malformed ones each prints `attacking` when it begins, so that a test knows that the attack ran.
Resources and escape are called with a dict of what there is to attack (`Surroundings.target`), arguments with a
circuit, a list, a dict or an array that they may change, the others without arguments. What could not hold a comment,
or would be megabytes long, is a `.gen.py` that defines it as `source`.
"""

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from repair_bench.executors import Limits

HERE = Path(__file__).parent
FOLDERS = ("resources", "escape", "tampering", "arguments", "records", "malformed")
ATTACKING = "attacking\n"
SMALL: dict[str, Any] = {"memory_mb": 256, "disk_mb": 8, "value_mb": 4}
_HEADER = re.compile(r"\A# /// hostile\n((?:# .*\n)+)# ///\n")


@dataclass(frozen=True)
class HostileProgram:
    folder: str
    name: str
    source: str
    does: str
    accept: list[str]
    framework: str
    must_not: str | None = None
    control: str | bool | None = None
    before: list[str] | None = None
    limits: dict[str, Any] = field(default_factory=dict)
    beside: bool = False
    quick: bool = False

    @property
    def is_called_with_target(self) -> bool:
        return self.folder in ("resources", "escape")

    @property
    def bounds(self) -> Limits:
        burns = bool({"cpu_timeout", "limit"} & set(self.accept))
        sleeps = "wall_timeout" in self.accept and not burns
        times = {"cpu_seconds": 0.5 if burns else 20.0, "wall_seconds": 6.0 if sleeps else 90.0}
        return Limits(**{**SMALL, **times, **self.limits})

    def __str__(self) -> str:
        return f"{self.folder}/{self.name}"


def read(path: Path) -> HostileProgram:
    text = path.read_text(encoding="utf-8")
    header = _HEADER.match(text)
    assert header is not None, f"{path} has no header"
    table = tomllib.loads(re.sub(r"(?m)^# ", "", header[1]))
    if path.name.endswith(".gen.py"):
        namespace: dict[str, Any] = {}
        exec(text, namespace)
        text = namespace["source"]
    folder = path.parent.name
    table.setdefault("framework", "qiskit" if folder in ("tampering", "arguments") else "python")
    return HostileProgram(folder, path.name.removesuffix(".py").removesuffix(".gen"), text, **table)


PROGRAMS = [read(path) for folder in FOLDERS for path in sorted((HERE / folder).glob("*.py"))]
