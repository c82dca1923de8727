"""Our connectors, a file a system; `registry` lists and loads them."""
