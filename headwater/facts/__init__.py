"""The facts that only grow, their index rows and keys, and the current graph computed from them."""
