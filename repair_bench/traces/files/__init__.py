"""Crash-safe files, and checks of files from third parties."""
