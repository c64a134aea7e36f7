"""The families, one module each with a `FAMILY`; a file put here is in the suite."""
