"""A run directory: its files (manifest, study.lock, ledgers), and the classes that read and write them."""
