"""A run directory: its manifest, study.lock and ledgers, and its reader and writer."""
