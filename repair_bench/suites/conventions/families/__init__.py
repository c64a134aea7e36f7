"""One module per family; each module defines `FAMILY`. The suite includes every module in this package."""
