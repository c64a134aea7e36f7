"""Seeded texts that are known to slow parsers down: long runs, and many starts of constructs that never end.

`python tests/fuzz/pathological_texts.py --texts 10000` prints the slowest text per parser.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

from repair_bench.agent.models.network.errors import explain, is_transient, refused_parameter
from repair_bench.agent.models.network.redaction import one_line, redact
from repair_bench.frameworks.openqasm3 import LANGUAGE
from repair_bench.prompts.extraction.extract import extract
from repair_bench.prompts.feedback import cases
from repair_bench.prompts.leaks import redact_secrets
from repair_bench.prompts.tools import calls_of
from repair_bench.suites.checks import UnitTestCheck
from repair_bench.suites.task import Task
from repair_bench.traces.record.printable import printable
from repair_bench.traces.record.records import Completion, Verdict

MAX_SECONDS = 1.0
ENTRY_POINT = "answer"
STARTER = "def answer(n: int) -> int:\n    '''Count.'''\n"
UNITS = (
    *(" ", "\t", "\n", "\r", "\f", "\xa0", "\u2028", "\ufeff", "\x00", "\ud800", "\u0301", "a", "A", "_", "0"),
    *("9.", "`", "``", "```", "````", "~", "~~~", "```\n", "```try\n", "```try", "``` ", "```python\n", "x ```"),
    *("~~~\n", "> ", ">>> ", ">>>\n", "... ", "- ", "1. ", "* ", "# ", "#\n", "!", "%pip x\n", "**", "|", "---\n"),
    *("===\n", '"', "'", '"""', "'''", '"""python\n', "'''\n", 'a = """\n', "f'{", "{1:", "\\", "\\n"),
    *("\\\n", "\u201c", "\u2019", "(", ")", "[", "]", "{", "}", "()", "((", "[[", "(a,", "f(", "a[", ") a"),
    *(") a a ", "<", "<a", "<!--", "&amp;", "<think", "<think>", "<think>\n", "</think", "</think>\n", "\n<think"),
    *("<code>", "</code>\n", "[PYTHON]\n", "<|im_end|>", "<s>", "</s>", "<|", "CODE:", "CODE:\n", "\nAnswer: "),
    *("**Code**: ", "if ", "if (", "if x:\n", "if a else ", "for ", "for x in ", " in ", "while ", "with a as b, "),
    *("try:\n", "else:\n", "from .", "from ", "from a import b\n", "import a\n", "import a, ", " as ", "@a\n", "@"),
    *("class A:\n ", "async ", "def answer", "def answer(n):\n", "def answer(n):\n    return n\n", "def f():\n"),
    *(" def a():\n", "lambda: ", "return ", "return (\n", "a = ", "a = b\n", "a = [\n", "a, ", "a: ", "a."),
    *("a = a(", "a\n", "1+", "1 + 1\n", "-", "not ", "~ ", "not a\n", "x if ", "\n\nWord", "Word.\n"),
    *("Two words here.\n", "a word ", "\n \n", " \n", "  a\n", "   ", ", ", " ,", "OPENQASM 3;\n", "qubit["),
    *("qubit[2] q;\n", "bit[", "include ", "input a", "//", "/*", "*/", "; ", "};\n", "}  ", " (distance"),
    *(" (a fidelity ", "; 2 of 3 cases are incorrect", "1 of 2 ", "://", "://a@", "key=sk-", "0x", "3, ", "[1, 2], "),
)  # fmt: skip


def texts(seed: int, count: int, longest: int = 400_000) -> Iterator[str]:
    """Yield `count` texts, each of one to five runs of one or two units, at most `longest` characters long."""
    draw = random.Random(seed)
    for _ in range(count):
        room = int(10 ** draw.uniform(3.5, 6))
        room = min(room, longest)
        parts: list[str] = []
        runs = draw.randint(1, 5)
        for _ in range(runs):
            unit = "".join(draw.choices(UNITS, k=draw.choice((1, 1, 1, 2, 2, 3))))
            parts.append(unit * (draw.randint(1, 3) if draw.random() < 0.3 else room // runs // len(unit)))
        yield "".join(parts)[:longest]


def parsers(task: Task) -> dict[str, Callable[[str], Any]]:
    """Return all functions in the driver's process that read text from a model or a provider, by name."""

    def error(text: str) -> Exception:
        made = Exception(text)
        vars(made).update(status_code=400, body={"message": text, "code": text})
        return made

    def completion(text: str) -> Completion:
        return Completion(text)

    def problem(text: str) -> str:
        return cases.problem(Verdict("wrong_answer", {"cases": [], "problem": text}, "exact", "data"))

    return {
        "extract": lambda text: extract(text, entry_point=ENTRY_POINT),
        "extract, starter": lambda text: extract(text, entry_point=ENTRY_POINT, starter=STARTER),
        "extract, prefill": lambda text: extract(text, entry_point=ENTRY_POINT, prefill=f"```python\n{STARTER}"),
        "extract, in a block": lambda text: extract(f"```python\n{text}\n```", entry_point=ENTRY_POINT),
        "extract, after code": lambda text: extract(
            f"```python\n{STARTER}    return n\n```\n{text}", entry_point=ENTRY_POINT
        ),
        "extract OpenQASM": lambda text: extract(text, entry_point="", starter="OPENQASM 3;\n", language=LANGUAGE),
        "calls_of": lambda text: calls_of(completion(text), {"python": 1}, native=False),
        "take_out": lambda text: redact_secrets(text[:20_000], task, text[:200_000]),
        "problem": problem,
        "printable": printable,
        "redact": redact,
        "one_line": lambda text: one_line(error(text)),
        "errors": lambda text: (
            is_transient(error(text)),
            refused_parameter(error(text), ("temperature", "max_tokens")),
            explain(error(text), "m", 1, "", ("temperature",), answered=False),
        ),
    }


def slowest(task: Task, seed: int, count: int, longest: int = 400_000) -> dict[str, tuple[float, str]]:
    """Return, per parser, the text that takes the most CPU seconds, and these seconds."""
    worst: dict[str, tuple[float, str]] = {}
    known = parsers(task)
    for text in texts(seed, count, longest):
        for name, parse in known.items():
            taken = _seconds(parse, text)
            if taken > MAX_SECONDS / 4:  # a busy machine or garbage collection delays some readings, but not all
                taken = min(taken, _seconds(parse, text), _seconds(parse, text))
            if taken > worst.get(name, (0.0, ""))[0]:
                worst[name] = taken, text
    return worst


def _seconds(parse: Callable[[str], Any], text: str) -> float:
    begun = time.process_time()
    parse(text)
    return time.process_time() - begun


def a_task() -> Task:
    """Return a task with a unit test; parsers search for its text in model output."""
    check = UnitTestCheck(
        test="def check(answer):\n    assert answer([3, 14, 159, 2653]) == 5897932\n", function="check"
    )
    return Task(
        suite="made-up",
        id="1",
        framework="qiskit",
        entry_point=ENTRY_POINT,
        prompt="Count.",
        starter="",
        check=check,
        category="",
        reference="def answer(n):\n    return sum(digit * 3 for digit in n)\n",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    for name, (seconds, text) in slowest(a_task(), chosen.seed, chosen.texts).items():
        print(f"{name:20} {seconds:7.3f} s  {len(text):9,} characters: {text[:60]!r}")


if __name__ == "__main__":
    main()
