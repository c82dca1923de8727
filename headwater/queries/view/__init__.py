"""The one holder of the read side: rows (`rows`), names (`names`) and nodes (`nodes`) as of a time, for a caller."""

from headwater.queries.view.graph_view import GraphView, Queries
from headwater.queries.view.names import ResolvedDataset

__all__ = ["GraphView", "Queries", "ResolvedDataset"]
