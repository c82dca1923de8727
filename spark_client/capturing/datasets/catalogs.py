"""Catalogs of tables, and the names of tables in a catalog."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from headwater_model.ids import DatasetId
from spark_client.capturing.datasets.aws_account import find_account
from spark_client.capturing.datasets.locations import find_path, find_uri, is_partition, namespace_of
from spark_client.capturing.model import Symlink
from spark_client.capturing.parts import module
from spark_client.capturing.registry import registry
from spark_client.dataset_names import clean_name

if TYPE_CHECKING:
    from spark_client.capturing.datasets.session_conf import SessionConf

# Spark's own catalog in every session.
_SESSION = "spark_catalog"
_FACTORY = "hive.metastore.client.factory.class"
_GLUE_FACTORY = "com.amazonaws.glue.catalog.metastore.AWSGlueDataCatalogHiveClientFactory"
_ACCOUNT = "spark.glue.accountId"
_GLUE_ID, _METASTORE, _DEFAULT_FS = "hive.metastore.glue.catalogid", "hive.metastore.uris", "fs.defaultFS"
_WAREHOUSE = "spark.sql.warehouse.dir"
# Keys of Hadoop's configuration for a catalog or a file system.
HADOOP_KEYS = (_FACTORY, _GLUE_ID, _METASTORE, _DEFAULT_FS)
_LOCAL = "file:///"
# Of S3 Tables: the ARN of a bucket, its catalog in Glue, and Glue's endpoint for Iceberg, with the region.
_BUCKET = re.compile(r"arn:aws[\w-]*:s3tables:[^:]+:\d+:bucket/[^/]+")
_IN_GLUE = re.compile(r"(\d+):s3tablescatalog/(.+)")
_GLUE_REST = re.compile(r"https://glue[\w-]*\.([\w-]+)\.(?:amazonaws\.com(?:\.cn)?|api\.aws)/iceberg/?")
_OPTIONS = ("type", "catalog-impl", "uri", "warehouse", "glue.id", "client.region", "url")
# Such keys of Spark's conf begin so.
_PREFIXES = ("spark.sql.catalog", "spark.hadoop.", "spark.glue.", "hive.", _DEFAULT_FS)


@dataclass(frozen=True, slots=True)
class Catalog:
    """Catalog of tables. Without a `namespace`, a table's location is the namespace (OpenLineage's last resort).

    `warehouse` is true of a folder: a table outside it is named by its location. `url` is set for a database.
    """

    namespace: str | None = None
    warehouse: bool = False
    url: str | None = None

    def find_table(self, database: Sequence[str], table: str, location: str | None = None) -> DatasetId | None:
        """Name a table of this catalog; None for a table without a name. `location` is a URI.

        >>> Catalog("arn:aws:glue:eu-west-1:111122223333").find_table(["web"], "orders").name
        'table/web/orders'
        """
        database, table = [clean_name(part) for part in database], clean_name(table)
        if self.url:
            named: DatasetId | None = module("urls").find_table(
                self.url, ".".join(f'"{part}"' for part in (*database, table))
            )
            return named
        if self.namespace and self.namespace.startswith("arn:aws:glue:"):
            return DatasetId(self.namespace, f"table/{'.'.join(database)}/{table}")
        namespace = self.namespace
        if location and (namespace is None or (self.warehouse and not _is_under(location, namespace))):
            namespace = namespace_of(location)
        return DatasetId(namespace, ".".join((*database, table))) if namespace else None


@dataclass(frozen=True, slots=True)
class Catalogs:
    """Catalogs of an application: the session's own, and catalogs by name. Paths without a scheme are in `default_fs`.

    With `trims_partitions`, names leave out partitions and dates. `conf` has the connectors' keys of Spark's conf, and
    is never printed: an address may have a password. `region` and `account` are the application's own in AWS.
    """

    session: Catalog = Catalog()
    named: Mapping[str, Catalog] = field(default_factory=dict)
    default_fs: str = _LOCAL
    conf: Mapping[str, str] = field(default_factory=dict, repr=False)
    region: str | None = None
    account: str | None = None
    trims_partitions: bool = True

    def find_path(self, path: str, *, is_local: bool = False) -> DatasetId | None:
        """Name the dataset at a path (`locations.find_path`); `is_local` for a path on the driver's disk."""
        return find_path(path, _LOCAL if is_local else self.default_fs, trims=self.trims_partitions)

    def find_uri(self, uri: str, *, is_local: bool = False) -> DatasetId | None:
        """Name the dataset at a URI (`locations.find_uri`)."""
        return find_uri(uri, _LOCAL if is_local else self.default_fs, trims=self.trims_partitions)

    def is_partition(self, path: str) -> bool:
        """Check for the path of a partition, trimmed by `find_path`."""
        return self.trims_partitions and is_partition(path)

    def find_glue_table(self, database: str, table: str, account: str | None = None) -> DatasetId | None:
        """Name a table of Glue's catalog in the region, for any catalog of the session; None without region or account.

        >>> Catalogs(region="eu-west-1", account="111122223333").find_glue_table("web", "orders")
        DatasetId(namespace='arn:aws:glue:eu-west-1:111122223333', name='table/web/orders')
        """
        namespace = _arn(self.region, account or self.account)
        return Catalog(namespace).find_table([database], table) if namespace and database and table else None

    def find_table(
        self, catalog: str | None, database: Sequence[str], table: str, location: str | None = None
    ) -> DatasetId | None:
        """Name a table of a catalog (None: the session's own); None if catalog or database is unknown."""
        if not database:
            return None
        if catalog in (None, _SESSION):
            return self.session.find_table(database, table, location)
        return self.named.get(catalog or "", Catalog()).find_table(database, table, location)

    def symlinks(
        self, catalog: str | None, database: Sequence[str], table: str, location: str | None = None
    ) -> tuple[Symlink, ...]:
        """Make a symlink of a table's name in a catalog; none without the name."""
        dataset = self.find_table(catalog, database, table, location)
        return (Symlink(dataset.namespace, dataset.name),) if dataset else ()


