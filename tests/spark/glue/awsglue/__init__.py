"""Stand-in for the three names of Glue's own package that the example uses; Glue's is on its workers alone."""
