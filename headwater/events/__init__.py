"""OpenLineage events, from the wire to the domain and onto their queue."""