def is_table_bucket(namespace: str) -> bool:
    """Check for the ARN of a bucket of S3 Tables."""
    return _BUCKET.fullmatch(namespace) is not None


def read_catalogs(conf: SessionConf, environment: Mapping[str, str]) -> Catalogs:
    """Read the catalogs of a session's configuration."""
    entries = {
        **conf.hadoop(HADOOP_KEYS),
        **conf.entries((*_PREFIXES, *registry().conf_keys)),
        _WAREHOUSE: conf.session(_WAREHOUSE),
    }
    known = {key: value for key, value in entries.items() if value}
    return parse_catalogs({**known, **_find_account(known, environment)}, environment)


def _find_account(conf: Mapping[str, str], environment: Mapping[str, str]) -> Mapping[str, str]:
    """Find the account by a request to AWS, where a catalog of Glue's has no name without it; empty in other cases."""
    probe = parse_catalogs({**conf, _ACCOUNT: "?"}, environment)
    ends = [(catalog.namespace or "").rpartition(":") for catalog in (probe.session, *probe.named.values())]
    region = next((start.rpartition(":")[2] for start, _, end in ends if end == "?"), None)
    account = find_account(region) if region else None
    return {_ACCOUNT: account} if account else {}


def parse_catalogs(conf: Mapping[str, str], environment: Mapping[str, str]) -> Catalogs:
    """Parse the catalogs in Spark's configuration and Hadoop's `HADOOP_KEYS`: AWS Glue, else Hive, else a warehouse.

    >>> conf = {"spark.sql.catalogImplementation": "hive", "hive.metastore.uris": "thrift://meta:9083"}
    >>> parse_catalogs(conf, {}).find_table(None, ["shop"], "orders")
    DatasetId(namespace='hive://meta:9083', name='shop.orders')
    """
    own = {key: value for key, value in conf.items() if key.lower() in registry().conf_keys}
    conf = {key.removeprefix("spark.hadoop."): value for key, value in conf.items()}
    prefix = "spark.sql.catalog."
    names = {key.removeprefix(prefix).split(".")[0] for key in conf if key.startswith(prefix)}
    named = {name: _named(conf, f"{prefix}{name}.", environment) for name in names}
    session, default_fs = _session(conf, environment), conf.get(_DEFAULT_FS, _LOCAL)
    return Catalogs(session, named, default_fs, own, _region(environment), _account(conf))


