"""The description of a framework: its language, packages, gates, baselines and mistakes."""

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
    """The properties of a programming language that are needed to write prompts and to extract code from answers.

    `title`: the name for use in sentences. `tags`: the tags of fenced code blocks, with the usual tag first. Prompt
    templates in a folder named `tags[0]` replace the general templates. `suffix`: the file suffix. `comment`: the
    marker that starts a comment. `begins`: a line that occurs only in programs of this language; None for Python, whose
    programs are recognised by parsing. A Python program defines the requested function; a program in any other language
    is complete and declares the arguments as inputs.
    """

    title: str
    tags: tuple[str, ...]
    suffix: str
    comment: str
    begins: re.Pattern[str] | None = None


PYTHON = Language(title="Python", tags=("python", "py"), suffix=".py", comment="#")


@dataclass(frozen=True, kw_only=True)
class Mistakes:
    """Mistakes that cause programs for the framework to fail.

    `moved_imports`: import statements for names that existed in the past but have been removed. `invented_imports`:
    imports of modules that never existed. `misspelt`: maps the correct name of a gate to an invalid name; for other
    gates, the invalid name has the suffix `_gate`. The last three fields are statements in which `{}` stands for the
    framework's module: `unknown_gate` names a nonexistent gate, `wrong_arguments` omits qubits of a gate, and
    `no_such_qubit` uses a nonexistent qubit.
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

    `programs`: the templates, keyed by observation (distribution, state, unitary). `gates`: the code to insert for
    `{gates}`, keyed by baseline (empty, hadamards, measured, reset); the code may contain `{size}`. `formed`: code for
    unit tests (`grading.audit.trivial_baselines`) that defines the functions `_circuit_like` and `_circuits_alike`.
    `_circuit_like(wanted, given, name)` returns the baseline `name` as a circuit of the same form as `wanted`, and
    raises an exception if `wanted` is not a circuit. `_circuits_alike(wanted, found)` compares two objects of the same
    class.
    """

    programs: Mapping[str, str]
    gates: Mapping[str, str]
    formed: str = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class Framework:
    """Everything that describes a framework, except for the guest code that reads its circuits (see `adapters`).

    Fields with a default are optional.
    """

    name: str
    """The name of the package that programs import. This is also the framework's name on the command line and in
    files."""
    title: str
    language: Language = PYTHON
    import_line: str
    """The code that imports the framework. Starter code and simulated answers contain this code."""
    packages: tuple[str, ...]
    """The name prefixes of the framework's distributions (installable packages)."""
    incidental: tuple[str, ...] = ()
    """Packages that the fork server imports but that do not affect results. A run may resume even if the version of an
    incidental package has changed or the package is missing, unless a task names the package."""
    needs: tuple[str, ...] = ()
    """The required modules of an optional dependency. If a module is missing, the framework's tasks are excluded."""
    adapters: Path | None = None
    """The folder that contains the guest adapter `<name>_adapter.py`; None for the folder of the built-in adapters."""
    heavy_import_pattern: re.Pattern[str] | None = None
    """A pattern for words that a program's code contains only if the program needs the framework's second fork server.
    The second fork server also imports the modules in `EXTRA_PRELOAD` of the adapter."""

    last_bit_first: bool = False
    """Whether bits are in reverse order: the last bit is printed first, and qubit 0 is the least significant bit in the
    index of an amplitude."""
    result_register: str | None = "result"
    """The name of the register with the answer. None means that the answer is in the register that is printed first."""
    exact_answer: str
    """An instruction that tells a model to return an exact answer instead of samples, such as "return the cirq.Circuit
    itself"."""
    annotations: Mapping[str, str] = field(default_factory=dict)
    """The return annotations in starter code, keyed by the kind of observation. If a kind of observation is not a
    key, starter code for this kind of observation has no return annotation."""

    returned: Mapping[str, str] = field(default_factory=dict)
    """Instructions that tell a model what to return in the built-in suites, keyed by the kind of observation
    (distribution, state, unitary, circuit). The instructions are Jinja templates. The template for a distribution can
    use the variables `measured` (a phrase that describes the measured qubits) and `bits`; the other templates can use
    `qubits`. The mapping may omit a kind of observation that no built-in task for the framework uses."""

    empty_circuit: str
    """The source code of an expression that creates a circuit without gates."""
    trivial_baselines: TrivialBaselines | None = None
    """The trivial circuits that an audit submits to every check; None to submit none."""
    random_state_wrapper: Mapping[str, str] = field(default_factory=dict)
    """Templates for the code of `_dressed_entry_point`, keyed by the kind of observation (state, distribution). A
    template contains `{entry_point}`, and may call `_random_angles(count)` (`grading.audit.equivalence`). An audit uses
    the templates to test whether a mutant is equivalent to the reference. If a framework has no templates, an audit
    cannot show equivalence."""

    gates: Mapping[str, str] = field(default_factory=dict)
    """The framework's names for the gates in `repair_bench.frameworks.gates`, with the usual name of a gate first."""
    spelled: Mapping[str, str] = field(default_factory=dict)
    """Maps gate names in observations (`executors.program`) to the framework's names for these gates, if the names
    differ."""
    program_class: type[ParsedProgram] = ParsedProgram
    """The class that finds gates and measurements in a program."""
    mistakes: Mistakes

    @cached_property
    def gates_by_name(self) -> dict[str, Gate]:
        return {own: GATES[gate] for own, gate in self.gates.items()}

    def usual_name(self, gate: str) -> str | None:
        """Return the framework's usual name for a gate in the vocabulary, or None if the framework lacks the gate."""
        return next((own for own, other in self.gates.items() if other == gate), None)

    def parsed(self, tree: ast.Module) -> ParsedProgram:
        """Analyse the syntax tree of a program that uses this framework."""
        return self.program_class(tree, self)
