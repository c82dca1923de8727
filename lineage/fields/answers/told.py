"""What tellings tell of datasets: their columns, read by content."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from lineage.fields.columns import Columns, columns_from_json, over, unite
from lineage.names import DatasetId
from lineage.runs.facts.keys import telling_key
from lineage.runs.facts.table import GraphTable, Key, Row
from lineage.runs.facts.tellings import OPERATIONS_KIND

# The tellings by which one run told of a dataset, and the dataset under the name that was told.
Ask: TypeAlias = tuple[tuple[str, ...], DatasetId]


def read_columns(asks: Iterable[Ask], table: GraphTable) -> dict[Ask, Columns]:
    """The columns of each; one round of requests, whatever their number."""
    wanted = set(asks)
    keys = keys_of(wanted)
    return told_in(wanted, table.get(keys.values()) if keys else {})


def keys_of(asks: Iterable[Ask]) -> dict[tuple[str, DatasetId], Key]:
    """Where the columns lie, by telling and dataset."""
    return {(telling, dataset): telling_key(telling, dataset) for tellings, dataset in asks for telling in tellings}


def told_in(asks: Iterable[Ask], rows: Mapping[Key, Row]) -> dict[Ask, Columns]:
    """The columns of each, out of rows that were read."""
    wanted = set(asks)
    keys = keys_of(wanted)
    told = {one: columns_from_json(rows[key].data) for one, key in keys.items() if key in rows}
    return {
        (tellings, dataset): compose([(one, told[one, dataset]) for one in tellings if (one, dataset) in told])
        for tellings, dataset in wanted
    }


def compose(told: Sequence[tuple[str, Columns]]) -> Columns:
    """What one run told by several tellings: operations win column by column, they were recorded by hand."""
    by_hand = [columns for telling, columns in told if telling.startswith(OPERATIONS_KIND)]
    rest = [columns for telling, columns in told if not telling.startswith(OPERATIONS_KIND)]
    return over(unite(by_hand), unite(rest))
