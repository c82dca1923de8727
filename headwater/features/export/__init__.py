"""`headwater export`: a part of the graph as Mermaid, DOT, GraphML, or events that make the same graph again."""
