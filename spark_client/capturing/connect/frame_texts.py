"""Frames of a program for the server's `EXPLAIN`: the same columns, with harmless literals.

Spark prints literals without quotes. A literal's text seldom matters to the analysis, so `"a AS b#1"` goes to the
server as `"x"`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from spark_client.capturing.connect.literal_risks import (
    LiteralRisks,
    all_risks,
    masked_sql,
    risks_of,
    risks_of_literals,
)
from spark_client.capturing.connect.reads import FrameRead, Read, TableRead, messages_in, reads_of
from spark_client.capturing.plans.plan import kinds

_LITERAL = "spark.connect.Expression.Literal"
_MASK = "x"
# Functions with names or a type out of a literal, or refused by the analyzer for a changed literal.
_READ_LITERALS = kinds(
    """
    schema_of_csv schema_of_json schema_of_xml named_struct struct
    to_avro to_binary to_char to_csv to_json to_number to_protobuf to_varchar to_xml try_to_binary try_to_number
    try_variant_get variant_get variant_explode window session_window window_time date_part datepart extract date_trunc
    trunc make_interval interval stack json_tuple map_from_entries str_to_map parse_json format_number sentences
    convert_timezone bucket days hours months years call_function
    """
)
# Functions with schemas in the literals behind their first argument; Spark prints schemas as types.
_PARSERS = kinds("from_avro from_csv from_json from_protobuf from_xml")
# Messages whose texts are no literals of expressions: names of fields, values of a pivot, rows, options.
_KEPT = frozenset(
    {
        "google.protobuf.Any",
        "spark.connect.Aggregate.Pivot",
        "spark.connect.Expression.UnresolvedExtractValue",
        "spark.connect.LocalRelation",
        "spark.connect.Read",
        "spark.connect.SQL",
    }
)


# A literal is free to change, kept for the analysis, or a schema, printed as a type.
_Literals: TypeAlias = Literal["free", "kept", "types"]


class FrameToExplain(NamedTuple):
    """Frame for the server, the risks of its literals, and the reads behind its stand-ins, by name: `headwater_0`."""

    relation: Any
    risks: LiteralRisks
    stand_ins: Mapping[str, Read]


def frame_to_explain(relation: Any, schema_of: Callable[[Read], str] = lambda _: "") -> FrameToExplain:
    """Copy a frame without the rows of the program, and without literals like parts of a plan.

    A temporary view or kept frame with a schema (`schema_of`) becomes empty rows: the server may have a new view of
    the name by now, and the frame no more.
    """
    frame = type(relation)()
    frame.CopyFrom(relation)
    risks = [_NONE]
    stand_ins: dict[str, Read] = {}
    for message, literals in _messages(frame):
        kind = message.DESCRIPTOR.full_name
        if kind == _LITERAL and literals != "types" and message.WhichOneof("literal_type") == "string":
            if literals == "free" and any(risks_of_literals([message.string])):
                message.string = _MASK
            risks.append(risks_of_literals([message.string]))
        elif kind == "spark.connect.Expression.ExpressionString":
            message.expression = masked_sql(message.expression, _READ_LITERALS | _PARSERS)
            risks.append(risks_of(message.expression))
        elif kind == "spark.connect.LocalRelation":
            _without_rows(message)
        elif kind == "spark.connect.Relation":
            _stand_in(message, schema_of, stand_ins)
        else:
            risks.append(_of_names(kind, message))
    return FrameToExplain(frame, all_risks(risks), stand_ins)


_NONE = LiteralRisks(ids=False, parts=False, brackets=False, commas=False)


def _messages(relation: Any) -> Iterator[tuple[Any, _Literals]]:
    """Yield all messages in a relation, at any depth, with the treatment of their literals."""
    left: list[tuple[Any, _Literals]] = [(relation, "free")]
    while left:
        message, literals = left.pop()
        yield message, literals
        kind = message.DESCRIPTOR.full_name
        called = message.function_name.lower() if kind == "spark.connect.Expression.UnresolvedFunction" else ""
        inside: _Literals = "kept" if literals == "free" and (kind in _KEPT or called in _READ_LITERALS) else literals
        if called in _PARSERS:
            left += [(each, "types" if index else literals) for index, each in enumerate(message.arguments)]
            continue
        left += [(each, inside) for each in messages_in(message)]


def _stand_in(relation: Any, schema_of: Callable[[Read], str], stand_ins: dict[str, Read]) -> None:
    """Replace a view or kept frame by empty rows under a new name, inside an alias of the view's name."""
    kind = relation.WhichOneof("rel_type")
    if kind not in ("read", "cached_remote_relation"):
        return
    read = next(reads_of(relation), None)
    schema = schema_of(read) if isinstance(read, TableRead | FrameRead) else ""
    if read is None or not schema:
        return
    name = f"headwater_{len(stand_ins)}"
    stand_ins[name] = read
    common = type(relation.common)()
    common.CopyFrom(relation.common)
    relation.Clear()
    relation.common.CopyFrom(common)
    inner = relation.subquery_alias
    if isinstance(read, TableRead):
        inner.alias = read.name[-1]
        inner = inner.input.subquery_alias
    inner.alias = name
    inner.input.local_relation.schema = schema


def _of_names(kind: str, message: Any) -> LiteralRisks:
    """Find the risk of a name like an id: `total#1`."""
    if kind == "spark.connect.Expression.Alias":
        return _NONE._replace(ids=risks_of_literals(list(message.name)).ids)
    if kind == "spark.connect.Expression.UnresolvedAttribute":
        return _NONE._replace(ids=risks_of_literals([message.unparsed_identifier]).ids)
    return _NONE


def _without_rows(message: Any) -> None:
    if message.data:
        import pyarrow

        schema = pyarrow.ipc.open_stream(message.data).schema
        sink = pyarrow.BufferOutputStream()
        with pyarrow.ipc.new_stream(sink, schema):
            pass
        message.data = sink.getvalue().to_pybytes()
