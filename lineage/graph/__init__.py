"""The graph table: facts that only grow, their index rows, the current graph computed from them; the raw event log."""
