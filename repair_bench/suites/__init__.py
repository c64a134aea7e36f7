"""Tasks, checks, and the loaders of the published datasets."""
