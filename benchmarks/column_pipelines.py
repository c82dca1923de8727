"""The pipelines of the column benchmarks: the jobs of `pipelines`, with column lineage.

A job's outputs have twenty columns with sources in its first input: sixteen are copies, four are computed from four
columns each. Jobs report them by OpenLineage's `columnLineage`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from benchmarks.pipelines import CHAIN, STORE, Step, facet, run_events
from headwater_model.ids import DatasetId

Json: TypeAlias = dict[str, Any]
# The sources of each computed column in the input.
Sources: TypeAlias = Mapping[str, Sequence[str]]

_COPIED = (
    *("carrier", "flight", "tailnum", "origin", "dest", "year", "month", "day"),
    *("distance", "air_time", "dep_delay", "arr_delay", "seats", "engines", "model", "fuel_price"),
)
_COMPUTED = ("fuel_kg", "kg_co2", "kg_co2_per_seat", "speed")
COLUMNS = (*_COPIED, *_COMPUTED)
SOURCES: Sources = {
    **{column: (column,) for column in _COPIED},
    **{column: (column, "distance", "air_time", "seats") for column in _COMPUTED},
}


def column_chain(number: int) -> list[Step]:
    """Build ten jobs: each reads the output of the previous job, and writes the input of the next."""
    name = f"columns_{number:05}"
    return [
        Step(
            f"{name}.step_{position}", f"{name}.nightly", position, (f"{name}/{position}",), (f"{name}/{position + 1}",)
        )
        for position in range(CHAIN)
    ]


def sends_schemas(step: Step, run: int) -> list[Json]:
    """Build a run's events with the columns of its datasets, without column lineage."""
    return [_with_schemas(event) for event in run_events(step, run)]


def sends_column_lineage(step: Step, run: int) -> list[Json]:
    """Build the events of `sends_schemas` with `columnLineage`."""
    return [_with_column_lineage(event) for event in sends_schemas(step, run)]


def dataset(name: str) -> DatasetId:
    """Name a dataset of the pipelines."""
    return DatasetId(STORE, name)


def _with_schemas(event: Json) -> Json:
    fields = [{"name": column, "type": "string"} for column in COLUMNS]
    described = {"schema": facet("SchemaDataset", fields=fields)}
    return {
        **event,
        **{
            side: [_with_facets(side_dataset, described) for side_dataset in event[side]]
            for side in ("inputs", "outputs")
        },
    }


def _with_column_lineage(event: Json) -> Json:
    source = event["inputs"][0]
    fields = {
        column: {"inputFields": list(_input_fields(source, column, names_of))} for column, names_of in SOURCES.items()
    }
    lineage = {"columnLineage": facet("ColumnLineageDataset", fields=fields)}
    return {**event, "outputs": [_with_facets(side_dataset, lineage) for side_dataset in event["outputs"]]}


def _input_fields(source: Json, column: str, names_of: Sequence[str]) -> Iterator[Json]:
    subtype = "IDENTITY" if list(names_of) == [column] else "TRANSFORMATION"
    for name in names_of:
        transformation = {"type": "DIRECT", "subtype": subtype, "description": "", "masking": False}
        yield {
            "namespace": source["namespace"],
            "name": source["name"],
            "field": name,
            "transformations": [transformation],
        }


def _with_facets(side_dataset: Json, facets: Json) -> Json:
    return {**side_dataset, "facets": {**side_dataset["facets"], **facets}}
