"""Text for people: terminals, trees, Mermaid."""
