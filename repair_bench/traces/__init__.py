"""The records that all rooms share, the store on disk, and everything read from it: metrics, tables, plots."""
