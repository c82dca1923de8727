"""`headwater cost`: the bill of a deployed stack, by what it counted."""
