"""What tellings tell of datasets: their columns, read by content."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from lineage.fields.columns import Columns, columns_from_json, over, unite
from lineage.names import DatasetId
from lineage.runs.facts.keys import telling_key
from lineage.runs.facts.table import GraphTable

# The tellings by which one run told of a dataset, and the dataset under the name that was told.
Ask: TypeAlias = tuple[tuple[str, ...], DatasetId]
_OPERATIONS = "O"


def read_columns(asks: Iterable[Ask], table: GraphTable) -> dict[Ask, Columns]:
    """The columns of each; one round of requests, whatever their number."""
    wanted = set(asks)
    keys = {(telling, dataset): telling_key(telling, dataset) for tellings, dataset in wanted for telling in tellings}
    rows = table.get(keys.values()) if keys else {}
    told = {one: columns_from_json(rows[key].data) for one, key in keys.items() if key in rows}
    return {
        (tellings, dataset): compose([(one, told[one, dataset]) for one in tellings if (one, dataset) in told])
        for tellings, dataset in wanted
    }


def compose(told: Sequence[tuple[str, Columns]]) -> Columns:
    """What one run told by several tellings: operations win column by column, they were recorded by hand."""
    by_hand = [columns for telling, columns in told if telling.startswith(_OPERATIONS)]
    rest = [columns for telling, columns in told if not telling.startswith(_OPERATIONS)]
    return over(unite(by_hand), unite(rest))
