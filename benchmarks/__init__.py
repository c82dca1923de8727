"""What `make bench` runs: each benchmark measures us and a plain baseline, in turns, in the same run."""
