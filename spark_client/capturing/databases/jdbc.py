"""Tables behind JDBC URLs, as OpenLineage names them; no user, password or option ever comes into a name.

An unknown form of URL gives no name, rather than a name with a secret.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headwater_model.ids import DatasetId
from spark_client.capturing.datasets.sql_names import parse_name


@dataclass(frozen=True, slots=True)
class _Server:
    """Kind of a database.

    Attributes:
        scheme: of its namespaces.
        port, schema: its defaults where a URL names none.
        database_options, schema_options: of its URLs, in lower case.
        depth: number of parts of a table's full name.
    """

    scheme: str
    port: str | None = None
    schema: str | None = None
    database_options: tuple[str, ...] = ()
    schema_options: tuple[str, ...] = ()
    depth: int = 3


_SERVERS = {
    "postgresql": _Server("postgres", "5432", "public", schema_options=("currentschema",)),
    "redshift": _Server("redshift", "5439", "public", schema_options=("currentschema",)),
    "mysql": _Server("mysql", "3306", depth=2),
    "mariadb": _Server("mariadb", "3306", depth=2),
    "sqlserver": _Server("sqlserver", "1433", "dbo", ("databasename", "database")),
    "oracle": _Server("oracle", "1521"),
    "snowflake": _Server("snowflake", None, "PUBLIC", ("db", "database"), ("schema",)),
    "db2": _Server("db2", "50000", schema_options=("currentschema",)),
    "trino": _Server("trino", "8080"),
    "presto": _Server("trino", "8080"),
    "derby": _Server("derby", "1527", database_options=("databasename",)),
}
# Databases inside the program: they have a file or a name instead of a host.
_EMBEDDED = frozenset({"derby", "h2", "hsqldb", "sqlite", "duckdb"})

_SCHEMES = _EMBEDDED | {server.scheme for server in _SERVERS.values()}

# Databases that fold names without quotes to upper or lower case.
_UPPER = frozenset({"db2", "derby", "h2", "hsqldb", "oracle", "snowflake"})
_LOWER = frozenset({"postgresql", "presto", "redshift", "trino"})

_URL = re.compile(
    r"(?:jdbc:)?(?P<kind>\w+)(?P<more>(?::[a-z]+|\+\w+)*)"
    r"(?:://(?P<authority>[^/?;]*)(?:/(?P<database>[^?;]*))?|:(?P<local>[^?;]*))(?:[?;](?P<options>.*))?",
    re.DOTALL | re.IGNORECASE,
)
_HOST = re.compile(r"(?P<host>\[[0-9a-f:.]+\]|[\w.-]+)(?:\\(?P<instance>\w+))?(?::(?P<port>\d+))?", re.IGNORECASE)
_REDSHIFT = re.compile(
    r"(?P<cluster>[\w-]+)\.[^.]+\.(?P<region>[\w-]+)\.redshift(?:-serverless)?\.amazonaws\.com(?:\.cn)?"
)
_REDSHIFT_IAM = re.compile(r"(?P<cluster>[\w-]+):(?P<region>[a-z]{2}(?:-[a-z]+)+-\d)")
_ORACLE = re.compile(
    r"(?:(?:\w+:)?//)?(?P<host>\[[0-9a-f:.]+\]|[\w.,-]+)(?::(?P<port>\d+))?(?:[:/](?P<service>[\w.$#-]+))?.*", re.I
)
_TNS = re.compile(r"\(\s*(HOST|PORT|SERVICE_NAME|SID)\s*=\s*([\w.-]+)\s*\)", re.IGNORECASE)
# An `@` in the path, or in the first option's name: the end of a password with a slash or a `?`.
_USER_BEHIND_HOST = re.compile(r"//[^/?;]*(?:[/?;][^=]*|/[^?;:]*)@")


@dataclass(frozen=True, slots=True)
class _Database:
    """Database of a URL: its namespace, and the database and schema missing in a short name of a table."""

    namespace: str
    database: str | None = None
    schema: str | None = None
    depth: int = 3


def find_table(url: str, table: str) -> DatasetId | None:
    """Find the table behind a JDBC URL, completed by the URL and the database's defaults.

    >>> find_table("jdbc:postgresql://db/shop?user=ann&password=secret", "orders")
    DatasetId(namespace='postgres://db:5432', name='shop.public.orders')
    >>> find_table("jdbc:mysql://ann:secret@db:3307/shop", "archive.orders")
    DatasetId(namespace='mysql://db:3307', name='archive.orders')
    >>> find_table("jdbc:sqlite:/data/shop.db", '"orders"')
    DatasetId(namespace='sqlite:/data/shop.db', name='orders')
    """
    parts = parse_name(table)
    named = _find_database(url.strip())
    if parts is None or named is None:
        return None
    if len(parts) == 1 and named.schema:
        parts = [named.schema, *parts]
    if named.database and len(parts) < named.depth:
        parts = [named.database, *parts]
    return DatasetId(named.namespace, ".".join(parts))


def is_database(dataset: DatasetId) -> bool:
    """True if a dataset is a database's table.

    >>> is_database(DatasetId("postgres://db:5432", "shop.public.orders")), is_database(DatasetId("s3://shop", "x"))
    (True, False)
    """
    return dataset.namespace.partition(":")[0] in _SCHEMES


def find_column(url: str, name: str) -> str:
    """Spell a column of a query as the database does: without quotes, in upper or lower case if it folds names.

    >>> [find_column(url, "Total") for url in ("jdbc:oracle:thin:@db:1521/s", "jdbc:postgresql://db/s", "jdbc:mysql://db/s")]
    ['TOTAL', 'total', 'Total']
    >>> find_column("jdbc:postgresql://db/s", '"Total"')
    'Total'
    """
    kind = url.strip().removeprefix("jdbc:").partition(":")[0].lower()
    if name.startswith('"'):
        return name.strip('"')
    return name.upper() if kind in _UPPER else name.lower() if kind in _LOWER else name


def _find_database(url: str) -> _Database | None:
    match = _URL.fullmatch(url)
    if match is None:
        return None
    kind = match["kind"].lower()
    if kind == "oracle":
        return _find_oracle(url)
    if _USER_BEHIND_HOST.search(url):
        return None
    options = _options(match["options"] or "")
    if match["authority"] is None:
        return _find_embedded(kind, f"{match['more'][1:]}:{match['local']}".lstrip(":"), options)
    database, _, more = (match["database"] or "").partition(":")  # Db2 has its options behind a colon
    server = _SERVERS.get(kind, _Server(kind))
    return _database_at(server, match["authority"], "" if "=" in database else database, {**options, **_options(more)})


def _database_at(server: _Server, authority: str, path: str, options: Mapping[str, str]) -> _Database | None:
    hosts = _find_hosts(server, authority.rpartition("@")[2] or options.get("servername", "localhost"))
    if hosts is None:
        return None
    database = _first(server.database_options, options) or path.strip("/") or None
    schema = _first(server.schema_options, options)
    if server.scheme == "trino" and database and "/" in database:
        database, _, schema = database.partition("/")
    schema = (schema or "").split(",")[0] or server.schema  # Postgres takes a list: new tables go to its first
    return _Database(f"{server.scheme}://{hosts}", database, schema, server.depth)


def _find_hosts(server: _Server, authority: str) -> str | None:
    if server.scheme == "snowflake":
        return _snowflake_account(authority)
    if server.scheme == "redshift" and (match := _REDSHIFT_IAM.fullmatch(authority)):
        return f"{match['cluster']}.{match['region']}:{server.port}"
    hosts = [_find_host(server, host) for host in authority.split(",")]
    return None if None in hosts else ",".join(filter(None, hosts))


def _find_host(server: _Server, authority: str) -> str | None:
    match = _HOST.fullmatch(authority.strip())
    if match is None:
        return None
    host, port, instance = match["host"].lower(), match["port"], match["instance"]
    if server.scheme == "redshift" and (cluster := _REDSHIFT.fullmatch(host)):
        host = f"{cluster['cluster']}.{cluster['region']}"
    port = port or (None if instance else server.port)
    return "".join((host, f":{port}" if port else "", f"/{instance}" if instance else ""))


def _snowflake_account(authority: str) -> str | None:
    """Read `organization-account`, or an old account locator with region and cloud, completed as in OpenLineage."""
    match = _HOST.fullmatch(authority)
    if match is None:
        return None
    parts = match["host"].lower().removesuffix(".snowflakecomputing.com").split(".")
    if len(parts) == 1 and "-" in parts[0]:
        return parts[0]
    return ".".join([*parts, *("us-west-1", "aws")[len(parts) - 1 :]])


def _find_oracle(url: str) -> _Database | None:
    """Find the database of `thin:@//host:1521/service`, `thin:@host:1521:sid`, or a TNS descriptor."""
    _, at, address = url.rpartition("@")
    address = address.partition("?")[0]
    if "(" in address:
        address_parts = {key.upper(): value for key, value in reversed(_TNS.findall(address))}
        host, port = address_parts.get("HOST"), address_parts.get("PORT")
        service = address_parts.get("SERVICE_NAME") or address_parts.get("SID")
    else:
        match = _ORACLE.fullmatch(address)
        host, port, service = (match["host"], match["port"], match["service"]) if match else (None, None, None)
    if not at or not host:
        return None
    return _Database(f"oracle://{host.lower()}:{port or _SERVERS['oracle'].port}", service)


def _find_embedded(kind: str, local: str, options: Mapping[str, str]) -> _Database | None:
    database = local or options.get("databasename")
    if kind == "postgresql" and database:  # its short form: a database on this host
        return _database_at(_SERVERS[kind], "localhost", database, options)
    if kind not in _EMBEDDED or not database or "@" in database:
        return None
    return _Database(f"{kind}:{database}")


def _options(text: str) -> dict[str, str]:
    pairs = (pair.partition("=") for pair in re.split("[;&]", text))
    return {key.strip().lower(): value.strip() for key, _, value in pairs if value}


def _first(names: Sequence[str], options: Mapping[str, str]) -> str | None:
    return next((options[name] for name in names if name in options), None)
