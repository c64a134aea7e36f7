"""Models queried through their provider's batch API."""
