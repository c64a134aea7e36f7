"""One module per family, each with a `FAMILY`. The suite includes every module in this package."""
