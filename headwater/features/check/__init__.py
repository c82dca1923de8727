"""`headwater check`: the readers that a change would break, before the change runs."""
