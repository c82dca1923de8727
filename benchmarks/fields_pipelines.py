"""The pipelines that columns are measured on: the jobs of `pipelines`, telling what each column is made of.

A job's outputs have twenty columns, all made of its first input's: sixteen are that column, four are worked out of it
and three others. Jobs tell so by OpenLineage's `columnLineage` or by operations, which mean the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from benchmarks.pipelines import CHAIN, STORE, Step, facet, run_events
from lineage_model.ids import DatasetId

Form: TypeAlias = dict[str, Any]
# By column, the columns of the input that it is made of.
MadeOf: TypeAlias = Mapping[str, Sequence[str]]

_REF = (
    *("carrier", "flight", "tailnum", "origin", "dest", "year", "month", "day"),
    *("distance", "air_time", "dep_delay", "arr_delay", "seats", "engines", "model", "fuel_price"),
)
_WORKED_OUT = ("fuel_kg", "kg_co2", "kg_co2_per_seat", "speed")
COLUMNS = (*_REF, *_WORKED_OUT)
MADE_OF: MadeOf = {
    **{column: (column,) for column in _REF},
    **{column: (column, "distance", "air_time", "seats") for column in _WORKED_OUT},
}


def column_chain(number: int) -> list[Step]:
    """Ten jobs: each reads what the one before wrote, and writes for the next."""
    name = f"columns_{number:05}"
    return [
        Step(f"{name}.step_{place}", f"{name}.nightly", place, (f"{name}/{place}",), (f"{name}/{place + 1}",))
        for place in range(CHAIN)
    ]


def wide_step() -> Step:
    """A job of which every output column is made of every input column."""
    return Step("wide.train", "wide.nightly", 0, ("wide/features",), ("wide/scores",))


def sends_schemas(step: Step, run: int) -> list[Form]:
    """A run's events, with the columns of its datasets; what they are made of is not told."""
    return [_with_schemas(form, COLUMNS) for form in run_events(step, run)]


def sends_column_lineage(step: Step, run: int) -> list[Form]:
    """The same, with `columnLineage`."""
    return [_with_column_lineage(form, MADE_OF) for form in sends_schemas(step, run)]


def sends_operations(step: Step, run: int) -> list[Form]:
    """The same, with operations."""
    return [_with_operations(form, operations_of(form, MADE_OF)) for form in sends_schemas(step, run)]


def sends_columns(step: Step, run: int) -> list[Form]:
    """Half of the jobs send `columnLineage`, half operations."""
    return sends_operations(step, run) if step.place % 2 else sends_column_lineage(step, run)


def wide_column_lineage(width: int) -> Form:
    """The COMPLETE of the wide job with so many columns on both sides, told by `columnLineage`."""
    return _with_column_lineage(_wide_event(width), {column: wide_columns(width) for column in wide_columns(width)})


def copied(width: int) -> list[Form]:
    """The COMPLETEs of a job whose columns are all made of one column, and of a job that copies these one by one."""
    made, copy = wide_step(), copying_step()
    first, *_ = names = wide_columns(width)
    ways: list[tuple[Step, MadeOf]] = [
        (made, {name: [first] for name in names}),
        (copy, {name: [name] for name in names}),
    ]
    return [_with_column_lineage(_with_schemas(run_events(step, 0)[1], names), of) for step, of in ways]


def sends_copies(width: int) -> Callable[[Step, int], list[Form]]:
    """Return what sends a run's events with so many columns, each a copy of the input's of its name."""
    names = wide_columns(width)
    made_of = {name: [name] for name in names}
    return lambda step, run: [
        _with_column_lineage(_with_schemas(form, names), made_of) for form in run_events(step, run)
    ]


def copying_step() -> Step:
    """A job that copies what the wide job made."""
    return Step("wide.copy", "wide.nightly", 1, wide_step().outputs, ("wide/copies",))


def wide_operations(width: int) -> Form:
    """The same, told by one operation."""
    form, columns = _wide_event(width), wide_columns(width)
    [source], [made] = form["inputs"], form["outputs"]
    train = _transform("train", "read", columns, columns)
    return _with_operations(
        form, [_read(source, columns), train, _write(made, [("train", column) for column in columns])]
    )


def wide_columns(width: int) -> list[str]:
    """The names of the wide job's columns.

    >>> wide_columns(2)
    ['feature_0000', 'feature_0001']
    """
    return [f"feature_{number:04}" for number in range(width)]


def dataset(name: str) -> DatasetId:
    """A dataset of the pipelines."""
    return DatasetId(STORE, name)


def _wide_event(width: int) -> Form:
    _, complete = run_events(wide_step(), 0)
    return _with_schemas(complete, wide_columns(width))


def _with_schemas(form: Form, columns: Sequence[str]) -> Form:
    fields = [{"name": column, "type": "string"} for column in columns]
    described = {"schema": facet("SchemaDataset", fields=fields)}
    return {**form, **{side: [_with_facets(one, described) for one in form[side]] for side in ("inputs", "outputs")}}


def _with_column_lineage(form: Form, made_of: MadeOf) -> Form:
    source = form["inputs"][0]
    fields = {column: {"inputFields": list(_input_fields(source, column, of))} for column, of in made_of.items()}
    told = {"columnLineage": facet("ColumnLineageDataset", fields=fields)}
    return {**form, "outputs": [_with_facets(one, told) for one in form["outputs"]]}


def _input_fields(source: Form, column: str, of: Sequence[str]) -> Iterator[Form]:
    subtype = "IDENTITY" if list(of) == [column] else "TRANSFORMATION"
    for name in of:
        transformation = {"type": "DIRECT", "subtype": subtype, "description": "", "masking": False}
        yield {
            "namespace": source["namespace"],
            "name": source["name"],
            "field": name,
            "transformations": [transformation],
        }


def operations_of(form: Form, made_of: MadeOf) -> list[Form]:
    """A read, a transform for each column that is worked out, and a write of each output."""
    worked_out = {column: f"work out {column}" for column, of in made_of.items() if list(of) != [column]}
    return [
        _read(form["inputs"][0], list(made_of)),
        *(_transform(name, "read", made_of[column], [column]) for column, name in worked_out.items()),
        *(_write(one, [(worked_out.get(column, "read"), column) for column in made_of]) for one in form["outputs"]),
    ]


def _read(source: Form, columns: Sequence[str]) -> Form:
    return {"type": "READ", "name": "read", "source": _named(source), "outputs": list(columns)}


def _transform(name: str, origin: str, inputs: Sequence[str], outputs: Sequence[str]) -> Form:
    taken = [{"origin": origin, "name": column} for column in inputs]
    return {"type": "TRANSFORM", "name": name, "inputs": taken, "outputs": list(outputs)}


def _write(made: Form, inputs: Sequence[tuple[str, str]]) -> Form:
    taken = [{"origin": origin, "name": column} for origin, column in inputs]
    return {"type": "WRITE", "name": f"write {made['name']}", "inputs": taken, "destination": _named(made)}


def _named(one: Form) -> Form:
    return {"namespace": one["namespace"], "name": one["name"]}


def _with_operations(form: Form, operations: Sequence[Form]) -> Form:
    facets = {**form["run"]["facets"], "headwater_operations": facet("OperationsRun", operations=list(operations))}
    return {**form, "run": {**form["run"], "facets": facets}}


def _with_facets(one: Form, facets: Form) -> Form:
    return {**one, "facets": {**one["facets"], **facets}}
