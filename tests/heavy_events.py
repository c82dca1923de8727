"""Heavy events, each in a single respect: wide, deep, long, repeated, of many mentions.

A shape makes an event of a number of things and the size of a name. `tests/unit/loading/test_heavy_events.py`
searches the shapes for an event above its estimated cost, `benchmarks/heavy_events.py` measures them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

Shape: TypeAlias = Callable[[int, int], dict[str, Any]]
_LAKE = "s3://lake"


def _name(number: int, size: int, letters: str = "x") -> str:
    """Make a name of a number and letters: `_name(7, 3)` is `7_xxx`."""
    return f"{number}_{(letters * size)[:size]}"


def _dataset(name: str, namespace: str = _LAKE, **facets: Any) -> dict[str, Any]:
    return {"namespace": namespace, "name": name, **({"facets": facets} if facets else {})}


def _run(*inputs: Any, outputs: Any = (), run: Any = None, job: Any = None) -> dict[str, Any]:
    return {
        "eventType": "COMPLETE",
        "eventTime": "2025-11-20T12:00:00Z",
        "producer": "https://example.com/heavy",
        "run": {"runId": "0176a8c2-fe01-7439-87e6-56a1a1b4029f", "facets": run or {}},
        "job": {"namespace": "lake", "name": "heavy", "facets": job or {}},
        "inputs": [*inputs],
        "outputs": [*outputs],
    }


def _schema(fields: list[dict[str, Any]]) -> dict[str, Any]:
    return _run(outputs=[_dataset("raw", schema={"fields": fields})])


def nested_schema(number: int, size: int) -> dict[str, Any]:
    """Leaves inside forty structs."""
    fields: list[dict[str, Any]] = [{"name": f"leaf_{leaf}", "type": "string"} for leaf in range(number)]
    for depth in range(40):
        fields = [{"name": _name(depth, size), "type": "struct", "fields": fields}]
    return _schema(fields)


def wide_schema(number: int, size: int) -> dict[str, Any]:
    """Columns of three words."""
    names = (f"{_name(column, size)}_{column % 97:x}_{column * 7919 % 99_991:x}" for column in range(number))
    return _schema([{"name": name, "type": "string"} for name in names])


def schema_of_many_words(number: int, size: int) -> dict[str, Any]:
    """Columns with a word every two letters."""
    return _schema([{"name": _name(column, size, "aBcDeFgHiJkLmNoP")} for column in range(number)])


def schema_of_many_letters(number: int, size: int) -> dict[str, Any]:
    """Columns, each with a different first letter."""
    return _schema([{"name": chr(0x4E00 + column % 20_000) + "x" * size} for column in range(number)])


def datasets(number: int, size: int) -> dict[str, Any]:
    """Inputs, and as many outputs."""
    names = [_dataset(_name(dataset, size)) for dataset in range(number)]
    return _run(*names[: number // 2], outputs=names[number // 2 :])


def datasets_of_many_words(number: int, size: int) -> dict[str, Any]:
    """Inputs whose names have a word every two letters."""
    return _run(*(_dataset(_name(dataset, size, "aB")) for dataset in range(number)))


def described_datasets(number: int, size: int) -> dict[str, Any]:
    """Outputs, each with columns, tags, an owner, a source and an alias."""

    def described(dataset: int) -> dict[str, Any]:
        return _dataset(
            _name(dataset, size),
            schema={"fields": [{"name": f"column_{dataset}_{column}"} for column in range(5)]},
            columnLineage={"fields": {"a": {"inputFields": [{**_dataset(f"from_{dataset}"), "field": "b"}]}}},
            tags={"tags": [{"key": f"tag{dataset}"}, {"key": f"mark{dataset}", "field": "a"}]},
            ownership={"owners": [{"name": f"owner{dataset}"}]},
            dataSource={"name": f"source{dataset}", "uri": "s3://lake"},
            symlinks={"identifiers": [_dataset(f"other{dataset}", "glue")]},
        )

    return _run(outputs=map(described, range(number)))


def other_names(number: int, size: int) -> dict[str, Any]:
    """Aliases of a dataset."""
    links = [_dataset(_name(other, size), "glue") for other in range(number)]
    return _run(outputs=[_dataset("raw", symlinks={"identifiers": links})])


def tags_and_owners(number: int, size: int) -> dict[str, Any]:
    """Tags and owners of a dataset."""
    tags = {"tags": [{"key": _name(tag, size)} for tag in range(number)]}
    owners = {"owners": [{"name": _name(owner, size)} for owner in range(number)]}
    return _run(outputs=[_dataset("raw", tags=tags, ownership=owners)])


def columns_of_one(number: int, size: int) -> dict[str, Any]:
    """Columns with ten sources each."""
    fields: dict[str, Any] = {
        _name(column, size): {
            "inputFields": [
                {**_dataset("raw"), "field": f"{column}_{source}", "transformations": [{"type": "DIRECT"}]}
                for source in range(10)
            ]
        }
        for column in range(number)
    }
    return _run(outputs=[_dataset("checked", columnLineage={"fields": fields})])


def whole_dataset(number: int, size: int) -> dict[str, Any]:
    """Columns of a dataset, and as many sources of the whole dataset."""
    sources = [{**_dataset(_name(source, size)), "field": "x"} for source in range(number)]
    fields: dict[str, Any] = {f"column_{column}": {"inputFields": []} for column in range(number)}
    return _run(outputs=[_dataset("checked", columnLineage={"fields": fields, "dataset": sources})])


def mentions(number: int, size: int) -> dict[str, Any]:
    """A dataset, mentioned again and again, each time with a new column."""

    def mention(column: int) -> dict[str, Any]:
        source = {**_dataset("raw"), "field": f"column_{column}"}
        fields = {_name(column, size): {"inputFields": [source]}}
        return _dataset("checked", columnLineage={"fields": fields}, documentation={"description": f"{column}"})

    return _run(*map(mention, range(number)), outputs=map(mention, range(number)))


def partitions(number: int, size: int) -> dict[str, Any]:
    """A dataset, mentioned by each of its partitions."""

    def partition(day: int) -> dict[str, Any]:
        condition = {"type": "location", "locations": [f"{_LAKE}/{_name(day, size)}"]}
        return {**_dataset(f"raw/day={day}"), "inputFacets": {"subset": {"inputCondition": condition}}}

    return _run(*map(partition, range(number)))


def failed_tests(number: int, size: int) -> dict[str, Any]:
    """Failed tests of a dataset."""
    tests = [{"assertion": _name(test, size), "success": False, "column": f"{test}"} for test in range(number)]
    return _run({**_dataset("raw"), "inputFacets": {"dataQualityAssertions": {"assertions": tests}}})


def other_jobs(number: int, size: int) -> dict[str, Any]:
    """Jobs before the run: upstream by control, and as sources of data."""
    waits = [{"job": _dataset(_name(job, size), "airflow")} for job in range(number)]
    takes = [{"type": "JOB", **_dataset(_name(job, size), "dbt")} for job in range(number)]
    entries = [{"type": "DATASET", **_dataset("checked"), "inputs": takes}]
    return _run(run={"jobDependencies": {"upstream": waits}}, job={"lineage": {"entries": entries}})


def entries(number: int, size: int) -> dict[str, Any]:
    """Entries of the job's `lineage` facet."""
    listed = [
        {"type": "DATASET", **_dataset(_name(entry, size)), "inputs": [{"type": "DATASET", **_dataset(f"in_{entry}")}]}
        for entry in range(number)
    ]
    return _run(job={"lineage": {"entries": listed}})


