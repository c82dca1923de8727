"""Names of files and topics by OpenLineage's naming (https://openlineage.io/docs/spec/naming)."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote

from headwater_model.ids import DatasetId
from headwater_model.partitions import trim_partitions
from spark_client.dataset_names import clean_name

_URL = re.compile(r"(?:(?P<scheme>[A-Za-z][\w+.-]+):)?(?://(?P<authority>[^/]*))?(?P<path>.*)", re.DOTALL)
# Alternative schemes of a store, and the scheme in names.
_SCHEMES = {"s3a": "s3", "s3n": "s3", "wasb": "wasbs", "abfs": "abfss"}
# Stores of keys: names have no slash at the start.
_OBJECT_STORES = frozenset({"s3", "gs", "wasbs", "abfss"})
_PART_FILE = re.compile(r"/part-(?:[mr]-)?\d{5}[^/]*$")
_TEMPORARY = re.compile(
    r"/_temporary(?:/|$)"  # Hadoop's output committers
    r"|/\.spark-staging-|/\.hive-staging"
    r"|/_spark_metadata(?:/|$)|/_delta_log(?:/|$)"  # logs of Spark and Delta
    r"|/blockmgr-[0-9a-f-]{36}/"  # a driver's or an executor's own disk
)
_ABSOLUTE = re.compile(r"[A-Za-z][\w+.-]*:/")
_KAFKA_PORT = "9092"
# A job's writes name the same places again.
_KEPT = 256


@lru_cache(_KEPT)
def find_path(url: str, default_fs: str = "file:///", *, trims: bool = True) -> DatasetId | None:
    """Name the dataset at a Hadoop path; None for temporary storage, or an invalid bucket.

    User info and query string are removed; with `trims`, partitions and dates too.

    >>> find_path("s3a://lake/flights/checked/day=2013-01-01")
    DatasetId(namespace='s3://lake', name='flights/checked')
    >>> find_path("/data/flights.csv")
    DatasetId(namespace='file', name='/data/flights.csv')
    >>> find_path("hdfs://nn:8020/lake/flights/part-00000-3f1c.snappy.parquet").name
    '/lake/flights'
    >>> find_path("s3://lake/flights/_temporary/0")
    """
    if _TEMPORARY.search(url):
        return None
    scheme, authority, path = _split(clean_name(url))
    default_scheme, default_authority, _ = _split(clean_name(default_fs))
    if not scheme or (scheme == default_scheme and not authority):
        scheme, authority = default_scheme, default_authority
    if scheme == "s3" and ":" in authority:
        return None  # no bucket
    name = _name(scheme, path)
    return DatasetId(_namespace(scheme, authority), trim_partitions(name) if trims else name)


def is_absolute(path: str) -> bool:
    """Check for an absolute path; a source may have a word of its own in the place of a path.

    >>> [is_absolute(path) for path in ("/lake/orders", "s3://lake/orders", "file:/lake", "orders-index", "orders/doc")]
    [True, True, True, False, False]
    """
    return path.startswith("/") or _ABSOLUTE.match(path) is not None


def find_uri(uri: str, default_fs: str = "file:///", *, trims: bool = True) -> DatasetId | None:
    """Name the dataset at a catalog's location, a URI with `%20` for a space; else as `find_path`.

    >>> find_uri("file:/data/new%20flights").name
    '/data/new flights'
    """
    return find_path(unquote(clean_name(uri)), default_fs, trims=trims)


def is_partition(url: str) -> bool:
    """Check for the path of a partition, trimmed by `find_path`.

    >>> [is_partition(path) for path in ("/data/flights", "/data/flights/", "/data/flights/day=2013-01-01")]
    [False, False, True]
    >>> is_partition("/data/2013-01-01/flights")
    True
    """
    name = _path_name(url)
    return trim_partitions(name) != name


def partition_of(url: str) -> str:
    """Cut the partition at the end of a path; empty for a partition or date elsewhere in the path.

    >>> partition_of("s3a://lake/flights/day=2013-01-01/hour=5")
    'day=2013-01-01/hour=5'
    """
    name = _path_name(url)
    trimmed = trim_partitions(name)
    return name[len(trimmed) :].strip("/") if name.startswith(trimmed) else ""


def find_topic(servers: str, topic: str) -> DatasetId | None:
    """Name a Kafka topic; the first server names all its servers.

    >>> find_topic("SASL_SSL://kafka-1:9093,kafka-2:9093", "flights")
    DatasetId(namespace='kafka://kafka-1:9093', name='flights')
    """
    first = servers.split(",")[0].strip().rpartition("://")[2].rpartition("@")[2]
    if not first or not topic:
        return None
    return DatasetId(f"kafka://{first if ':' in first else f'{first}:{_KAFKA_PORT}'}", topic)


def namespace_of(uri: str) -> str:
    """Render a folder as the namespace of its tables: OpenLineage's name for a warehouse.

    >>> [namespace_of(uri) for uri in ("file:/data/warehouse/", "s3a://lake/warehouse", "hdfs://nn:8020/warehouse")]
    ['file:/data/warehouse', 's3://lake/warehouse', 'hdfs://nn:8020/warehouse']
    """
    scheme, authority, path = _split(clean_name(unquote(clean_name(uri))))  # Spark quotes the `?` of a path
    namespace = _namespace(scheme or "file", authority)
    return f"{namespace}{'' if '://' in namespace else ':'}{path.rstrip('/')}"


def _split(url: str) -> tuple[str, str, str]:
    match = _URL.fullmatch(url)
    if match is None:  # the pattern takes any text
        return "", "", url
    scheme = (match["scheme"] or "").lower()
    return _SCHEMES.get(scheme, scheme), match["authority"] or "", match["path"]


def _namespace(scheme: str, authority: str) -> str:
    return f"{scheme}://{authority}" if authority else scheme


def _path_name(url: str) -> str:
    scheme, _, path = _split(clean_name(url))
    return _name(scheme, path)


def _name(scheme: str, path: str) -> str:
    path = _PART_FILE.sub("", path).rstrip("/") if path.strip("/") else "/"
    return path.lstrip("/") or "/" if scheme in _OBJECT_STORES else path
