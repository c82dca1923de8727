"""The functions: one module each, event in, one call, answer out."""
