"""Many threads parse Python concurrently, like the workers of an executor."""

import ast
import gc
from concurrent.futures import ThreadPoolExecutor

import pytest

from repair_bench.syntax_tree import parsed, parsed_expression

DEEP = "x = " + "(" * 30 + "1" + " + 1)" * 30 + "\n"


@pytest.mark.slow
def test_many_threads_parse_at_once():
    with ThreadPoolExecutor(8) as threads:
        trees = list(threads.map(parsed, [DEEP * 20] * 200))
    assert {ast.dump(tree) for tree in trees} == {ast.dump(ast.parse(DEEP * 20))}


def test_finalizers_that_parse_do_not_disturb_parsing():
    """CPython 3.11 miscounts the depth of a tree if a finalizer parses while the tree is built."""

    class Garbage:
        def __init__(self):
            self.itself = self

        def __del__(self):
            ast.parse("x = [1, (2, 3)]")

    def parsed_deep_in_the_stack(depth):
        return parsed_deep_in_the_stack(depth - 1) if depth else parsed(DEEP * 20)

    for depth in range(20):
        garbage = [Garbage() for _ in range(5)]
        del garbage
        assert len(parsed_deep_in_the_stack(depth).body) == 20
    assert gc.isenabled()


def test_text_that_is_not_python_is_a_syntax_error():
    assert isinstance(parsed_expression("1 + 1"), ast.BinOp)
    for parse in (parsed, parsed_expression):
        with pytest.raises(SyntaxError):
            parse("1 +")
