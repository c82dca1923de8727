"""Frames of a program as the server is to explain them: the same columns, and literals that look like nothing else.

Spark prints literals without quotes. What a literal says seldom matters to the analysis, so a literal that may be taken
for a part of a plan goes to the server as another one.
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
from spark_client.capturing.connect.reads import FrameRead, Read, TableRead, reads_of
from spark_client.capturing.plans.plan import kinds

_LITERAL = "spark.connect.Expression.Literal"
_MASK = "x"
# Functions whose result has names or a type by a literal, or that the analyzer refuses for another literal.
_READ_LITERALS = kinds(
    """
    schema_of_csv schema_of_json schema_of_xml named_struct struct
    to_avro to_binary to_char to_csv to_json to_number to_protobuf to_varchar to_xml try_to_binary try_to_number
    try_variant_get variant_get variant_explode window session_window window_time date_part datepart extract date_trunc
    trunc make_interval interval stack json_tuple map_from_entries str_to_map parse_json format_number sentences
    convert_timezone bucket days hours months years call_function
    """
)
# Functions whose literals behind the first argument are schemas, which are printed as types.
_PARSERS = kinds("from_avro from_csv from_json from_protobuf from_xml")
# Messages whose texts are no literals of expressions: names of fields, values that become columns, rows, options.
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


# How literals matter: as nothing else, to the analysis too, or as types, which are printed in another way.
_Literals: TypeAlias = Literal["free", "kept", "types"]


class FrameToExplain(NamedTuple):
    """Frame for the server, the risks of the literals that are left in it, and reads that other names stand for."""

    relation: Any
    risks: LiteralRisks
    stand_ins: Mapping[str, Read]


def frame_to_explain(relation: Any, schema_of: Callable[[Read], str] = lambda _: "") -> FrameToExplain:
    """Return a frame without literals that look like parts of a plan, and without the rows of the program.

    A temporary view or a kept frame whose schema is known (`schema_of`) is empty rows there: the server may have
    another view by that name, and no frame any more.
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
    """Yield all messages in a relation, at any depth, and how the literals in them matter."""
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
        for field, value in message.ListFields():
            if field.message_type is not None and not field.message_type.GetOptions().map_entry:
                left += [(each, inside) for each in ([value] if hasattr(value, "DESCRIPTOR") else value)]


def _stand_in(relation: Any, schema_of: Callable[[Read], str], stand_ins: dict[str, Read]) -> None:
    """Put empty rows in the place of a view or a kept frame, under a name of their own inside that of the view."""
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
    """Return the risk that a name is taken for an id."""
    if kind == "spark.connect.Expression.Alias":
        return _NONE._replace(ids=risks_of_literals(list(message.name)).ids)
    if kind == "spark.connect.Expression.UnresolvedAttribute":
        return _NONE._replace(ids=risks_of_literals([message.unparsed_identifier]).ids)
    return _NONE


def _without_rows(message: Any) -> None:
    """Leave the schema alone of rows of the program."""
    if message.data:
        import pyarrow

        schema = pyarrow.ipc.open_stream(message.data).schema
        sink = pyarrow.BufferOutputStream()
        with pyarrow.ipc.new_stream(sink, schema):
            pass
        message.data = sink.getvalue().to_pybytes()
