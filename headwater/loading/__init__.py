"""The raw log and its index, and the ways of events into it and into the facts: loading and replay."""
