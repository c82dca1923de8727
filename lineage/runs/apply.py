"""Everything that events do to the graph table: the same whatever their order, batches, repetition and company."""

from __future__ import annotations

from collections.abc import Sequence

from lineage.runs.facts.catalogue import CHANGES_MAX, compact
from lineage.runs.facts.merge import merge
from lineage.runs.facts.said import Statement, all_said
from lineage.runs.facts.settle import settle
from lineage.runs.facts.table import GraphTable


def apply(statements: Sequence[Statement], table: GraphTable, *, changes_max: int = CHANGES_MAX) -> None:
    """Make the statements part of the facts, bring the current graph up to them, and compact the catalogue.

    Whoever dies anywhere in between has changed nothing that the same statements, applied again, do not complete; a
    catalogue of more than `changes_max` changes is compacted by the next who adds to it.
    `Unavailable` if the table refuses, or others keep getting in between.
    """
    merged = merge(all_said(statements), table)
    settle(merged.jobs, table)
    for catalogue in sorted(merged.catalogues):
        compact(catalogue, table, changes_max=changes_max)
