"""Write the messages of an attempt, and extract code from the answer. Sends no request and executes no code."""

VERSION = "1"
"""Version of all texts that models read. Increment this version with every change; the changelog lists the changes."""
