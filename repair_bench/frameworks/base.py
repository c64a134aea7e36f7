"""What there is to know of a framework."""

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
    """A programming language, as prompts and the extraction of answers know it.

    `title`: its name in a sentence. `tags`: what a fenced block of it is tagged with, the usual one first; templates of
    prompts in a folder of that name replace those for Python. `suffix`: of a file. `comment`: what a comment begins
    with. `begins`: a line that only a program of it has; None for Python, whose own grammar tells, and whose programs
    define the function that is asked for. A program of any other language is what is asked for as a whole, and its
    arguments are inputs that it declares.
    """

    title: str
    tags: tuple[str, ...]
    suffix: str
    comment: str
    begins: re.Pattern[str] | None = None


PYTHON = Language(title="Python", tags=("python", "py"), suffix=".py", comment="#")


@dataclass(frozen=True, kw_only=True)
class Mistakes:
    """What can be planted in a program of the framework, so that it fails.

    `moved_imports`: import lines of what it once had. `invented_imports`: import lines of modules that it never had, in
    no version. `misspelt`: names that it does not have, by the right name of the gate; a gate that is not here gets
    `_gate` behind its name. The others are statements, `{}` standing for the framework's module: `unknown_gate`
    names a gate that it does not have, `wrong_arguments` applies a gate without all its qubits, `no_such_qubit` applies
    one to a qubit that is not there.
    """

    moved_imports: tuple[str, ...]
    invented_imports: tuple[str, ...]
    misspelt: Mapping[str, str] = field(default_factory=dict)
    unknown_gate: str
    wrong_arguments: str
    no_such_qubit: str


@dataclass(frozen=True, kw_only=True)
class TrivialBaselines:
    """Programs without an idea, as templates with `{entry_point}`, `{size}` (of qubits) and `{gates}`.

    `programs`: by what is observed of them (distribution, state, unitary). `gates`: what stands for `{gates}`, by name
    (empty, hadamards, measured, reset): no gate at all, or that on each qubit; they have `{size}` too.
    `formed`: source for unit tests, see `grading.audit.trivial_baselines`. It defines `_circuit_like(wanted, given,
    name)`, the blank of that name in the form of `wanted`, which raises where that is no circuit, and
    `_circuits_alike(wanted, found)`, for any two objects of one class.
    """

    programs: Mapping[str, str]
    gates: Mapping[str, str]
    formed: str = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class Framework:
    """A framework, as everything but its guest adapter knows it. What has a default may be left out."""

    name: str
    """The package that its programs import; on the command line and in every file the framework is called by it."""
    title: str
    """Its name in a sentence."""
    language: Language = PYTHON
    """What its programs are written in."""
    import_line: str
    """The import that a starter code and an empty answer begin with."""
    packages: tuple[str, ...]
    """What the names of its distributions begin with."""
    incidental: tuple[str, ...] = ()
    """Of the packages that its fork server imports (`PRELOAD` and `EXTRA_PRELOAD` of the adapter), those that compute
    nothing: a run may be gone on with under other versions of them, or without them, unless one of its tasks names
    them."""
    needs: tuple[str, ...] = ()
    """The modules of an extra that it needs: where one is not installed, its tasks are excluded."""
    adapters: Path | None = None
    """The folder of its guest adapter, `<name>_adapter.py`; None: the guest's own folder."""
    heavy_import_pattern: re.Pattern[str] | None = None
    """What programs name that need more than the lean fork server has imported (`EXTRA_PRELOAD` of the adapter)."""

    last_bit_first: bool = False
    """Whether it prints the last bit first and gives qubit 0 the least significant index of a state."""
    result_register: str | None = "result"
    """Which of several registers means the answer: the one of this name; None: the one that is printed first."""
    exact_answer: str
    """What to do instead of returning samples, as words for a model."""
    annotations: Mapping[str, str] = field(default_factory=dict)
    """The return annotation of a starter code, by what is observed; none where there is no entry."""

    returned: Mapping[str, str] = field(default_factory=dict)
    """How an answer to a problem of our own suites is returned, by what is observed (distribution, state, unitary), as
    words for a model: Jinja templates with `measured` (in words) and `bits` for a distribution, else `qubits`. Those
    suites have no task for what has no entry."""

    empty_circuit: str
    """An expression for a circuit without gates."""
    trivial_baselines: TrivialBaselines | None = None
    """None: an audit tries no circuits of its own."""
    random_state_wrapper: Mapping[str, str] = field(default_factory=dict)
    """Source of `_dressed_entry_point`, by what is observed (state, distribution), a template with `{entry_point}`. It
    finds `_random_angles(count)` (`grading.audit.equivalence`). Where there is none, an audit shows no mutant
    to be equivalent."""

    gates: Mapping[str, str] = field(default_factory=dict)
    """The gates of the vocabulary (`repair_bench.frameworks.gates`) by their names here; of several, the usual one is
    the first."""
    spelled: Mapping[str, str] = field(default_factory=dict)
    """How gates are written that observations have a word for (`executors.program`), but that have no name here."""
    program_class: type[ParsedProgram] = ParsedProgram
    """What finds the gates and measurements of a program."""
    mistakes: Mistakes

    @cached_property
    def gates_by_name(self) -> dict[str, Gate]:
        return {own: GATES[gate] for own, gate in self.gates.items()}

    def usual_name(self, gate: str) -> str | None:
        """What a gate of the vocabulary is usually called here; None where there is none."""
        return next((own for own, other in self.gates.items() if other == gate), None)

    def parsed(self, tree: ast.Module) -> ParsedProgram:
        """A program in this framework; names alone say what it does."""
        return self.program_class(tree, self)
