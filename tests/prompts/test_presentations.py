"""Extraction of a body from every layout as the intended program: the starter code and the body."""

import gc
import json
import time
from pathlib import Path

import pytest
from presentations import JOINED, WHOLE, Body, fenced, shape

from repair_bench.prompts.extraction.extract import extract
from repair_bench.prompts.extraction.source import parse

OURS = [
    Body(
        'import cirq\n\n\ndef pair(n):\n    """A pair."""\n',
        "\n    circuit = cirq.Circuit()\n    for i in range(n):\n        if i:\n            circuit.append(i)\n"
        "    return circuit\n",
        "pair",
    ),
    Body(
        'import cirq\n\ndef append(circuit, qubits) -> None:\n    """ In place.\n    """',
        "\n    circuit.h(qubits[0])\n    circuit.cx(qubits[0], qubits[1])\n",
        "append",
    ),
    Body(
        "from contextlib import suppress\ndef quietly(circuit, gate) -> None:\n",
        "    with suppress(ValueError):\n        for q in range(2):\n            circuit.append(gate, [q])\n",
        "quietly",
    ),
    Body(
        'from qiskit import QuantumCircuit, qpy\ndef write():\n    """ Write a file.\n    """',
        "\n    qc = QuantumCircuit(2)\n    with open('bell.qpy', 'wb') as file:\n        qpy.dump(qc, file)\n",
        "write",
    ),
    Body(
        'from qiskit import QuantumCircuit\ndef read() -> QuantumCircuit:\n    """ Read a text.\n    """',
        '\n    text = """\nOPENQASM 2.0;\n  qreg q[2];\n"""\n    return QuantumCircuit.from_qasm_str(text)\n',
        "read",
    ),
    Body('import cirq\n\n\ndef one():\n    """One line."""\n', "    return cirq.Circuit()\n", "one"),
]
BROKEN = {
    "indented": lambda b: b.at("    "),
    "unindented": lambda b: b.at(""),
    "first line without its indentation": lambda b: b.at("", "    "),
    "indented, fenced": lambda b: fenced(b.at("    ")),
    "unindented, fenced": lambda b: fenced(b.at("")),
    "between words": lambda b: f"This is the body:\n\n{b.at('    ')}\n\nThis completes the function as asked.",
}
STARTER = 'import cirq\n\n\ndef bell(circuit):\n    """Bell pair."""\n'
LONG = {
    "words": "This is a line of words, and one more.\n",
    "statements": "circuit.h(0)\n",
    "a body": "    circuit.h(0)\n",
    "a broken body": "    circuit.h(0\n",
    "words and returns": "This is a line of words.\n    return circuit\n",
    "words and statements": "This is a line of words.\ncircuit = f(3)\ncircuit.h(0)\n",
    "strings": '    text = """\nx\n',
    "fences": "```python\nreturn circuit\n```\n",
    "fences within lines": "x ``` y\n",
    "marks": "CODE: x\n",
    "one line": "a.b(",
}


def published(datasets: Path) -> list[Body]:
    path = datasets / "qiskit-humaneval" / "dataset_qiskit_test_human_eval.json"
    entries = json.loads(path.read_text(encoding="utf-8"))
    return [Body(entry["prompt"], entry["canonical_solution"], entry["entry_point"]) for entry in entries]


def check_joined(body: Body, name: str, *, prefilled: bool = False) -> None:
    answer, inside = JOINED[name]
    begun = f"```python\n{body.starter.rstrip()}" if prefilled else ""
    found = extract(answer(body), entry_point=body.entry_point, starter=body.starter, prefill=begun)
    assert shape(found.code) == shape(f"{body.starter.rstrip()}\n{inside(body)}\n") is not None
    assert any(step.startswith("appended to") for step in found.steps)


def check_whole(body: Body, name: str) -> None:
    answer, program = WHOLE[name]
    found = extract(answer(body), entry_point=body.entry_point, starter=body.starter)
    assert shape(found.code) == shape(program(body)) is not None
    assert not any(step.startswith("appended to") for step in found.steps)


@pytest.mark.parametrize("name", JOINED)
def test_a_body_is_extracted_from_every_layout(name: str) -> None:
    for body in OURS:
        check_joined(body, name)


@pytest.mark.parametrize("name", WHOLE)
def test_a_whole_program_is_joined_to_nothing(name: str) -> None:
    for body in OURS:
        if '"""' not in body.code or "deep" not in name:  # an indented program has no string at column 0
            check_whole(body, name)


@pytest.mark.parametrize("name", ["indented", "unindented", "first line one space short"])
def test_a_body_that_continues_the_prefill_is_extracted(name: str) -> None:
    for body in OURS:
        check_joined(body, name, prefilled=True)


@pytest.mark.slow
def test_published_bodies_are_extracted_from_every_layout(datasets: Path) -> None:
    for body in published(datasets):
        for name in JOINED:
            check_joined(body, name)
        for name in WHOLE:
            check_whole(body, name)


@pytest.mark.parametrize("name", BROKEN)
def test_a_body_that_does_not_compile_shows_the_line_of_its_error(name: str) -> None:
    for body in OURS:
        last = body.code.rstrip().split("\n")[-1].strip()
        answer = BROKEN[name](body).replace(last, f"{last})")
        code = extract(answer, entry_point=body.entry_point, starter=body.starter).code or ""
        line = parse(code)
        assert isinstance(line, int)
        assert code.split("\n")[line - 1].strip() == f"{last})"


@pytest.mark.parametrize("depth", [30, 90])
def test_nested_blocks_take_no_longer_than_others(depth: int) -> None:
    nested = "".join(f"{'    ' * level}if circuit:\n" for level in range(depth)) + f"{'    ' * depth}circuit.h(0)\n"
    began = time.process_time()
    extract(f"```python\n{nested}```", entry_point="bell", starter=STARTER)
    assert time.process_time() - began < 2


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_a_long_answer_takes_time_in_proportion_to_its_length(name: str) -> None:
    def seconds(lines: int) -> float:
        text = LONG[name] * lines
        gc.disable()  # it goes through all that the tests before have left, more often the more is made
        try:
            began = time.process_time()
            extract(text, entry_point="bell", starter=STARTER)
            extract(f"```python\n{text}", entry_point="bell", starter=STARTER)
            return time.process_time() - began
        finally:
            gc.enable()

    assert seconds(1200) < 8 * max(seconds(300), 0.01)
