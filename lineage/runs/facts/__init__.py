"""What events say, as facts that only grow, the rows in which they lie, and the current graph worked out from them."""
