"""Items in SQLite: a table for each table of DynamoDB, with a column for each key of an index.

SQLite stores an item as JSON on the wire: a page of a query is a join of rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from local_stack.aws.disk import Disk
from local_stack.aws.item_sizes import item_bytes
from local_stack.aws.tables.schema import Column, Item, Row, Schema, quoted

Stored = tuple[bytes, int]
"""An item's JSON and its size as DynamoDB counts it, in bytes."""

_PAGE_ROWS = 100


class Rows:
    """The items of all tables in a database, for a single thread at a time; callers write in a transaction."""

    def __init__(self, disk: Disk) -> None:
        self._disk, self._database = disk, disk.database
        self._schemas: dict[str, Schema] = {}
        self._database.execute("CREATE TABLE IF NOT EXISTS expired (tbl TEXT, item BLOB)")

    def open(self, schema: Schema) -> None:
        """Create the table and its indexes; a table that was deleted and created again is empty."""
        known = self._schemas.get(schema.table.name)
        if known is not None:
            self._database.execute(f"DROP TABLE {_table(known)}")
        self._schemas[schema.table.name] = schema
        self._database.execute(
            f"CREATE TABLE IF NOT EXISTS {_table(schema)} "
            "(pk NOT NULL, sk NOT NULL, item BLOB, bytes INTEGER, expires REAL, PRIMARY KEY (pk, sk))"
        )
        self._add_columns(schema)
        for columns in {index.columns for name, index in schema.indexes.items() if name is not None}:
            name = quoted("_".join((schema.table.name, *columns)))
            order = ", ".join(dict.fromkeys((*columns, "pk", "sk")))
            there = " AND ".join(f"{column} IS NOT NULL" for column in columns)
            self._database.execute(f"CREATE INDEX IF NOT EXISTS {name} ON {_table(schema)} ({order}) WHERE {there}")
        if schema.ttl:
            name = quoted(f"{schema.table.name}_expires")
            self._database.execute(
                f"CREATE INDEX IF NOT EXISTS {name} ON {_table(schema)} (expires) WHERE expires IS NOT NULL"
            )

    def _add_columns(self, schema: Schema) -> None:
        """Add the columns of new indexes to a kept table, and fill them from its items."""
        there = {quoted(name) for _, name, *_ in self._database.execute(f"PRAGMA table_info({_table(schema)})")}
        new = sorted({*schema.columns.values()} - {"pk", "sk"} - there)
        for column in new:
            self._database.execute(f"ALTER TABLE {_table(schema)} ADD COLUMN {column}")
        if new:
            with self._disk.transaction():
                for item, _ in list(self.select(schema, (), (), "pk, sk")):
                    self._put_back(schema, orjson.loads(item))

    def get(self, schema: Schema, key: tuple[Column, Column]) -> Stored | None:
        """Read an item."""
        return self.get_all(schema, [key]).get(key)

    def get_all(self, schema: Schema, keys: Sequence[tuple[Column, Column]]) -> dict[tuple[Column, Column], Stored]:
        """Read the existing items of keys."""
        places = ", ".join(["(?, ?)"] * len(keys))
        # A join by the index: SQLite reads a whole table for `(pk, sk) IN (VALUES ...)`.
        sql = (
            f"WITH keys(p, s) AS (VALUES {places}) SELECT pk, sk, item, bytes "  # noqa: S608 - names are ours
            f"FROM keys CROSS JOIN {_table(schema)} ON pk = p AND sk = s"
        )
        rows = self._database.execute(sql, [column for key in keys for column in key]) if keys else ()
        return {(pk, sk): (item, size_bytes) for pk, sk, item, size_bytes in rows}

    def _put_back(self, schema: Schema, item: Item) -> None:
        self.put(schema, item, schema.row_of(item), item_bytes(item))

    def put(self, schema: Schema, item: Item, keys: Row, size_bytes: int) -> None:
        """Write an item, with the columns of its keys, over the stored item of its key."""
        row = keys | {"item": orjson.dumps(item), "bytes": size_bytes}
        row["expires"] = _moment(item.get(schema.ttl)) if schema.ttl else None
        places = ", ".join("?" * len(row))
        changes = ", ".join(f"{name} = excluded.{name}" for name in row if name not in {"pk", "sk"})
        # REPLACE would delete the row and write its key anew.
        self._database.execute(
            f"INSERT INTO {_table(schema)} ({', '.join(row)}) VALUES ({places}) "  # noqa: S608 - names are ours
            f"ON CONFLICT (pk, sk) DO UPDATE SET {changes}",
            tuple(row.values()),
        )

    def delete(self, schema: Schema, key: tuple[Column, Column]) -> None:
        """Remove an item, which may be missing."""
        self._database.execute(f"DELETE FROM {_table(schema)} WHERE pk = ? AND sk = ?", key)  # noqa: S608

    def select(
        self, schema: Schema, where: Sequence[str], values: Sequence[Column], order: str, limit: int | None = None
    ) -> Iterator[Stored]:
        """Read the items that meet all conditions, in an order: `sk DESC`, and first at most `limit`."""
        conditions = f"WHERE {' AND '.join(where)}" if where else ""
        sql = f"SELECT item, bytes FROM {_table(schema)} {conditions} ORDER BY {order}"  # noqa: S608 - names are ours
        cursor = self._database.execute(sql, values)
        while page := cursor.fetchmany(min(limit or _PAGE_ROWS, _PAGE_ROWS)):
            yield from page

    # -- removal by TTL

    def expire(self, schema: Schema, oldest: float, now: float) -> list[Item]:
        """Move the items with a moment between two, in seconds since 1970, to `expired`; return the items."""
        between = "expires > ? AND expires < ?"
        with self._disk.transaction():
            rows = self._database.execute(
                f"SELECT item FROM {_table(schema)} WHERE {between}",  # noqa: S608
                (oldest, now),
            ).fetchall()
            if rows:
                self._database.executemany(
                    "INSERT INTO expired VALUES (?, ?)", [(schema.table.name, *row) for row in rows]
                )
                self._database.execute(f"DELETE FROM {_table(schema)} WHERE {between}", (oldest, now))  # noqa: S608
        return [orjson.loads(item) for (item,) in rows]

    def forget_expired(self) -> None:
        """Drop the items of `expired`."""
        self._database.execute("DELETE FROM expired")

    def restore_expired(self, schemas: Mapping[str, Schema]) -> None:
        """Put the items of `expired` back: a crash may have kept removals from their function."""
        with self._disk.transaction():
            for name, item in self._database.execute("SELECT tbl, item FROM expired").fetchall():
                if name in schemas:
                    self._put_back(schemas[name], orjson.loads(item))
            self.forget_expired()


def _table(schema: Schema) -> str:
    return quoted(f"items of {schema.table.name}")


def _moment(value: Mapping[str, Any] | None) -> float | None:
    return float(value["N"]) if value is not None and "N" in value else None
