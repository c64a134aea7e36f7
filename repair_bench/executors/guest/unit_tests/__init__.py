"""Run a unit test against a candidate that cannot tamper with the test."""
