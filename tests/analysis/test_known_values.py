"""Estimators compared with values computed by hand, and stored tables compared with the printed ones."""

import pytest

from repair_bench.analysis.published import load
from repair_bench.analysis.rates.metrics import pass_at_k


@pytest.mark.parametrize(
    ("n", "c", "k", "expected"),
    [
        (5, 1, 5, 1),
        (5, 2, 2, 1 - 3 / 10),  # C(3, 2) = 3 of C(5, 2) = 10
        (5, 3, 3, 1),  # 2 failures cannot fill 3 draws
        (6, 2, 3, 1 - 4 / 20),  # C(4, 3) of C(6, 3)
        (10, 3, 5, 1 - 21 / 252),  # C(7, 5) of C(10, 5)
        (10, 1, 5, 1 / 2),
        (10, 0, 10, 0),
        (20, 4, 10, 1 - 8008 / 184756),  # C(16, 10) of C(20, 10)
        (100, 1, 10, 1 / 10),
    ],
)
def test_pass_at_k_by_hand(n, c, k, expected):
    assert pass_at_k(n, c, k) == pytest.approx(expected, abs=1e-15)


PRINTED: dict[tuple[str, str, str], list[tuple[object, ...]]] = {
    ("quanbench-plus", "table_1", "model qiskit cirq pennylane average"): [
        ("Claude-3.7-Sonnet", 11.9, -4.8, 0.0, 2.4),
        ("DeepSeek-R1", -7.2, -15.5, 2.2, -6.8),
        ("Gemini-3-Pro-Preview", -0.2, -11.3, -3.1, -4.9),
        ("GPT-5.1", 2.4, 0.0, -1.0, 0.5),
        ("Qwen-2.5-7B-Instruct", 2.4, -7.1, 9.5, 1.6),
    ],
    ("quanbench-plus", "table_2", "model framework pass_at_1 fb"): [
        ("Gemini-3-Pro", "qiskit", 59.5, 73.8),
        ("GPT-5.1", "qiskit", 57.1, 83.3),
        ("GPT-5.1", "cirq", 52.4, 73.8),
        ("GPT-5.1", "pennylane", 42.9, 66.7),
        ("Z-ai-GLM-4.7", "pennylane", 23.8, 64.3),
        ("DeepSeek-Chat", "qiskit", 45.2, 42.9),
        ("MiniMax-M2.1", "cirq", 23.8, 47.6),
        ("Qwen-2.5-7B-Instruct", "cirq", 4.8, 7.1),
    ],
    ("quanbench-plus", "table_6", "model framework pass_at_5"): [
        ("GPT-5.1", "qiskit", 76.2),
        ("DeepSeek-R1", "pennylane", 59.5),
        ("MoonshotAI-Kimi-K2-Thinking", "cirq", 52.4),
        ("Gemini-2.5-Flash", "qiskit", 40.5),
        ("Llama-4-Maverick", "pennylane", 31.0),
        ("Qwen-2.5-7B-Instruct", "pennylane", 21.4),
    ],
    ("quantum-katas", "table_6", "category rate attempts"): [
        ("UnitaryPatterns", 85.4, 288),
        ("tutorials", 82.2, 512),
        ("QFT", 57.4, 256),
        ("Superposition", 57.1, 336),
        ("RippleCarryAdder", 42.1, 368),
        ("SolveSATWithGrover", 34.4, 160),
    ],
    ("quantum-katas", "table_7", "error_type count percent group"): [
        ("AssertionError", 7513, 43.0, "logic errors"),
        ("AttributeError", 2018, 11.6, "code structure"),
        ("MissingEntryPoint", 663, 3.8, "generation failures"),
        ("CircuitError", 1836, 10.5, "API errors"),
        ("TypeError", 719, 4.1, "runtime/other"),
        ("remaining", 324, 1.9, "runtime/other"),
    ],
}
"""Rows as they are printed, by paper, table and columns."""


@pytest.mark.parametrize(("paper", "table", "columns"), PRINTED)
def test_rows_of_the_published_tables(paper, table, columns):
    stored = [tuple(getattr(row, name) for name in columns.split()) for row in load(paper).tables[table]]
    assert set(PRINTED[paper, table, columns]) <= set(stored)
