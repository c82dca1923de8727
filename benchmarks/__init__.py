"""The benchmarks of `make bench`: each measures us and a plain baseline, in turns, in the same run."""
