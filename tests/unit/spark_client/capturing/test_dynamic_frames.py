"""Columns of DynamicFrames: chains of transforms, compared with records whose values are the names of their sources."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple, TypeAlias

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from headwater_model.columns import ColumnSource
from headwater_model.field_paths import print_dotted
from headwater_model.ids import DatasetId, FieldPath
from spark_client.capturing.glue.columns import evaluate
from spark_client.capturing.glue.open_relations import OpenRelation, closed, opened
from spark_client.capturing.glue.steps import Step, noted
from spark_client.capturing.plans.values import IDENTITY, Dependency, Value, flat

Known: TypeAlias = Literal["whole", "catalog", "no"]
# A leaf of a record has the names of its source leaves.
Record = Mapping[str, Any]
# A column of no frame.
MISSING = "zz"
SCHEMAS: dict[str, Record] = {
    "t": {"a": "", "b": "", "c": "", "s": {"x": "", "y": ""}},
    "u": {"a": "", "d": "", "s": {"x": ""}},
    "v": {"e": "", "b": ""},
}


def column(table: str, name: str) -> Value:
    return Value(frozenset({Dependency(ColumnSource(DatasetId("db", table), (name,)), IDENTITY)}))


def evaluated(step: Step, tables: Mapping[str, Known]) -> OpenRelation:
    """Evaluate a step to its frame; tables are known as a frame of Spark's, by a catalog, or not at all."""

    def leaf(kind: str, arguments: Mapping[str, Any]) -> OpenRelation:
        table = arguments["table"]
        columns = {name: column(table, name) for name in SCHEMAS[table]}
        frame = opened(lambda name: column(table, name))
        frames = {"whole": closed(columns), "catalog": replace(frame, fields=columns, is_declared=True), "no": frame}
        return frames[tables[table]]

    return evaluate(json.loads(noted(step).text), leaf)


WHOLE: dict[str, Known] = dict.fromkeys(SCHEMAS, "whole")


class Model(NamedTuple):
    """A frame by its step and by its record, and the sources of its choice of records."""

    step: Step
    record: Record
    rows: frozenset[str]


def source(table: str) -> Model:
    def leaves(record: Record, path: str) -> Record:
        return {
            name: leaves(inside, f"{path}.{name}") if isinstance(inside, dict) else frozenset({f"{path}.{name}"})
            for name, inside in record.items()
        }

    return Model(Step("source", (), {"table": table}), leaves(SCHEMAS[table], table), frozenset())


def sources_in(value: Any) -> frozenset[str]:
    return frozenset().union(*map(sources_in, value.values())) if isinstance(value, dict) else value


def value_at(record: Record, path: FieldPath) -> Any:
    value: Any = record
    for name in path:
        value = value[name]
    return value


def with_value(record: Record, path: str, value: Any) -> Record:
    name, _, inside = path.partition(".")
    around = record.get(name)
    return {**record, name: with_value(around if isinstance(around, dict) else {}, inside, value) if inside else value}


def paths_of(record: Record) -> list[FieldPath]:
    inside = [(name, *each) for name, value in record.items() if isinstance(value, dict) for each in paths_of(value)]
    return [*((name,) for name in record), *inside]


def select(model: Model, draw: Any) -> Model:
    paths = draw(st.lists(st.sampled_from([*model.record, MISSING]), min_size=1, max_size=3))
    record = {path: model.record[path] for path in paths if path in model.record}
    return model._replace(step=Step("select_fields", (model.step,), {"paths": paths}), record=record)


def drop(model: Model, draw: Any) -> Model:
    paths = draw(st.lists(st.sampled_from([*model.record, MISSING]), max_size=2))
    record = {name: value for name, value in model.record.items() if name not in paths}
    return model._replace(step=Step("drop_fields", (model.step,), {"paths": paths}), record=record)


def rename(model: Model, draw: Any) -> Model:
    before = draw(st.sampled_from([*model.record, MISSING]))
    after = draw(st.sampled_from([name for name in ("n1", "n2", "a") if name not in model.record] or [before]))
    step = Step("rename_field", (model.step,), {"oldName": before, "newName": after})
    if before not in model.record:
        return model._replace(step=step) if before == after else model
    record = {name: value for name, value in model.record.items() if name != before}
    return model._replace(step=step, record={**record, after: model.record[before]})


def mapping(model: Model, draw: Any) -> Model:
    sources = draw(st.lists(st.sampled_from(paths_of(model.record)), min_size=1, max_size=4, unique=True))
    targets = draw(st.permutations(["m", "o.p", "o.q", "a"]))[: len(sources)]
    types = draw(st.lists(st.sampled_from(["string", "int", "bigint"]), min_size=4, max_size=4))
    record: Record = {}
    mappings = []
    for path, target, kind in zip(sources, targets, types, strict=False):
        mappings.append([print_dotted(path), "string", target, kind])
        value = value_at(model.record, path)
        record = with_value(record, target, value if kind == "string" else sources_in(value))
    return model._replace(step=Step("apply_mapping", (model.step,), {"mappings": mappings}), record=record)


def cast(model: Model, draw: Any) -> Model:
    name = draw(st.sampled_from([*model.record]))
    step = Step("resolveChoice", (model.step,), {"specs": [[name, "cast:long"]], "choice": ""})
    return model._replace(step=step, record={**model.record, name: sources_in(model.record[name])})


def choose(model: Model, draw: Any) -> Model:
    choice = draw(st.sampled_from(["make_struct", "match_catalog", "cast:int"]))
    return model._replace(step=Step("resolveChoice", (model.step,), {"specs": [], "choice": choice}))


