"""Files that survive a crash, and files that may come from a stranger."""
