"""The fork server and the child that it forks for each candidate."""
