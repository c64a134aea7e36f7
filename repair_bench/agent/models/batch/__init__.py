"""Models asked through their provider's batch API."""
