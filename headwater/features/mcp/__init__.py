"""`headwater mcp`: lineage as tools of the Model Context Protocol."""
