"""What is known of the Quantum Katas that is wrong."""

ERRATA: dict[str, str] = {}