def operations(number: int, size: int) -> dict[str, Any]:
    """Datasets read and written by a single transform, each written from all."""
    reads = [
        {"type": "READ", "name": f"r{each}", "source": _dataset(f"r{each}"), "outputs": ["a"]} for each in range(number)
    ]
    inputs = [{"origin": f"r{each}", "name": "a"} for each in range(number)]
    transform = {"type": "TRANSFORM", "name": "t", "inputs": inputs, "outputs": [_name(0, size)]}
    taken = [{"origin": "t", "name": _name(0, size)}]
    writes = [
        {"type": "WRITE", "name": f"w{each}", "inputs": taken, "destination": _dataset(f"w{each}")}
        for each in range(number)
    ]
    return _run(run={"headwater_operations": {"operations": [*reads, transform, *writes]}})


def facets(number: int, size: int) -> dict[str, Any]:
    """Facets of custom names."""
    return _run(run={_name(facet, size): {"value": facet} for facet in range(number)})


def lists(number: int, size: int) -> dict[str, Any]:
    """Lists in a facet."""
    return _run(run={"custom": {"lists": [[_name(each, size)] for each in range(number)]}})


SHAPES: Mapping[str, Shape] = {
    shape.__name__: shape
    for shape in (
        nested_schema,
        wide_schema,
        schema_of_many_words,
        schema_of_many_letters,
        datasets,
        datasets_of_many_words,
        described_datasets,
        other_names,
        tags_and_owners,
        columns_of_one,
        whole_dataset,
        mentions,
        partitions,
        failed_tests,
        other_jobs,
        entries,
        operations,
        facets,
        lists,
    )
}
