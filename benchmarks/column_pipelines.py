"""The pipelines of the column benchmarks: the jobs of `pipelines`, with column lineage.

A job's outputs have twenty columns with sources in its first input: sixteen are copies, four are computed from four
columns each. Jobs report them by OpenLineage's `columnLineage` or, with equal meaning, by operations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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


def wide_step() -> Step:
    """Build a job with an edge from every input column to every output column."""
    return Step("wide.train", "wide.nightly", 0, ("wide/features",), ("wide/scores",))


def sends_schemas(step: Step, run: int) -> list[Json]:
    """Build a run's events with the columns of its datasets, without column lineage."""
    return [_with_schemas(event, COLUMNS) for event in run_events(step, run)]


def sends_column_lineage(step: Step, run: int) -> list[Json]:
    """Build the events of `sends_schemas` with `columnLineage`."""
    return [_with_column_lineage(event, SOURCES) for event in sends_schemas(step, run)]


def sends_operations(step: Step, run: int) -> list[Json]:
    """Build the events of `sends_schemas` with operations."""
    return [_with_operations(event, operations_of(event, SOURCES)) for event in sends_schemas(step, run)]


def sends_columns(step: Step, run: int) -> list[Json]:
    """Build events with `columnLineage` for half of the jobs, with operations for the rest."""
    return sends_operations(step, run) if step.position % 2 else sends_column_lineage(step, run)


def wide_column_lineage(width: int) -> Json:
    """Build the COMPLETE of the wide job with `columnLineage` of so many columns on both sides."""
    return _with_column_lineage(_wide_event(width), {column: wide_columns(width) for column in wide_columns(width)})


def sends_copies(width: int) -> Callable[[Step, int], list[Json]]:
    """Build the sender of a run's events with so many columns, each a copy of the input's column of its name."""
    names = wide_columns(width)
    sources = {name: [name] for name in names}
    return lambda step, run: [
        _with_column_lineage(_with_schemas(event, names), sources) for event in run_events(step, run)
    ]


def wide_operations(width: int) -> Json:
    """Build the COMPLETE of the wide job with one operation over so many columns on both sides."""
    event, columns = _wide_event(width), wide_columns(width)
    [source], [output] = event["inputs"], event["outputs"]
    train = _transform("train", "read", columns, columns)
    return _with_operations(
        event, [_read(source, columns), train, _write(output, [("train", column) for column in columns])]
    )


def wide_columns(width: int) -> list[str]:
    """Name the wide job's columns.

    >>> wide_columns(2)
    ['feature_0000', 'feature_0001']
    """
    return [f"feature_{number:04}" for number in range(width)]


def dataset(name: str) -> DatasetId:
    """Name a dataset of the pipelines."""
    return DatasetId(STORE, name)


def _wide_event(width: int) -> Json:
    _, complete = run_events(wide_step(), 0)
    return _with_schemas(complete, wide_columns(width))


def _with_schemas(event: Json, columns: Sequence[str]) -> Json:
    fields = [{"name": column, "type": "string"} for column in columns]
    described = {"schema": facet("SchemaDataset", fields=fields)}
    return {
        **event,
        **{
            side: [_with_facets(side_dataset, described) for side_dataset in event[side]]
            for side in ("inputs", "outputs")
        },
    }


def _with_column_lineage(event: Json, sources: Sources) -> Json:
    source = event["inputs"][0]
    fields = {
        column: {"inputFields": list(_input_fields(source, column, names_of))} for column, names_of in sources.items()
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


def operations_of(event: Json, sources: Sources) -> list[Json]:
    """Build a read, a transform for each computed column, and a write of each output."""
    computed = {column: f"compute {column}" for column, names_of in sources.items() if list(names_of) != [column]}
    return [
        _read(event["inputs"][0], list(sources)),
        *(_transform(name, "read", sources[column], [column]) for column, name in computed.items()),
        *(
            _write(side_dataset, [(computed.get(column, "read"), column) for column in sources])
            for side_dataset in event["outputs"]
        ),
    ]


def _read(source: Json, columns: Sequence[str]) -> Json:
    return {"type": "READ", "name": "read", "source": _name_dataset(source), "outputs": list(columns)}


def _transform(name: str, origin: str, inputs: Sequence[str], outputs: Sequence[str]) -> Json:
    fields = [{"origin": origin, "name": column} for column in inputs]
    return {"type": "TRANSFORM", "name": name, "inputs": fields, "outputs": list(outputs)}


def _write(output: Json, inputs: Sequence[tuple[str, str]]) -> Json:
    fields = [{"origin": origin, "name": column} for origin, column in inputs]
    return {"type": "WRITE", "name": f"write {output['name']}", "inputs": fields, "destination": _name_dataset(output)}


def _name_dataset(side_dataset: Json) -> Json:
    return {"namespace": side_dataset["namespace"], "name": side_dataset["name"]}


def _with_operations(event: Json, operations: Sequence[Json]) -> Json:
    facets = {**event["run"]["facets"], "headwater_operations": facet("OperationsRun", operations=list(operations))}
    return {**event, "run": {**event["run"], "facets": facets}}


def _with_facets(side_dataset: Json, facets: Json) -> Json:
    return {**side_dataset, "facets": {**side_dataset["facets"], **facets}}
