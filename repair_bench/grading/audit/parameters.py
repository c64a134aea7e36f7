"""Random values for the parameters of a task, modelled on the values in its cases."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Sequence
from math import pi
from typing import Any

from repair_bench.suites.checks import CircuitCheck
from repair_bench.suites.task import Task
from repair_bench.syntax_tree import parsed

Args = tuple[Any, ...]


def cases(task: Task) -> tuple[Args, ...]:
    """Return the argument lists of all calls in the task's check.

    For a unit test, the result is one empty argument list if the reference's function needs no arguments. Otherwise,
    the result for a unit test is empty.
    """
    if isinstance(task.check, CircuitCheck):
        return tuple(case.args for case in task.check.cases)
    return ((),) if _needs_no_arguments(task.reference or "", task.entry_point) else ()


def draws(examples: Sequence[Args], count: int, rng: random.Random) -> list[Args]:
    """Return up to `count` lists of random arguments, each modelled on a randomly chosen example.

    A random real number is drawn from the interval (-2 pi, 2 pi). A random bit string has the same length as the bit
    string in the example. Each integer lies between the smallest and the largest integer that the examples contain for
    the same argument or list item. A value that is not a number or a bit string is copied from the randomly chosen
    example.
    """
    samples = [_like(rng.choice(examples), examples, rng) for _ in range(count)]
    return [args for i, args in enumerate(samples) if args not in examples and args not in samples[:i]]


def _like(value: Any, examples: Sequence[Any], rng: random.Random) -> Any:
    if isinstance(value, list | tuple):
        lists = [example for example in examples if isinstance(example, list | tuple)]
        items = [_like(item, [one[i] for one in lists if i < len(one)], rng) for i, item in enumerate(value)]
        return tuple(items) if isinstance(value, tuple) else items
    if isinstance(value, str) and re.fullmatch("[01]+", value):
        return "".join(rng.choice("01") for _ in value)
    if isinstance(value, float):
        return rng.uniform(-2 * pi, 2 * pi)
    if isinstance(value, int) and not isinstance(value, bool):
        seen = [example for example in examples if isinstance(example, int)]
        return rng.randint(min([value, *seen]), max([value, *seen]))
    return value


def _needs_no_arguments(source: str, entry_point: str) -> bool:
    try:
        body = parsed(source).body
    except SyntaxError:
        return False
    functions = [node for node in body if isinstance(node, ast.FunctionDef) and node.name == entry_point]
    if not functions:
        return False
    given = functions[-1].args
    keywords = [name for name, default in zip(given.kwonlyargs, given.kw_defaults, strict=True) if default is None]
    return len(given.posonlyargs + given.args) == len(given.defaults) and not keywords
