"""Collections of MongoDB, of its Spark connector since version 10.

OpenLineage's naming has no row for them. Its Spark integration names a stream by the whole connection string, with user
and password. Here the namespace is `mongodb://{host}:{port}`, and the name `{database}.{collection}`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from spark_client.capturing.datasets.connectors.addresses import find_address
from spark_client.connectors import Computed, DatasetId, Described

_PACKAGE = "com.mongodb.spark.sql.connector"
_READ, _WRITE = "mongoConfig.toReadConfig.getOptions", "mongoConfig.toWriteConfig.getOptions"
_PORT = "27017"
_URI = re.compile(r"mongodb(?P<srv>\+srv)?://(?:[^@/?]*@)?(?P<hosts>[^@/?]+)(?:/(?P<path>[^@?]*))?(?:\?[^@]*)?", re.I)
# In Cosmos DB's connection strings, the only place of an `@` behind the host.
_APP_NAME = re.compile(r"(?<=[?&])appname=@[^@&]*@", re.IGNORECASE)
_KEYS = ("connection.uri", "database", "collection", "aggregation.pipeline")


class MongoDb:
    """Names of collections."""

    classes = ("mongodb", f"{_PACKAGE}.MongoTable", f"{_PACKAGE}.MongoTableProvider")
    getters: Mapping[str, Sequence[str]] = {f"{_PACKAGE}.MongoTable": (_READ, _WRITE)}
    options = tuple(
        f"{prefix}{key}{'?' if 'pipeline' in key else ''}"
        for prefix in ("", "spark.mongodb.", "spark.mongodb.read.", "spark.mongodb.write.")
        for key in _KEYS
    )

    def datasets(self, described: Described) -> Sequence[DatasetId]:
        """Name the collections; a pipeline makes new rows out of their rows."""
        given = {"server": f"mongodb://localhost:{_PORT}"}
        settings = described.values.get(_WRITE if described.is_write else _READ)
        for options in (settings if isinstance(settings, Mapping) else described.conf, described.options):
            given |= _given(options, described.is_write)
        server, database = given["server"], given.get("database")
        if not server or not database:
            return ()
        collections = _collections(given.get("collection") or "", described.is_write)
        named = [DatasetId(server, f"{database}.{name}") for name in collections if name]
        return Computed(named) if "aggregation.pipeline" in given and not described.is_write else named


def _given(options: Mapping[str, object], is_write: bool) -> dict[str, str]:
    """Parse the options of a place, without prefixes; an option overrides its value in the connection string.

    An unreadable connection string gives an empty server.
    """
    plain = {
        key: str(options[f"{prefix}{key}"] or "")
        for prefix in ("spark.mongodb.", f"spark.mongodb.{'write' if is_write else 'read'}.", "")
        for key in _KEYS
        if f"{prefix}{key}" in options
    }
    uri = plain.pop("connection.uri", None)
    return plain if uri is None else {**_of_uri(uri), **plain}


def _of_uri(uri: str) -> dict[str, str]:
    """Parse server, database and collection of a connection string; the first host names all its hosts.

    >>> _of_uri("mongodb://ann:s3cret@db-1:27018,db-2:27018/shop.orders?authSource=admin")
    {'server': 'mongodb://db-1:27018', 'database': 'shop', 'collection': 'orders'}
    >>> _of_uri("mongodb+srv://ann:s3cret@cluster0.ab1.mongodb.net/"), _of_uri("mongodb://ann:s3/cret@db-1/shop")
    ({'server': 'mongodb://cluster0.ab1.mongodb.net'}, {'server': ''})
    """
    match = _URI.fullmatch(_APP_NAME.sub("", uri.strip()))
    server = match and find_address(match["hosts"].split(",")[0], None if match["srv"] else _PORT)
    if match is None or server is None:
        return {"server": ""}
    database, _, collection = (match["path"] or "").partition(".")
    given = {"server": f"mongodb://{server}", "database": database, "collection": collection}
    return {key: text for key, text in given.items() if text}


def _collections(text: str, is_write: bool) -> Sequence[str]:
    """Parse a list of collections, with a backslash before a comma in a name; none for a whole database (`*`)."""
    if is_write:
        return [text]
    if text.strip() == "*":
        return ()
    return [re.sub(r"\\(.)", r"\1", name.strip()) for name in re.split(r"(?<!\\),", text)]
