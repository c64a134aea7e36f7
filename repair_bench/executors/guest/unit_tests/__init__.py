"""Run unit tests in such a way that candidates cannot tamper with them."""
