"""Runs made from other runs: forked, regraded, split into shards and merged."""
