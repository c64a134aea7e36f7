"""What is known of Qiskit HumanEval that is wrong."""

ERRATA: dict[str, str] = {}
