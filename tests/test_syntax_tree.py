"""Python is read into syntax trees by many threads at once, as the workers of an executor do beside the loop."""

import ast
from concurrent.futures import ThreadPoolExecutor

import pytest

from repair_bench.syntax_tree import parsed, parsed_expression

DEEP = "x = " + "(" * 30 + "1" + " + 1)" * 30 + "\n"


@pytest.mark.slow
def test_many_threads_parse_at_once():
    with ThreadPoolExecutor(8) as threads:
        trees = list(threads.map(parsed, [DEEP * 20] * 200))
    assert {ast.dump(tree) for tree in trees} == {ast.dump(ast.parse(DEEP * 20))}


def test_what_is_no_python_is_a_syntax_error():
    assert isinstance(parsed_expression("1 + 1"), ast.BinOp)
    for parse in (parsed, parsed_expression):
        with pytest.raises(SyntaxError):
            parse("1 +")
