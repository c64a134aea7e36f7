"""Analyses of a whole run: notices, kinds of replies, infrastructure errors and progress."""
