"""Create runs from other runs by forking, regrading, sharding and merging."""
