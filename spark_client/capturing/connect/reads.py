"""Reads of a relation of Spark Connect's protocol: the names, locations and statements in it, unresolved.

A client's plan has names and SQL as text; the server can resolve both (`server`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from spark_client.capturing.datasets.sql_names import parse_name

_RELATION = "spark.connect.Relation"
# Frequent messages without relations in them.
_OTHERS = frozenset({"spark.connect.Expression", "spark.connect.DataType", "google.protobuf.Any"})
_MADE_OF_NOTHING = frozenset({"range", "unresolved_table_valued_function", "common_inline_user_defined_table_function"})
# Sources of streams without data outside of Spark.
_MADE_UP = frozenset({"rate", "rate-micro-batch"})


@dataclass(frozen=True, slots=True)
class TableRead:
    """Table or view, by the parts of its name; inside a view, the view's `database` completes a short name."""

    name: tuple[str, ...]
    database: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceRead:
    """Source by its format (empty: the session's default), with its paths or options.

    `schema` is the program's, as JSON or as SQL's columns.
    """

    format: str
    paths: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict, hash=False)
    schema: str = ""


@dataclass(frozen=True, slots=True)
class QueryRead:
    """Query in SQL (`message` is the protocol's `SQL`); `frames` are its names of the program's frames."""

    message: Any = field(hash=False)
    frames: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class FrameRead:
    """Frame kept by the server, by its id: a checkpoint, or a command's result."""

    id: str


@dataclass(frozen=True, slots=True)
class VariableRead:
    """Variable of the session, by its name in lower case."""

    name: str


@dataclass(frozen=True, slots=True)
class UnknownRead:
    """Read without a name, and why."""

    reason: str


# Rows of a program: their columns are unknown, but columns of literals in a statement are known.
ROWS_OF_PROGRAM = UnknownRead("LocalRelation: rows of the program")
Read: TypeAlias = TableRead | SourceRead | QueryRead | FrameRead | VariableRead | UnknownRead


def reads_of(relation: Any) -> Iterator[Read]:
    """Yield the reads of a `Relation`, in order, with repetitions; the relation may be arbitrarily deep."""
    left: list[tuple[Any, frozenset[str]]] = [(relation, frozenset())]
    while left:
        message, frames = left.pop()
        kind = message.WhichOneof("rel_type") or "relation"
        if kind == "sql":
            yield QueryRead(message.sql, frames)
        elif kind in _RULES:
            yield from _RULES[kind](getattr(message, kind))
        else:
            inputs = list(relations_in(getattr(message, kind))) if kind != "relation" else []
            if not inputs and kind not in _MADE_OF_NOTHING:
                yield UnknownRead(f"{kind}: a source that nobody can name")
            frames |= {child.subquery_alias.alias for child in inputs if kind == "with_relations" and _is_frame(child)}
            left += [(child, frames) for child in reversed(inputs)]


def is_frame(read: Read, frames: frozenset[str]) -> bool:
    """True for the name of a program's frame, in any case."""
    names = {name.lower() for name in frames}
    return isinstance(read, TableRead) and len(read.name) == 1 and read.name[0].lower() in names


def kinds_in(relation: Any) -> set[str]:
    """Collect the kinds of a relation and of all relations below."""
    kinds: set[str] = set()
    left = [relation]
    while left:
        message = left.pop()
        kind = message.WhichOneof("rel_type")
        if kind is not None:
            kinds.add(kind)
            left += relations_in(getattr(message, kind))
    return kinds


def table_read(name: str) -> TableRead:
    """Parse the written name of a table.

    >>> table_read("shop.`my.orders`").name
    ('shop', 'my.orders')
    """
    return TableRead(tuple(parse_name(name) or [name]))


def source_read(
    format_: str, paths: Iterable[str], options: Mapping[str, str], schema: str = ""
) -> TableRead | SourceRead:
    """Make the read of a source; Iceberg's path may be a table's name: `shop.orders`."""
    small = {key.lower(): value for key, value in options.items()}
    all_paths = tuple(filter(None, paths)) or tuple(filter(None, [small.get("path")]))
    if format_.lower() == "iceberg" and len(all_paths) == 1 and "/" not in all_paths[0]:
        return table_read(all_paths[0])
    return SourceRead(format_.lower(), all_paths, small, schema)


def relations_in(message: Any) -> Iterator[Any]:
    """Yield the relations right below a message, at any depth of its own messages."""
    for inside in messages_in(message):
        kind = inside.DESCRIPTOR.full_name
        if kind == _RELATION:
            yield inside
        elif kind not in _OTHERS:
            yield from relations_in(inside)


def messages_in(message: Any) -> Iterator[Any]:
    """Yield the messages right below a message, without the entries of maps."""
    for field_, value in message.ListFields():
        if field_.message_type is not None and not field_.message_type.GetOptions().map_entry:
            yield from [value] if hasattr(value, "DESCRIPTOR") else value


def _is_frame(relation: Any) -> bool:
    return bool(relation.WhichOneof("rel_type") == "subquery_alias")


def _read(message: Any) -> Iterator[Read]:
    source = message.data_source
    if message.WhichOneof("read_type") == "named_table":
        yield table_read(message.named_table.unparsed_identifier)
    elif source.format.lower() not in _MADE_UP:
        yield source_read(source.format, source.paths, source.options, source.schema)


_LOCAL = ("local_relation", "cached_local_relation", "chunked_cached_local_relation")
_RULES: dict[str, Callable[[Any], Iterable[Read]]] = {
    "read": _read,
    **dict.fromkeys(_LOCAL, lambda _: [ROWS_OF_PROGRAM]),
    "cached_remote_relation": lambda message: [FrameRead(message.relation_id)],
    "relation_changes": lambda message: [table_read(message.unparsed_identifier)],
}
