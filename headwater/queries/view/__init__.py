"""The one holder of the read side: rows (`rows`), names (`names`), nodes (`loaded`) and columns, for a caller."""

from headwater.queries.view.graph_view import GraphView
from headwater.queries.view.names import ResolvedDataset
from headwater.queries.view.queries import Queries, of_reader, of_view

__all__ = ["GraphView", "Queries", "ResolvedDataset", "of_reader", "of_view"]
