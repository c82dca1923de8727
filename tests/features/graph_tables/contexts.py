"""The context value of the graph's tables."""

READ = [({"graph_tables": "true"}, True), ({"graph_tables": False}, None), ({"graph_tables": None}, None)]
REFUSED = [({"graph_tables": "yes"}, "graph_tables: must be true or false, got 'yes'")]
