"""Places of files on a server: full paths, and the columns known to Spark."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from spark_client.capturing.connect.reads import SourceRead
from spark_client.capturing.connect.server import NoResponse, Server
from spark_client.capturing.connect.server_cache import ServerCache
from spark_client.capturing.datasets.locations import is_absolute
from spark_client.capturing.datasets.schemas import parse_schema
from spark_client.capturing.datasets.sources import FORMATS_OF_FILES
from spark_client.capturing.model import SchemaField

V = TypeVar("V")
# Formats whose columns Spark knows without reading the data.
_SCHEMA_KNOWN = frozenset({"", "parquet", "orc", "avro", "csv", "text", "binaryfile", "jdbc", "delta", "iceberg"})
_PATTERN = frozenset("*?[{")
_ROOT = re.compile(r"[A-Za-z][\w+.-]*:(?://[^/]*)?")


class Places:
    """Places of a session's sources."""

    def __init__(self, server: Server, cache: ServerCache) -> None:
        self._server = server
        self._cache = cache

    def schema(self, read: SourceRead) -> tuple[SchemaField, ...]:
        """Read the columns of a source; empty where Spark would have to read the data."""
        if read.schema.startswith("{"):
            return parse_schema(read.schema)
        if not is_schema_known(read):
            return ()
        if read not in self._cache.schemas:
            self._cache.schemas[read] = _or(lambda: self._server.source_schema(read), ())
        return self._cache.schemas[read]

    def of(self, read: SourceRead) -> Iterator[str]:
        """Yield the full paths of a source; for a pattern, its matches."""
        for path in paths_of(read):
            whole = self.whole(path)
            if _PATTERN.isdisjoint(path):
                yield whole
                continue
            depth = len(_parts_of(whole)[1].rstrip("/").split("/"))
            for file in self._server.files(replace(read, paths=(path,))):
                root, inside = _parts_of(file)
                yield root + "/".join(inside.split("/")[:depth])

    def whole(self, path: str) -> str:
        """Complete a path by the server's folder: `a.csv` becomes `file:/home/spark/a.csv`."""
        if ":/" in path:
            return path
        if self._cache.folder is None:
            self._cache.folder = _or(self._server.folder, None) or self._cache.catalogs.default_fs
        folder = self._cache.folder
        if not path.startswith("/"):
            return f"{folder.rstrip('/')}/{path}"
        return f"{_parts_of(folder)[0]}{path}"


def paths_of(read: SourceRead) -> list[str]:
    """List the paths of a source; for a format without files, absolute paths alone.

    >>> paths_of(SourceRead("parquet", ("a",))), paths_of(SourceRead("kafka", ("a",)))
    (['a'], [])
    """
    of_files = not read.format or read.format in FORMATS_OF_FILES
    return [path for path in read.paths if of_files or is_absolute(path)]


def _parts_of(url: str) -> tuple[str, str]:
    """Split a URL into scheme with authority, and path.

    >>> [_parts_of(url) for url in ("file:/home/spark", "hdfs://nn:8020/user/spark", "/tmp")]
    [('file:', '/home/spark'), ('hdfs://nn:8020', '/user/spark'), ('', '/tmp')]
    """
    match = _ROOT.match(url)
    root = match[0] if match else ""
    return root, url[len(root) :]


def is_schema_known(read: SourceRead) -> bool:
    """True if Spark knows the columns of a source without reading the data."""
    inferred = read.options.get("inferschema", "").lower() == "true"
    return bool(read.schema) or (read.format in _SCHEMA_KNOWN and not inferred)


def _or(query: Callable[[], V], otherwise: V) -> V:
    try:
        return query()
    except NoResponse:
        return otherwise
