"""Columns of queries and frames, by the analyzed plan printed by the server."""

from __future__ import annotations

from collections.abc import Mapping

from spark_client.capturing.connect.columns.analyzed import AnalyzedReader
from spark_client.capturing.connect.columns.query_leaves import QueryLeaves
from spark_client.capturing.connect.literal_risks import LiteralRisks
from spark_client.capturing.connect.plan_texts import PlanText, parse_analyzed_text
from spark_client.capturing.connect.reads import table_read
from spark_client.capturing.connect.snapshots import Snapshot, Unreadable
from spark_client.capturing.plans.values import Value

# Longest text of a plan.
_TEXT_MAX_CHARS = 2_000_000


def parse_analyzed(explained: str) -> PlanText:
    """Parse the analyzed plan in the output of an EXPLAIN.

    Raises:
        Unreadable: the output has no analyzed plan, or is too large.
    """
    root = parse_analyzed_text(explained) if len(explained) <= _TEXT_MAX_CHARS else None
    if root is None:
        raise Unreadable("a statement that Spark does not analyze")
    return root


def views_in(root: PlanText) -> list[tuple[str, ...]]:
    """List the names of the catalog's views in a plan."""
    views = [node.text.partition("(")[2].partition(", [")[0] for node in root.walk() if node.kind == "View"]
    names = (table_read(view).name for view in views)
    return list(dict.fromkeys(name for name in names if len(name) > 2))


def read_query(root: PlanText, risks: LiteralRisks, leaves: QueryLeaves, variables: Mapping[str, Value]) -> Snapshot:
    """Compute the sources of a plan's columns.

    Raises:
        Unreadable: the plan has an unknown form, or literals like parts of a plan.
    """
    frame = AnalyzedReader(leaves, risks).read(root)
    related = leaves.lineage(frame.node, variables)
    if [column.id for column in frame.columns] != [id_ for id_, _ in related.columns]:
        raise Unreadable("columns in another order")
    return Snapshot(frame.columns, tuple(related.values), related.rows)
