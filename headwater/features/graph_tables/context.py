"""The context value of the graph's tables."""

from __future__ import annotations

from infra.context_values import Reader, flag

NAMES = ("graph_tables",)
# For `infra.check`.
EXAMPLES = ({"graph_tables": True},)


def read(reader: Reader) -> bool | None:
    """Read True for a stack with the tables, None for a stack without them."""
    return reader.read(NAMES[0], flag, False) or None
