"""`headwater recall`: the dataset versions made of a load."""

# Runs of a request, and versions of a response.
RUNS_MAX, VERSIONS_MAX = 50, 1_000
