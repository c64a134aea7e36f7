"""Function bodies in the layouts that models use, each with the intended program."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Body:
    """A function to be completed: `starter` ends in its signature or docstring, `code` is at four spaces."""

    starter: str
    code: str
    entry_point: str

    @property
    def signature(self) -> str:
        """The starter code from the line of the entry point to its end."""
        at = list(re.finditer(rf"^def {self.entry_point}\b", self.starter, re.MULTILINE))[-1].start()
        return self.starter[at:].rstrip()

    @property
    def imports(self) -> str:
        return "".join(f"{line}\n" for line in self.starter.split("\n") if re.match(r"(import|from) .*\w$", line))

    def at(self, first: str, others: str | None = None) -> str:
        """Return the body with its first line of code at indentation `first`, and the others at `others`."""
        others = first if others is None else others
        lines, inside, found = self.code.strip("\n").split("\n"), in_strings(self.code.strip("\n")), False
        for at, line in enumerate(lines):
            if line.strip() and at not in inside:
                lines[at] = (others if found else first) + line[4:]
                found = True
        return "\n".join(lines)

    def with_steps(self, step: str) -> str:
        """Return the body with `step` instead of each four spaces of indentation."""
        lines, inside = self.code.strip("\n").split("\n"), in_strings(self.code.strip("\n"))
        for at, line in enumerate(lines):
            if line.strip() and at not in inside:
                depth = len(line) - len(line.lstrip())
                lines[at] = step * (depth // 4) + " " * (depth % 4) + line.lstrip()
        return "\n".join(lines)


def in_strings(code: str) -> set[int]:
    """Return the numbers, from 0, of the lines that begin within a string of an indented body."""
    inside: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(f"if True:\n{code}\n").readline):
        if token.type == tokenize.STRING:
            inside.update(range(token.start[0], token.end[0]))
    return {line - 1 for line in inside}


def shape(code: str | None) -> str | None:
    """Return the syntax tree as text, equal for equivalent programs; None for invalid code."""
    try:
        return ast.dump(ast.parse(code or "!"))
    except SyntaxError:
        return None


def fenced(text: str, tag: str = "python") -> str:
    return f"```{tag}\n{text}\n```"


def _between(text: str) -> str:
    return f"Here is the body of the function:\n\n{text}\n\nThis completes the function as asked."


def _docstring(body: Body) -> str:
    return '    """Does what is asked."""\n' + body.at("    ")


JOINED: dict[str, tuple[Callable[[Body], str], Callable[[Body], str]]] = {
    # by name: the answer, and the code below the starter code in the intended program
    "indented": (lambda b: b.at("    "), lambda b: b.at("    ")),
    "as published": (lambda b: b.code, lambda b: b.at("    ")),
    "indented, fenced": (lambda b: fenced(b.at("    ")), lambda b: b.at("    ")),
    "indented, fence without a tag": (lambda b: fenced(b.at("    "), ""), lambda b: b.at("    ")),
    "indented, fence never closed": (lambda b: f"```python\n{b.at('    ')}", lambda b: b.at("    ")),
    "indented, closed by a fence alone": (lambda b: b.at("    ") + "\n```", lambda b: b.at("    ")),
    "unindented": (lambda b: b.at(""), lambda b: b.at("    ")),
    "unindented, fenced": (lambda b: fenced(b.at("")), lambda b: b.at("    ")),
    "unindented, fence without a tag": (lambda b: fenced(b.at(""), ""), lambda b: b.at("    ")),
    "first line without its indentation": (lambda b: b.at("", "    "), lambda b: b.at("    ")),
    "first line without its indentation, fenced": (lambda b: fenced(b.at("", "    ")), lambda b: b.at("    ")),
    "first line one space short": (lambda b: b.at("   ", "    "), lambda b: b.at("    ")),
    "first line one space short, fenced": (lambda b: fenced(b.at("   ", "    ")), lambda b: b.at("    ")),
    "first line one space too far": (lambda b: b.at("     ", "    "), lambda b: b.at("    ")),
    "first line twice as far, fenced": (lambda b: fenced(b.at("        ", "    ")), lambda b: b.at("    ")),
    "tabs": (lambda b: b.with_steps("\t"), lambda b: b.at("    ")),
    "tabs, fenced": (lambda b: fenced(b.with_steps("\t")), lambda b: b.at("    ")),
    "two spaces, fenced": (lambda b: fenced(b.with_steps("  ")), lambda b: b.at("    ")),
    "eight spaces deep": (lambda b: b.at("        "), lambda b: b.at("    ")),
    "Windows line ends": (lambda b: fenced(b.at("    ")).replace("\n", "\r\n"), lambda b: b.at("    ")),
    "between words, indented": (lambda b: _between(b.at("    ")), lambda b: b.at("    ")),
    "between words, unindented": (lambda b: _between(b.at("")), lambda b: b.at("    ")),
    "between words, indented, fenced": (lambda b: _between(fenced(b.at("    "))), lambda b: b.at("    ")),
    "between words, unindented, fenced": (lambda b: _between(fenced(b.at(""))), lambda b: b.at("    ")),
    "words behind, first line short": (
        lambda b: b.at("   ", "    ") + "\n\nThis completes the function as asked.",
        lambda b: b.at("    "),
    ),
    "after reasoning": (
        lambda b: f"<think>\nWhat is asked for?\n</think>\n\n{fenced(b.at(''))}",
        lambda b: b.at("    "),
    ),
    "below a mark": (lambda b: f"THINKING: it is short.\nCODE:\n{b.at('    ')}", lambda b: b.at("    ")),
    "imports before, indented": (
        lambda b: fenced(f"import numpy as np\nimport qiskit\n\n{b.at('    ')}"),
        lambda b: f"    import numpy as np\n    import qiskit\n{b.at('    ')}",
    ),
    "imports before, unindented": (
        lambda b: fenced(f"import numpy as np\nimport qiskit\n\n{b.at('')}"),
        lambda b: f"    import numpy as np\n    import qiskit\n{b.at('    ')}",
    ),
    "its docstring again": (lambda b: fenced(_docstring(b)), _docstring),
    "a comment at column 0 before": (lambda b: f"# The body.\n{b.at('    ')}", lambda b: b.at("    ")),
    "an example behind, fenced": (
        lambda b: fenced(f"{b.at('    ')}\n\n\nif __name__ == '__main__':\n    print('ready')"),
        lambda b: f"{b.at('    ')}\n\n\nif __name__ == '__main__':\n    print('ready')",
    ),
    "a package to install before": (
        lambda b: (
            f"{fenced('pip install qiskit qiskit-aer qiskit-ibm-runtime numpy scipy', 'bash')}\n\n"
            f"Then:\n\n{fenced(b.at('    '))}"
        ),
        lambda b: b.at("    "),
    ),
}
"""Layouts of the body."""

WHOLE: dict[str, tuple[Callable[[Body], str], Callable[[Body], str]]] = {
    # by name: the answer, and the intended program
    "signature again": (lambda b: f"{b.signature}\n{b.at('    ')}",) * 2,
    "signature again, fenced": (
        lambda b: fenced(f"{b.signature}\n{b.at('    ')}"),
        lambda b: f"{b.signature}\n{b.at('    ')}",
    ),
    "imports and signature again, fenced": (
        lambda b: fenced(f"{b.imports}\n{b.signature}\n{b.at('    ')}"),
        lambda b: f"{b.imports}\n{b.signature}\n{b.at('    ')}",
    ),
    "starter again": (lambda b: f"{b.starter}\n{b.at('    ')}",) * 2,
    "starter again, fenced": (
        lambda b: fenced(f"{b.starter}\n{b.at('    ')}"),
        lambda b: f"{b.starter}\n{b.at('    ')}",
    ),
    "starter again, between words": (
        lambda b: _between(f"{b.starter}\n{b.at('    ')}"),
        lambda b: f"{b.starter}\n{b.at('    ')}",
    ),
    "starter again, four spaces deep": (
        lambda b: "".join(f"    {line}\n" if line else "\n" for line in f"{b.starter}\n{b.at('    ')}".split("\n")),
        lambda b: f"{b.starter}\n{b.at('    ')}",
    ),
}
"""Layouts of a complete program, to which nothing is joined."""
