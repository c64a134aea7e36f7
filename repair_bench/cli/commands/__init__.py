"""The commands, with one module per group."""
