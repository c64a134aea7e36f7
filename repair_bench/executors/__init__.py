"""Execute untrusted code in warm fork servers, one per framework. `repair_bench.grading` judges the outcomes."""
