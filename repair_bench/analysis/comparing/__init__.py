"""Arms, models and runs compared, paired by task."""
