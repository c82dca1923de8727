"""What can be found in the facts: graphs, versions, runs, lists."""
