"""Crash-safe files, and checks of third-party files."""
