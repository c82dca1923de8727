"""Everything that events do to the graph table: the same whatever their order, batches, repetition and company."""

from __future__ import annotations

from collections.abc import Sequence

from lineage.runs.facts.merge import merge
from lineage.runs.facts.said import Statement, all_said
from lineage.runs.facts.settle import settle
from lineage.runs.facts.table import GraphTable


def apply(statements: Sequence[Statement], table: GraphTable) -> None:
    """Make the statements part of the facts, then bring the current graph up to them.

    Whoever dies anywhere in between has changed nothing that the same statements, applied again, do not complete.
    `Unavailable` if the table refuses, or others keep getting in between.
    """
    settle(merge(all_said(statements), table), table)
