"""Catalogs of tables, and the names of tables in a catalog."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from headwater_model.ids import DatasetId
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
_GLUE_ID, _METASTORE, _DEFAULT_FS = "hive.metastore.glue.catalogid", "hive.metastore.uris", "fs.defaultFS"
_WAREHOUSE = "spark.sql.warehouse.dir"
# Keys of Hadoop's configuration for a catalog or a file system.
HADOOP_KEYS = (_FACTORY, _GLUE_ID, _METASTORE, _DEFAULT_FS)
_LOCAL = "file:///"
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
        account = account or self.account
        known = self.region and account and database and table
        return Catalog(f"arn:aws:glue:{self.region}:{account}").find_table([database], table) if known else None

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


def read_catalogs(conf: SessionConf, environment: Mapping[str, str]) -> Catalogs:
    """Read the catalogs of a session's configuration."""
    entries = {
        **conf.hadoop(HADOOP_KEYS),
        **conf.entries((*_PREFIXES, *registry().conf_keys)),
        _WAREHOUSE: conf.session(_WAREHOUSE),
    }
    return parse_catalogs({key: value for key, value in entries.items() if value}, environment)


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
        if conf.get(_FACTORY) == _GLUE_FACTORY and (glue := _glue(conf, conf.get(_GLUE_ID), environment)):
            return Catalog(glue)
        if metastore := _metastore(conf.get(_METASTORE)):
            return Catalog(metastore)
    return Catalog(namespace_of(warehouse), warehouse=True) if warehouse else Catalog()


def _named(conf: Mapping[str, str], prefix: str, environment: Mapping[str, str]) -> Catalog:
    """Parse a catalog under its own name: of Iceberg, of a database, or with a warehouse."""
    of = {key: conf.get(f"{prefix}{key}") for key in ("type", "catalog-impl", "uri", "warehouse", "glue.id", "url")}
    kind = (of["type"] or of["catalog-impl"] or "").rpartition(".")[2].lower()
    if kind in ("glue", "gluecatalog") and (glue := _glue(conf, of["glue.id"], environment)):
        return Catalog(glue)
    if kind in ("hive", "hivecatalog") and (metastore := _metastore(of["uri"] or conf.get(_METASTORE))):
        return Catalog(metastore)
    if kind in ("rest", "restcatalog", "nessie", "nessiecatalog") and of["uri"]:
        return Catalog(clean_name(of["uri"]).rstrip("/"))
    if of["url"] and of["url"].startswith("jdbc:"):
        return Catalog(url=of["url"])
    return Catalog(namespace_of(of["warehouse"]), warehouse=True) if of["warehouse"] else Catalog()


def _glue(conf: Mapping[str, str], account: str | None, environment: Mapping[str, str]) -> str | None:
    region, account = _region(environment), account or _account(conf)
    return f"arn:aws:glue:{region}:{account}" if region and account else None


def _region(environment: Mapping[str, str]) -> str | None:
    return environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION")


def _account(conf: Mapping[str, str]) -> str | None:
    return conf.get(_GLUE_ID) or conf.get("spark.glue.accountId")


def _metastore(uris: str | None) -> str | None:
    """Name the first of several metastores, as OpenLineage does."""
    first = urlsplit((uris or "").split(",")[0].strip())
    return f"hive://{first.hostname}:{first.port or 9083}" if first.hostname else None


def _is_under(location: str, namespace: str) -> bool:
    return f"{namespace_of(location)}/".startswith(f"{namespace}/")
