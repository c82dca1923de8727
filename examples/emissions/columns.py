"""What the code of a step tells of its columns: OpenLineage's `columnLineage`, with a line for each column that is new.

Steps that a reader of SQL understands are told so; the estimate, whose formula is Python, records its operations.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from openlineage.client.facet_v2 import column_lineage_dataset as told

from examples.emissions.jobs import dataset_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# OpenLineage's words for what goes into a value; its others (FILTER, GROUP_BY, CONDITIONAL, ...) only decide about it.
_DIRECT = ("IDENTITY", "TRANSFORMATION", "AGGREGATION")


class Made(NamedTuple):
    """How a column is made of others; `how` is one of OpenLineage's subtypes."""

    of: tuple[str, ...]
    how: str
    said: str | None = None


def columns_of(
    location: str,
    read: DataFrame,
    written: DataFrame,
    new: Mapping[str, Made],
    rows: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> told.ColumnLineageDatasetFacet:
    """The columns of a frame that was made of what lies at a location: `new` ones, and copies of those read.

    `rows` says which columns decided which rows there are, by OpenLineage's subtype: `{"FILTER": ("dep_time",)}`.
    """
    copies = {name: Made((name,), "IDENTITY") for name in written.columns if name in read.columns}
    made = {name: one for name, one in {**copies, **new}.items() if name in written.columns}
    return told.ColumnLineageDatasetFacet(
        fields={name: told.Fields(_inputs(location, one)) for name, one in made.items()},
        dataset=[one for how, names in rows.items() for one in _inputs(location, Made(names, how))],
    )


def _inputs(location: str, made: Made) -> list[told.InputField]:
    kind = "DIRECT" if made.how in _DIRECT else "INDIRECT"
    how = told.Transformation(kind, made.how, made.said, masking=False)
    return [told.InputField(*dataset_of(location), name, [how]) for name in made.of]
