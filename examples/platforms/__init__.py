"""Jobs as platforms start them, with their writes captured (docs/platforms.md)."""
