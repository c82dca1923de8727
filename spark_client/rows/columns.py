"""Columns of a DataFrame as records: computed, checked and written as JSON in the JVM, a line for each row.

PySpark is loaded when they are used, not with the module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from headwater_model.errors import print_value
from headwater_model.ids import REQUESTS
from headwater_model.record_requests import LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import Column, DataFrame

# Ids in an example of a bad row are cut at so many characters.
_EXAMPLE_CHARS = 200


class RowFields(NamedTuple):
    """Sources of a record's fields: columns, or their names; a name as `action` is the action itself."""

    root_id: str | Column
    parent_id: str | Column
    action: str | Column
    storage_location: str | Column
    node_id: str | Column | None
    key: str | Column | None


def derived_node_id(root_id: Column, parent_id: Column, action: Column, key: Column) -> Column:
    """Derive the node id of a row without an id, as text; each computation gives the same id.

    `key` distinguishes the rows of a step. The id is
    `headwater_model.ids.derive_node_id(root_id, parent_id, action, key, 0)`; null where an argument is null.
    """
    from pyspark.sql import functions as sf

    end = sf.lit("\0")
    name = sf.concat(root_id, end, parent_id, end, action, end, key, end, sf.lit("0"))
    hashed = sf.sha1(sf.concat(sf.lit(bytearray(REQUESTS.bytes)), name.cast("binary")))
    # RFC 9562: 4 bits of the hash are the version (5), and 2 the variant (the high bits of their digit: 10).
    variant = sf.translate(hashed.substr(17, 1), "0123456789abcdef", "89ab" * 4)
    parts = (hashed.substr(1, 8), hashed.substr(9, 4), sf.concat(sf.lit("5"), hashed.substr(14, 3)))
    return sf.concat_ws("-", *parts, sf.concat(variant, hashed.substr(18, 3)), hashed.substr(21, 12))


def select_records(df: DataFrame, fields: RowFields) -> DataFrame:
    """Select a record from each row: the columns of `LIMITS`, all text.

    Raises:
        TypeError: a field is neither a column nor a name, or `df` is no DataFrame.
        ValueError: a name is no column's, or a node's id has no source, or two.
    """
    from pyspark.sql import functions as sf

    if (fields.node_id is None) == (fields.key is None):
        raise ValueError("node_id, key: give one of them, which distinguishes the nodes of rows")
    if not hasattr(df, "mapInArrow"):
        raise TypeError(f"df: must be a DataFrame, got {print_value(df)}")
    given = fields._asdict()
    if isinstance(fields.action, str):
        given["action"] = sf.lit(fields.action)
    columns = {
        name: _column(df, name, value)
        for name, value in given.items()
        if value is not None or name not in ("node_id", "key")
    }
    columns["action_taken"] = columns.pop("action")
    if "key" in columns:
        columns["node_id"] = derived_node_id(
            columns["root_id"], columns["parent_id"], columns["action_taken"], columns["key"]
        )
    return df.select(*(columns[name].alias(name) for name in LIMITS))


def select_lines(records: DataFrame, shared: Mapping[str, object], *, nodes: bool) -> DataFrame:
    """Select each row's `line`, its record in JSON with the fields of `shared`; null for a bad row.

    A bad row has `reason` and `example`. Also `root`, the root's id, and with `nodes` a `node`, unique among all roots.
    """
    from pyspark.sql import functions as sf

    checked = records.withColumn("reason", sf.coalesce(*_rules()))
    good = sf.col("reason").isNull()
    line = sf.to_json(sf.struct(*LIMITS, *(sf.lit(value).alias(name) for name, value in shared.items())))
    ids = (sf.substring(name, 1, _EXAMPLE_CHARS).alias(name) for name in ("root_id", "parent_id", "node_id"))
    columns = [
        sf.when(good, line).alias("line"),
        sf.col("reason"),
        sf.when(~good, sf.to_json(sf.struct(*ids))).alias("example"),
        sf.col("root_id").alias("root"),
    ]
    if nodes:
        columns.append(sf.concat("root_id", sf.lit("\0"), "node_id").alias("node"))
    return checked.select(*columns)


def _column(df: DataFrame, name: str, value: str | Column) -> Column:
    from pyspark.sql import functions as sf

    if not isinstance(value, str):
        if not hasattr(value, "cast"):
            raise TypeError(f"{name}: must be a column, or the name of one, got {print_value(value)}")
        return value.cast("string")
    if value in df.columns:
        return sf.col(f"`{value.replace('`', '``')}`").cast("string")
    # As Spark finds them: whatever the case, and fields of structs behind dots.
    if value.partition(".")[0].lower() not in (column.lower() for column in df.columns):
        there = ", ".join(df.columns)
        raise ValueError(f"{name}: {value!r} is no column of {there}; a constant is sf.lit({value!r})")
    return sf.col(value).cast("string")


def _rules() -> Iterator[Column]:
    """Yield the service's rules, in its words: the fault of a record, null where the rule holds."""
    from pyspark.sql import functions as sf

    for name, limit in LIMITS.items():
        value = sf.col(name)
        yield sf.when(value.isNull(), sf.lit(f"{name}: is required"))
        yield sf.when(value == "", sf.lit(f"{name}: must not be empty"))
        yield sf.when(sf.octet_length(value) > limit, sf.lit(f"{name}: must be at most {limit} bytes of UTF-8"))
        # Text of binary columns may hold any bytes; as JSON, two such ids could become equal.
        intact = sf.encode(value, "UTF-8") == value.cast("binary")
        yield sf.when(~intact, sf.lit(f"{name}: must be valid Unicode"))
    own_parent = (sf.col("node_id") == sf.col("parent_id")) & (sf.col("node_id") != sf.col("root_id"))
    yield sf.when(own_parent, sf.lit("node_id: must not be its own parent (only the root may be)"))
