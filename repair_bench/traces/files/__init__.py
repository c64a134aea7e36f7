"""Crash-safe file handling, and checks on files from third parties."""
