"""`headwater smoke`: each part of a deployed stack, used once."""
