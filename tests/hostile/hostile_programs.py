"""The programs of this folder in six classes: resources, escape, tampering, arguments, records, malformed.

A file begins with TOML in a comment block. `DEFAULTS` has the values of missing fields.

does       the action of the program, in one line
accept     the permitted results: outcome statuses, or for tampering kinds of verdict
must_not   the effect that must not occur (see `surroundings.EFFECTS`), if the program has a special one. No program may
           pass, hang, or leave a process
control    the proof that the attack works. "plain": the effect occurs on a fork server without a sandbox. "root":
           likewise, if the tests run as root. "roomy": likewise, with four times the memory and disk of its limits. For
           tampering: the sign by which a naive grader (`ways.NAIVE`) accepts the program ("exit", "verdict", "print" or
           "told"), or the name of a grading mode with this false pass (`ways.WAYS`; for arguments, `ways.GIVEN`).
           false, with the reason: there is no proof
framework  the fork server that runs it; by default Qiskit for tampering, otherwise plain Python
limits     the limits that differ from the default, which depends on `accept`: little time for programs that may exceed
           it, otherwise enough for a busy machine
concurrent whether another candidate runs at the same time

Programs that differ in one part share a file. After the header and the common code, each program begins with a line
`# /// NAME` and a comment block. The block adds to the header or overrides it, and its values in capitals replace these
words in the common code. The code below the block follows the common code.

Code that consists of imports and indented lines is the body of the entry point; `OPENING` is added as its first lines.
Tampering code that imports QuantumCircuit and defines no `answer` gets an entry point with a wrong answer.

Each program except malformed ones prints `attacking` first, so that a test knows that the attack ran. The entry points
of resources and escape receive a dict of targets (`Surroundings.target`); those of arguments receive a circuit, a list,
a dict or an array that they may change; the others receive no argument. A program that cannot contain a comment, or is
megabytes long, is the value of `source` in a `.gen.py`.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from repair_bench.executors.program import Limits

HERE = Path(__file__).parent
CALLED_WITH_TARGET = ("resources", "escape")
ATTACKING = "attacking\n"
SMALL: dict[str, Any] = {"memory_mb": 256, "disk_mb": 8, "value_mb": 4}
DEFAULTS: dict[str, dict[str, Any]] = {
    "resources": {},
    "escape": {"accept": ["returned"], "control": "plain"},
    "tampering": {"accept": ["wrong_answer", "exception"], "control": "verdict", "framework": "qiskit"},
    "arguments": {"accept": ["wrong_answer", "exception"], "framework": "qiskit"},
    "records": {"accept": ["returned", "killed", "exception", "output_limit", "malformed"]},
    "malformed": {},
}
OPENING = 'def answer({}):\n    print("attacking", flush=True)\n'
WRONG = "    return QuantumCircuit(2)\n"
_HEADER = re.compile(r"(?:#.*\n)*")
_BODY = re.compile(r"((?:(?:import|from) .*\n|\n)*?)\n?((?:(?: {4}.*)?\n)+)")
_BLOCK = re.compile(r"(?m)^# /// (\w+)\n((?:#(?: .*)?\n)*)")


@dataclass(frozen=True)
class HostileProgram:
    folder: str
    name: str
    source: str
    does: str
    accept: list[str]
    framework: str = "python"
    must_not: str | None = None
    control: str | bool | None = None
    limits: dict[str, Any] = field(default_factory=dict)
    concurrent: bool = False

    @property
    def is_called_with_target(self) -> bool:
        return self.folder in CALLED_WITH_TARGET

    @property
    def bounds(self) -> Limits:
        burns = bool({"cpu_timeout", "limit"} & set(self.accept))
        sleeps = "wall_timeout" in self.accept and not burns
        times = {"cpu_seconds": 0.5 if burns else 20.0, "wall_seconds": 6.0 if sleeps else 90.0}
        return Limits(**{**SMALL, **times, **self.limits})

    def __str__(self) -> str:
        return f"{self.folder}/{self.name}"


def read(path: Path) -> Iterator[HostileProgram]:
    header, *blocks = _BLOCK.split(path.read_text(encoding="utf-8"))
    folder = path.parent.name
    code = _HEADER.sub("", header, count=1)
    shared = DEFAULTS[folder] | _table(header.removesuffix(code))
    if not blocks:
        code = _defined(code) if path.name.endswith(".gen.py") else _completed(code, folder)
        yield HostileProgram(folder, path.name.removesuffix(".py").removesuffix(".gen"), code, **shared)
    for name, block, own in zip(*[iter(blocks)] * 3, strict=True):
        table = _table(block)
        source = "\n\n\n".join(part.strip("\n") for part in (code, own) if part.strip("\n")) + "\n"
        for word in [key for key in table if key.isupper()]:
            source = re.sub(rf"\b{word}\b", table.pop(word).replace("\\", r"\\"), source)
        yield HostileProgram(folder, name, _completed(source, folder), **(shared | table))


def _table(block: str) -> dict[str, Any]:
    return tomllib.loads(re.sub(r"(?m)^# ?", "", block))


def _completed(code: str, folder: str) -> str:
    opening = OPENING.format("target" if folder in CALLED_WITH_TARGET else "")
    body = _BODY.fullmatch(code)
    if folder != "malformed" and body is not None:
        return (f"{body[1]}\n\n" if body[1] else "") + opening + body[2]
    if folder == "tampering" and "QuantumCircuit" in code and not re.search(r"\banswer\b", code):
        begins = opening if ATTACKING.strip() not in code else "def answer():\n"
        return f"{code}\n\n{begins}{WRONG}"
    return code


def _defined(code: str) -> str:
    namespace: dict[str, Any] = {}
    exec(code, namespace)
    return str(namespace["source"])


PROGRAMS = [program for folder in DEFAULTS for path in sorted((HERE / folder).glob("*.py")) for program in read(path)]