def filtered(model: Model, draw: Any) -> Model:
    return model._replace(step=Step("filter", (model.step,), {"f": "f"}), rows=model.rows | sources_in(model.record))


def split(model: Model, draw: Any) -> Model:
    name = draw(st.sampled_from([*model.record]))
    step = Step("split_rows", (model.step,), {"paths": [name]})
    return model._replace(step=step, rows=model.rows | sources_in(model.record[name]))


def function(model: Model, draw: Any) -> Model:
    sources = sources_in(model.record)
    return model._replace(step=Step("map", (model.step,), {"f": "f"}), record={"made": sources, "a": sources})


def merged(record: Any, other: Any) -> Any:
    if isinstance(record, dict) and isinstance(other, dict):
        return {
            name: merged(record.get(name, frozenset()), other.get(name, frozenset())) for name in {**record, **other}
        }
    return sources_in(record) | sources_in(other)


def union(model: Model, other: Model, draw: Any) -> Model:
    names = {**model.record, **other.record}
    record = {name: merged(model.record.get(name, frozenset()), other.record.get(name, frozenset())) for name in names}
    return Model(Step("union", (model.step, other.step), {}), record, model.rows | other.rows)


def join(model: Model, other: Model, draw: Any) -> Model:
    ours, theirs = draw(st.sampled_from([*model.record])), draw(st.sampled_from([*other.record]))
    right = {f".{name}" if name in model.record else name: value for name, value in other.record.items()}
    rows = model.rows | other.rows | sources_in(model.record[ours]) | sources_in(other.record[theirs])
    step = Step("join", (model.step, other.step), {"paths1": [ours], "paths2": [theirs]})
    return Model(step, {**right, **model.record}, rows)


ONE = (select, drop, rename, mapping, cast, choose, filtered, split, function)


@st.composite
def chains(draw: Any) -> Model:
    model = source("t")
    for _ in range(draw(st.integers(1, 6))):
        if not model.record:
            break
        step = draw(st.sampled_from([*ONE, union, join]))
        if step in (union, join):
            other = draw(st.sampled_from([source("u"), source("v"), select(source("u"), draw)]))
            model = step(model, other, draw) if other.record else model
            continue
        model = step(model, draw)
    return model


def leaves_of(value: Value) -> frozenset[str]:
    """List the sources of a value; a struct counts as all its fields."""
    names: set[str] = set()
    for dependency in flat(value).made_of:
        path = ".".join((dependency.source.dataset.name, *(dependency.source.field or ())))
        inside: Any = SCHEMAS
        for part in path.split("."):
            inside = inside[part] if isinstance(inside, dict) else inside
        names |= {f"{path}.{name}" for name in inside} if isinstance(inside, dict) else {path}
    return frozenset(names)


def is_same_or_unknown(frame: OpenRelation, model: Model) -> None:
    """Compare, except where a column is marked unknown."""
    for name, value in model.record.items():
        column = frame.get(name)
        assert leaves_of(column) == sources_in(value) or flat(column).unknown, name
        assert leaves_of(column) <= sources_in(value), name
    assert leaves_of(Value(frame.rows)) <= model.rows


@pytest.mark.parametrize("known", ["whole", "catalog"])
@given(model=chains())
def test_columns_of_known_tables_are_those_of_their_records(known: Known, model: Model) -> None:
    text = noted(model.step).text
    assume(known == "whole" or MISSING not in text)
    frame = evaluated(model.step, dict.fromkeys(SCHEMAS, known))
    if '"map"' in text:  # the columns made by a function are not known
        is_same_or_unknown(frame, model)
        return
    assert set(frame.columns or ()) == set(model.record)
    for name, value in model.record.items():
        column = frame.get(name)
        assert (leaves_of(column), flat(column).unknown) == (sources_in(value), frozenset()), name
    assert leaves_of(Value(frame.rows)) == model.rows


@given(
    model=chains(), tables=st.fixed_dictionaries(dict.fromkeys(SCHEMAS, st.sampled_from(["whole", "catalog", "no"])))
)
def test_columns_of_tables_that_nobody_knows_are_the_same_or_unknown(model: Model, tables: dict[str, Known]) -> None:
    assume(MISSING not in noted(model.step).text)
    is_same_or_unknown(evaluated(model.step, tables), model)


@given(kind=st.text(max_size=5), arguments=st.dictionaries(st.sampled_from(["paths", "f", "specs"]), st.text()))
def test_a_step_that_nobody_knows_has_unknown_columns(kind: str, arguments: dict[str, str]) -> None:
    frame = evaluated(Step(f"_{kind}", (source("t").step,), arguments), WHOLE)
    assert frame.get("a").unknown


@pytest.mark.parametrize("kind", ["apply_mapping", "select_fields", "join", "filter", "resolveChoice", "unbox"])
def test_a_fault_in_a_rule_costs_columns_alone(kind: str) -> None:
    frame = evaluated(Step(kind, (source("t").step,), {}), WHOLE)
    assert "its rule failed" in next(iter(frame.get("a").unknown))


def test_a_frame_of_very_many_steps_is_known_by_what_it_reads() -> None:
    step = source("t").step
    for number in range(3_000):
        step = Step("rename_field", (step,), {"oldName": f"n{number}", "newName": f"n{number + 1}"})
    steps = json.loads(noted(Step("sink", (step,), {"connection_type": "s3"})).text)
    assert [kind for kind, _, _ in steps] == ["source", "steps", "sink"]
    frame = evaluated(Step("sink", (step,)), WHOLE)
    assert frame.get("a").unknown


def test_steps_are_there_once_however_often_they_are_taken() -> None:
    step = source("t").step
    for _ in range(40):
        step = Step("union", (step, step), {})
    assert len(json.loads(noted(step).text)) == 41
