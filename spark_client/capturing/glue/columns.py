"""Columns of Glue's DynamicFrames: made by steps from sources and Spark's frames, by the names of columns.

A DynamicFrame has no schema before its records are read. So a frame may be open: it may have more columns than its
steps name. `evaluate` takes the steps noted by `glue.frames`, parents first. Names, arguments and effects of steps:
https://docs.aws.amazon.com/glue/latest/dg/aws-glue-api-crawler-pyspark-extensions-dynamic-frame.html
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from headwater_model.columns import Transformation
from headwater_model.field_paths import parse_dotted
from headwater_model.ids import FieldPath
from spark_client.capturing.glue.open_relations import OpenRelation, Rest, Tree, keep_rest, without
from spark_client.capturing.plans.values import (
    CHANGED,
    FILTER,
    JOIN,
    NOTHING,
    SOMEHOW,
    Dependency,
    Value,
    change,
    keep,
    merge_values,
    unknown,
)

# Synonyms among Glue's types, and the types without a choice of several types.
_SAME_TYPES = {"integer": "int", "bigint": "long", "smallint": "short", "tinyint": "byte"}
_ATOMIC = frozenset(
    {"string", "int", "long", "short", "byte", "float", "double", "boolean", "date", "timestamp", "binary"}
)


def evaluate(steps: Sequence[Any], leaf: Callable[[str, Mapping[str, Any]], OpenRelation]) -> OpenRelation:
    """Compute the frame of the last step; `["select_fields", [0], {"paths": ["id"]}]` has its parent at place 0.

    `leaf` makes the frame of a step without parents, by kind and arguments. A fault in a rule costs columns alone.
    """
    frames: list[OpenRelation] = []
    for kind, parents, arguments in steps:
        inputs = [frames[parent] for parent in parents]
        rule = _RULES.get(kind)
        try:
            frame = leaf(kind, arguments) if not inputs else rule(inputs, arguments) if rule else _unknown(kind, inputs)
        except Exception as error:  # noqa: BLE001 - a fault in a rule costs columns, never the write
            frame = _unknown(kind, inputs, f"its rule failed: {type(error).__name__}: {error}")
        frames.append(frame)
    return frames[-1]


Rule: TypeAlias = Callable[[Sequence[OpenRelation], Mapping[str, Any]], OpenRelation]


def _same(inputs: Sequence[OpenRelation], arguments: Mapping[str, Any]) -> OpenRelation:  # noqa: ARG001 - a rule
    return inputs[0]


def _unknown(kind: str, inputs: Sequence[OpenRelation], why: str = "its columns are not known") -> OpenRelation:
    value = unknown(f"{kind}: {why}")
    return OpenRelation(rest=lambda _: value, rows=_rows(inputs))


def _rows(inputs: Sequence[OpenRelation]) -> frozenset[Dependency]:
    return frozenset().union(*(frame.rows for frame in inputs))


def _decided(frame: OpenRelation, how: Transformation, values: Iterable[Value]) -> OpenRelation:
    return replace(frame, rows=frame.rows | change(how, values).made_of)


def _mapping(inputs: Sequence[OpenRelation], arguments: Mapping[str, Any]) -> OpenRelation:
    """Apply mappings: source, its type, target, its type. A missing source makes no column."""
    [frame], tree = inputs, Tree()
    for mapping in arguments["mappings"]:
        if len(mapping) != 4:
            return _unknown("ApplyMapping", inputs, "its mappings name no types")
        source, before, target, after = map(str, mapping)
        value = frame.at(parse_dotted(source))
        if value is not None:
            casts = _type(before) != _type(after)
            tree.put(parse_dotted(target), change(CHANGED, [value]) if casts else value, typed=_type(after) in _ATOMIC)
    return tree.relation(frame.rows)


def _type(word: str) -> str:
    return _SAME_TYPES.get(word.strip().lower(), word.strip().lower())


def _select(inputs: Sequence[OpenRelation], arguments: Mapping[str, Any]) -> OpenRelation:
    [frame], tree = inputs, Tree()
    for text in arguments["paths"]:
        path = parse_dotted(text)
        value = frame.at(path)
        if value is not None:
            tree.put(path, value, typed=len(path) == 1 and path[0] in frame.typed)
    return tree.relation(frame.rows)


def _drop(inputs: Sequence[OpenRelation], arguments: Mapping[str, Any]) -> OpenRelation:
    [frame] = inputs
    for text in arguments["paths"]:
        frame = without(frame, parse_dotted(text))
    return frame


def _rename(inputs: Sequence[OpenRelation], arguments: Mapping[str, Any]) -> OpenRelation:
    [frame] = inputs
    before, after = parse_dotted(arguments["oldName"]), parse_dotted(arguments["newName"])
    value = frame.at(before)
    if value is None or before == after:
        return frame
    tree = Tree(without(frame, before))
    tree.put(after, value, typed=before[0] in frame.typed)
    return tree.relation(frame.rows)


def _filter(inputs: Sequence[OpenRelation], arguments: Mapping[str, Any]) -> OpenRelation:
    """Choose records by a Python function, of any known columns."""
    how = replace(FILTER, description=f"opaque: Filter {arguments['f']}")
    return _decided(inputs[0], how, (inputs[0].columns or {}).values())


def _split_rows(inputs: Sequence[OpenRelation], arguments: Mapping[str, Any]) -> OpenRelation:
    return _decided(inputs[0], FILTER, inputs[0].known(arguments["paths"]))


def _opaque(inputs: Sequence[OpenRelation], arguments: Mapping[str, Any]) -> OpenRelation:
    """Apply a Python function to records: each column depends on all input columns."""
    columns, name = inputs[0].columns, f"Map {arguments['f']}"
    if columns is None:
        return _unknown(name, inputs, "a function of columns that are not known")
    value = change(Transformation("DIRECT", "TRANSFORMATION", f"opaque: {name}", masking=False), columns.values())
    return OpenRelation(rest=lambda _: value, rows=_rows(inputs))


def _choice(inputs: Sequence[OpenRelation], arguments: Mapping[str, Any]) -> OpenRelation:
    """Resolve choices of types: in the columns of `specs`, and by `choice` in all columns of unknown types."""
    [frame] = inputs
    for text, action in arguments["specs"] or ():
        frame = _resolved(frame, text, action)
    if not arguments["choice"]:
        return frame
    splits = str(arguments["choice"]).lower() == "make_cols"
    fields = {
        name: value if value is None or name in frame.typed else keep(SOMEHOW, value)
        for name, value in frame.fields.items()
    }
    loose = [name for name in fields if name not in frame.typed]
    if splits and (frame.rest or loose):
        return replace(frame, fields=fields, rest=_columns_by_type(frame, loose), is_declared=False)
    return replace(frame, fields=fields, rest=keep_rest(frame.rest, SOMEHOW))


def _resolved(frame: OpenRelation, text: str, action: str) -> OpenRelation:
    """Resolve a choice of types: by a cast, or by columns or a struct of its types."""
    path = parse_dotted(text.replace("[]", ""))
    value = frame.at(path)
    if value is None:
        return frame
    changed = change(CHANGED, [value])
    if action.lower() == "make_cols":
        others = without(frame, path)
        return replace(others, rest=_named_by_type(others.rest, ".".join(path), changed))
    tree = Tree(frame)
    if len(path) > 1 and not _is_made(frame, path):
        return frame if action.lower() == "make_struct" else _changed(frame, path[0])
    tree.put(path, changed, typed=len(path) == 1 and action.lower() != "make_struct")
    return tree.relation(frame.rows)


def _is_made(frame: OpenRelation, path: FieldPath) -> bool:
    value = frame.find(path[0])
    return value is not None and bool(value.fields)


def _changed(frame: OpenRelation, name: str) -> OpenRelation:
    """Cast a field inside a column: the whole column changes in some way."""
    return replace(frame, fields={**frame.fields, name: keep(SOMEHOW, frame.get(name))})


def _named_by_type(rest: Rest | None, name: str, value: Value) -> Rest:
    def find(column: str) -> Value | None:
        if _is_of_type(column, name):
            return value
        return rest(column) if rest else None

    return find


def _columns_by_type(frame: OpenRelation, loose: Sequence[str]) -> Rest:
    """Make the finder of `price_int`, made of a choice `price`; all else in an open frame is unknown."""
    lost = unknown("ResolveChoice: make_cols names columns by their types")

    def find(column: str) -> Value | None:
        owners = [name for name in loose if _is_of_type(column, name)]
        if len(owners) == 1 and (value := frame.fields[owners[0]]) is not None:
            return change(CHANGED, [value])
        return lost if frame.rest or owners else None

    return find


def _is_of_type(column: str, name: str) -> bool:
    return re.fullmatch(rf"{re.escape(name)}_[a-z]+", column, re.IGNORECASE) is not None


def _join(inputs: Sequence[OpenRelation], arguments: Mapping[str, Any]) -> OpenRelation:
    """Join the columns of two frames; a right column with a name of the left begins with a dot: `.id`."""
    left, right = inputs
    rows = _decided(left, JOIN, left.known(arguments["paths1"])).rows
    rows |= _decided(right, JOIN, right.known(arguments["paths2"])).rows
    left, right = _having(left, arguments["paths1"]), _having(right, arguments["paths2"])
    fields: dict[str, Value | None] = dict(left.fields)
    typed = set(left.typed)
    for name, value in right.fields.items():
        place = None if value is None else f".{name}" if left.fields.get(name) is not None else name
        if place is not None and (place != name or not left.is_open or name in left.fields):
            fields[place] = value
            typed |= {place} if name in right.typed else set()
    rest = _of_either(left, right) if left.rest or right.rest else None
    return OpenRelation(fields, rest, rows, frozenset(typed), not (left.is_open or right.is_open))


def _having(frame: OpenRelation, keys: Iterable[str]) -> OpenRelation:
    """Add the keys of a join to the known columns of an open frame."""
    names = [path[0] for path in map(parse_dotted, keys) if len(path) == 1 and path[0] not in frame.fields]
    added = {name: value for name in names if frame.is_open and (value := frame.find(name)) is not None}
    return replace(frame, fields={**frame.fields, **added})


def _of_either(left: OpenRelation, right: OpenRelation) -> Rest:
    lost = unknown("Join: a column of either frame")

    def find(name: str) -> Value | None:
        if name.startswith("."):
            return right.find(name[1:])
        named, ours, theirs = right.named(name), left.rest and left.rest(name), right.find(name)
        if named is not None and not left.is_open:
            return named
        return lost if ours is not None and theirs is not None else ours or theirs

    return find


def _union(inputs: Sequence[OpenRelation], arguments: Mapping[str, Any]) -> OpenRelation:
    """Unite the records of both frames; in a merge by keys, the keys decide about records."""
    names = dict.fromkeys(name for frame in inputs for name in frame.fields)
    there = [name for name in names if any(frame.is_open or frame.named(name) is not None for frame in inputs)]
    fields = {**dict.fromkeys(names), **{name: _any_of(inputs, name) for name in there}}
    rest = (lambda name: _any_of(inputs, name)) if any(frame.rest for frame in inputs) else None
    keys = [value for frame in inputs for value in frame.known(arguments.get("primary_keys") or ())]
    typed = frozenset.intersection(*(frame.typed for frame in inputs))
    is_declared = not any(frame.is_open for frame in inputs)
    return _decided(OpenRelation(fields, rest, _rows(inputs), typed, is_declared), JOIN, keys)


def _any_of(frames: Sequence[OpenRelation], name: str) -> Value | None:
    """Unite a column of the frames that have it; an open frame may have it, or not."""
    known = [value for frame in frames if (value := frame.named(name)) is not None]
    others = [frame for frame in frames if frame.named(name) is None and (frame.is_open or not known)]
    maybe = [value for frame in others if (value := frame.find(name)) is not None]
    if not known and len(maybe) < 2:
        return maybe[0] if maybe else None
    lost = [unknown(f"Union: whether each frame has {name} is not known")] if maybe else []
    return merge_values([*known, *lost])


def _unbox(inputs: Sequence[OpenRelation], arguments: Mapping[str, Any]) -> OpenRelation:
    path = parse_dotted(arguments["path"])
    return inputs[0] if len(path) > 1 else _resolved(inputs[0], arguments["path"], "make_struct")


def _somehow(inputs: Sequence[OpenRelation], arguments: Mapping[str, Any]) -> OpenRelation:  # noqa: ARG001 - as above
    [frame] = inputs
    fields = {name: value and keep(SOMEHOW, value) for name, value in frame.fields.items()}
    return replace(frame, fields=fields, rest=keep_rest(frame.rest, SOMEHOW))


def _flat(inputs: Sequence[OpenRelation], arguments: Mapping[str, Any]) -> OpenRelation:  # noqa: ARG001 - as above
    """Turn fields into columns like `address.city`; an array becomes the key of its records elsewhere."""
    [frame] = inputs
    typed = {name: value for name, value in frame.fields.items() if name in frame.typed}

    def find(name: str) -> Value | None:
        value = frame.find(name) if name in frame.fields else frame.at(tuple(name.split(".")))
        return None if value is None else keep(SOMEHOW, value)

    is_whole = not frame.is_open and len(typed) == len(frame.columns or ())
    return OpenRelation(typed, None if is_whole else find, frame.rows, frame.typed)


def _pivoted(inputs: Sequence[OpenRelation], arguments: Mapping[str, Any]) -> OpenRelation:
    """Turn an array into rows, as `relationalize` does: `items.val.price`; `id` and `index` are new."""
    [frame] = inputs
    array: str = arguments["array"]

    def find(name: str) -> Value | None:
        if name != f"{array}.val" and not name.startswith(f"{array}.val."):
            return None
        inside = [part for part in name[len(array) + len(".val") :].split(".") if part]
        value = frame.at((*(part for part in array.split(".") if part != "val"), *inside))
        return None if value is None else keep(SOMEHOW, value)

    return OpenRelation({"id": NOTHING, "index": NOTHING}, find, frame.rows, frozenset({"id", "index"}))


_RULES: Mapping[str, Rule] = {
    "same": _same,
    "sink": _same,
    "apply_mapping": _mapping,
    "select_fields": _select,
    "drop_fields": _drop,
    "rename_field": _rename,
    "filter": _filter,
    "split_rows": _split_rows,
    "map": _opaque,
    "resolveChoice": _choice,
    "join": _join,
    "union": _union,
    "mergeDynamicFrame": _union,
    "unbox": _unbox,
    "simplify_ddb_json": _somehow,
    "unnest": _flat,
    "pivoted": _pivoted,
}
