"""The declaration of a framework."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from repair_bench.frameworks.gates import GATES, Gate
from repair_bench.frameworks.parsed_program import ParsedProgram


@dataclass(frozen=True, kw_only=True)
class Language:
    """A programming language, for prompts and the extraction of answers.

    `title`: the name in a sentence. `tags`: the tags of fenced code blocks, the usual tag first. Prompt templates in a
    folder named after a tag replace the templates for Python. `suffix`: the file suffix. `comment`: the marker that
    starts a comment. `begins`: a line that occurs only in programs of this language; None for Python, whose programs
    are recognised by parsing and define the requested function. A program in another language is complete, and declares
    its arguments as inputs.
    """

    title: str
    tags: tuple[str, ...]
    suffix: str
    comment: str
    begins: re.Pattern[str] | None = None


PYTHON = Language(title="Python", tags=("python", "py"), suffix=".py", comment="#")


@dataclass(frozen=True, kw_only=True)
class Mistakes:
    """Mistakes that make a program of the framework fail.

    `moved_imports`: import lines of removed names. `invented_imports`: import lines of modules that no version had.
    `misspelt`: invalid names by the correct name of the gate. Gates without an entry get the suffix `_gate`. The other
    fields are statements with `{}` for the framework's module: `unknown_gate` names a nonexistent gate,
    `wrong_arguments` omits qubits of a gate, and `no_such_qubit` uses a nonexistent qubit.
    """

    moved_imports: tuple[str, ...]
    invented_imports: tuple[str, ...]
    misspelt: Mapping[str, str] = field(default_factory=dict)
    unknown_gate: str
    wrong_arguments: str
    no_such_qubit: str


@dataclass(frozen=True, kw_only=True)
class TrivialBaselines:
    """Trivial baselines as templates with `{entry_point}`, `{size}` (number of qubits) and `{gates}`.

    `programs`: the templates by observation (distribution, state, unitary). `gates`: the value of `{gates}` by name
    (empty, hadamards, measured, reset), which may contain `{size}`. `formed`: source for unit tests
    (`grading.audit.trivial_baselines`). The source defines `_circuit_like(wanted, given, name)`, the baseline of that
    name in the form of `wanted`, which raises for anything but a circuit, and `_circuits_alike(wanted, found)`, for any
    two objects of one class.
    """

    programs: Mapping[str, str]
    gates: Mapping[str, str]
    formed: str = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class Framework:
    """A framework, except for its guest adapter. Fields with a default are optional."""

    name: str
    """The package that programs import, which is also the framework's name on the command line and in files."""
    title: str
    language: Language = PYTHON
    import_line: str
    """The import line of starter code and empty answers."""
    packages: tuple[str, ...]
    """The name prefixes of the framework's distributions (installable packages)."""
    incidental: tuple[str, ...] = ()
    """Packages that the fork server imports but that do not affect results. A run may resume with different versions of
    these packages, or without them, unless a task names them."""
    needs: tuple[str, ...] = ()
    """The required modules of an optional dependency. If any is missing, the framework's tasks are excluded."""
    adapters: Path | None = None
    """The folder of the guest adapter, `<name>_adapter.py`; None for the folder of built-in adapters."""
    heavy_import_pattern: re.Pattern[str] | None = None
    """Words that occur only in programs that need the larger fork server (`EXTRA_PRELOAD` of the adapter)."""

    last_bit_first: bool = False
    """Whether the framework prints the last bit first, and qubit 0 is the least significant bit of a state's index."""
    result_register: str | None = "result"
    """The name of the register with the answer; None for the register that is printed first."""
    exact_answer: str
    """The alternative to returning samples, worded for a model."""
    annotations: Mapping[str, str] = field(default_factory=dict)
    """The return annotation of starter code, by observation. A missing entry means no annotation."""

    returned: Mapping[str, str] = field(default_factory=dict)
    """The required return value for problems of the built-in suites, by observation (distribution, state, unitary),
    worded for a model. The Jinja templates take `measured` (in words) and `bits` for a distribution, otherwise
    `qubits`. If an entry is missing, those suites have no tasks of that kind."""

    empty_circuit: str
    """Source of an expression for a circuit without gates."""
    trivial_baselines: TrivialBaselines | None = None
    """Trivial circuits that an audit submits to every check; None for no circuits."""
    random_state_wrapper: Mapping[str, str] = field(default_factory=dict)
    """Source template of `_dressed_entry_point` with `{entry_point}`, by observation (state, distribution). It may call
    `_random_angles(count)` (`grading.audit.equivalence`). Without a template, an audit finds no equivalent mutants."""

    gates: Mapping[str, str] = field(default_factory=dict)
    """The gates of the vocabulary (`repair_bench.frameworks.gates`) by name, the usual name first."""
    spelled: Mapping[str, str] = field(default_factory=dict)
    """The framework's spelling of gates that have a different name in observations (`executors.program`)."""
    program_class: type[ParsedProgram] = ParsedProgram
    """The class that finds gates and measurements in a program."""
    mistakes: Mistakes

    @cached_property
    def gates_by_name(self) -> dict[str, Gate]:
        return {own: GATES[gate] for own, gate in self.gates.items()}

    def usual_name(self, gate: str) -> str | None:
        """Return the usual name of a gate of the vocabulary; None if it has none."""
        return next((own for own, other in self.gates.items() if other == gate), None)

    def parsed(self, tree: ast.Module) -> ParsedProgram:
        """Return the analysis of a program of this framework."""
        return self.program_class(tree, self)