def _session(conf: Mapping[str, str], environment: Mapping[str, str]) -> Catalog:
    warehouse = conf.get(_WAREHOUSE)
    if conf.get("spark.sql.catalogImplementation") == "hive":
        if conf.get(_FACTORY) == _GLUE_FACTORY and (glue := _arn(_region(environment), _account(conf))):
            return Catalog(glue)
        if metastore := _metastore(conf.get(_METASTORE)):
            return Catalog(metastore)
    return Catalog(namespace_of(warehouse), warehouse=True) if warehouse else Catalog()


def _named(conf: Mapping[str, str], prefix: str, environment: Mapping[str, str]) -> Catalog:
    """Parse a catalog under its own name: of AWS, of Iceberg, of a database, or with a warehouse."""
    of = {key: conf.get(f"{prefix}{key}") or "" for key in _OPTIONS}
    kind = (of["type"] or of["catalog-impl"]).rpartition(".")[2].lower()
    if on_aws := _on_aws(of, kind, conf, environment):
        return Catalog(on_aws)
    if kind in ("hive", "hivecatalog") and (metastore := _metastore(of["uri"] or conf.get(_METASTORE))):
        return Catalog(metastore)
    if kind in ("rest", "restcatalog", "nessie", "nessiecatalog") and of["uri"]:
        # A server of REST has a catalog for each warehouse; a warehouse of Nessie's is a folder.
        parts = (of["uri"], of["warehouse"] if kind.startswith("rest") else "")
        return Catalog("/".join(clean_name(part).strip("/") for part in parts if part))
    if of["url"].startswith("jdbc:"):
        return Catalog(url=of["url"])
    return Catalog(namespace_of(of["warehouse"]), warehouse=True) if of["warehouse"] else Catalog()


def _on_aws(of: Mapping[str, str], kind: str, conf: Mapping[str, str], environment: Mapping[str, str]) -> str | None:
    """Name the catalog of a bucket of S3 Tables, or Glue's; None for another catalog, or one without an account."""
    if is_table_bucket(of["warehouse"]):
        return of["warehouse"]
    rest = _GLUE_REST.fullmatch(of["uri"])
    in_glue = next((each for each in (of["glue.id"], of["warehouse"]) if _IN_GLUE.fullmatch(each)), None)
    if not (rest or in_glue or kind in ("glue", "gluecatalog")):
        return None
    region = (rest[1] if rest else of["client.region"]) or _region(environment)
    by_rest = of["warehouse"] if rest and of["warehouse"][:1].isdigit() else None
    return _arn(region, in_glue or by_rest or of["glue.id"] or _account(conf))


def _arn(region: str | None, catalog: str | None) -> str | None:
    """Render the namespace of a catalog of Glue's, by its id; None without region or id.

    >>> _arn("eu-west-1", "111122223333"), _arn("eu-west-1", "111122223333:s3tablescatalog/lake")
    ('arn:aws:glue:eu-west-1:111122223333', 'arn:aws:s3tables:eu-west-1:111122223333:bucket/lake')
    """
    if not region or not catalog:
        return None
    bucket = _IN_GLUE.fullmatch(catalog)
    return f"arn:aws:s3tables:{region}:{bucket[1]}:bucket/{bucket[2]}" if bucket else f"arn:aws:glue:{region}:{catalog}"


def _region(environment: Mapping[str, str]) -> str | None:
    return environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION")


def _account(conf: Mapping[str, str]) -> str | None:
    return conf.get(_GLUE_ID) or conf.get(_ACCOUNT)


def _metastore(uris: str | None) -> str | None:
    """Name the first of several metastores, as OpenLineage does."""
    first = urlsplit((uris or "").split(",")[0].strip())
    return f"hive://{first.hostname}:{first.port or 9083}" if first.hostname else None


def _is_under(location: str, namespace: str) -> bool:
    return f"{namespace_of(location)}/".startswith(f"{namespace}/")
