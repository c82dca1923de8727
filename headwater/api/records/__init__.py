"""Records: requests in, pages of a root, a node and its path, searches, traces."""
