"""Run unit tests in ways that prevent candidates from tampering with the tests."""
