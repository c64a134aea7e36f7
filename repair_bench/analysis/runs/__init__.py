"""A whole run: its notices, kinds of replies, infrastructure errors and progress."""
