"""Tables of the Spark packages of Redshift, Snowflake and BigQuery, named as in OpenLineage.

A query of a single table has the table's name; its columns may be computed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from spark_client.capturing.databases import jdbc
from spark_client.capturing.databases.simple_queries import find_query
from spark_client.capturing.datasets.connectors.addresses import find_address
from spark_client.capturing.datasets.sql_names import parse_name
from spark_client.connectors import Computed, DatasetId, Described

_PARAMETERS = ("params.parameters",)
_REDSHIFTS = (
    "io.github.spark_redshift_community.spark.redshift",
    "io.github.spark_redshift_utils.spark.redshift",
    "com.databricks.spark.redshift",
)
_SNOWFLAKE = "net.snowflake.spark.snowflake"
_BIGQUERY = "com.google.cloud.spark.bigquery"
_ID_PARTS = ("getProject", "getDataset", "getTable")
_SCHEME = re.compile(r"^(?:https?://|jdbc:snowflake://)|/$")
_BIGQUERY_TABLE = re.compile(
    r"(?:(?P<project>[a-z][a-z0-9.:-]*[a-z0-9])[.:])?(?P<dataset>\w+)\.(?P<table>[\w -]+)(?:\$\w+)?"
)
_BIGQUERY_NAME = re.compile(r"[\w -]+(?:\$\w+)?")


class Redshift:
    """Names of Redshift's tables: `redshift://{cluster}.{region}:{port}`, and `{database}.{schema}.{table}`."""

    classes = (
        "redshift",
        *_REDSHIFTS,
        *(
            f"{package}.{name}"
            for package in _REDSHIFTS
            for name in ("DefaultSource", "RedshiftRelation", "v2.RedshiftTable")
        ),
    )
    getters: Mapping[str, Sequence[str]] = {f"{package}.RedshiftRelation": _PARAMETERS for package in _REDSHIFTS}
    options = ("url", "dbtable", "query")

    def datasets(self, described: Described) -> Sequence[DatasetId]:
        """Find the table; Redshift also takes a URL of Postgres's driver."""
        url = re.sub(r"^jdbc:postgresql:", "jdbc:redshift:", described.options.get("url", "").strip())
        return _of_table_or_query(described, lambda table: jdbc.find_table(url, table)) if _is_redshift(url) else ()


class Snowflake:
    """Names of Snowflake's tables: `snowflake://{organization}-{account}`, and `{database}.{schema}.{table}`."""

    classes = ("snowflake", _SNOWFLAKE, f"{_SNOWFLAKE}.DefaultSource", f"{_SNOWFLAKE}.SnowflakeRelation")
    getters: Mapping[str, Sequence[str]] = {f"{_SNOWFLAKE}.SnowflakeRelation": _PARAMETERS}
    options = ("sfurl", "sfdatabase", "sfschema", "dbtable", "query")

    def datasets(self, described: Described) -> Sequence[DatasetId]:
        """Find the table; the session's database and schema complete a short name."""
        options = described.options
        address = find_address(_SCHEME.sub("", options.get("sfurl", "").strip()), None)
        server = jdbc.find_table(f"jdbc:snowflake://{address}", "a.b.c") if address else None
        session = [
            parse_name(options.get(key) or default) for key, default in (("sfdatabase", ""), ("sfschema", "PUBLIC"))
        ]

        def named(table: str) -> DatasetId | None:
            parts = parse_name(table) or []
            missing = session[: 3 - len(parts)] if parts else []
            full = [*(part for given in missing for part in given or ()), *parts]
            return DatasetId(server.namespace, ".".join(full)) if server and len(full) == 3 else None

        return _of_table_or_query(described, named)


class BigQuery:
    """Names of BigQuery's tables: `bigquery`, and `{project}.{dataset}.{table}`."""

    classes = (
        "bigquery",
        _BIGQUERY,
        f"{_BIGQUERY}.BigQueryRelationProvider",
        f"{_BIGQUERY}.DefaultSource",
        f"{_BIGQUERY}.direct.DirectBigQueryRelation",
        *(f"{_BIGQUERY}.v2.Spark3{minor}BigQueryTable" for minor in range(1, 6)),
        *(f"{_BIGQUERY}.v2.Spark3{minor}BigQueryTableProvider" for minor in range(1, 6)),
    )
    getters: Mapping[str, Sequence[str]] = {
        f"{_BIGQUERY}.BigQueryRelation": tuple(f"getTableId.{part}" for part in _ID_PARTS),
        f"{_BIGQUERY}.v2.Spark31BigQueryTable": tuple(f"tableId.{part}" for part in _ID_PARTS),
    }
    options = ("table", "path", "dataset", "project", "query")

    def datasets(self, described: Described) -> Sequence[DatasetId]:
        """Find the table, or the only table of a query: the connector itself reads a table of the result."""
        options = described.options
        table = options.get("table") or options.get("path") or ""
        query = options.get("query") or (table if re.match(r"\s*(?:select|with)\s", table, re.IGNORECASE) else "")
        if query and not described.is_write:
            return _of_query(query, lambda name: _in_bigquery(name, options))
        for getter in ("tableId", "getTableId"):
            parts = [described.values.get(f"{getter}.{part}") for part in _ID_PARTS]
            if all(parts):
                return _some(_in_bigquery(".".join(map(str, parts)), {}))
        return _some(_in_bigquery(table, options))


def _is_redshift(url: str) -> bool:
    return url.startswith("jdbc:redshift:")


def _in_bigquery(table: str, options: Mapping[str, str]) -> DatasetId | None:
    """Find a table, with project and dataset of the options for a short name; a day's partition counts as the table.

    >>> _in_bigquery("acme-1:shop.orders$20130101", {})
    DatasetId(namespace='bigquery', name='acme-1.shop.orders')
    >>> _in_bigquery("orders", {"dataset": "shop", "project": "acme-1"}).name, _in_bigquery("shop.orders", {})
    ('acme-1.shop.orders', None)
    """
    text = table.strip().replace("`", "")
    if _BIGQUERY_NAME.fullmatch(text) and options.get("dataset"):
        text = f"{options['dataset']}.{text}"
    match = _BIGQUERY_TABLE.fullmatch(text)
    project = match and (match["project"] or options.get("project"))
    if not match or not project or not re.fullmatch(r"[a-z][a-z0-9.:-]*[a-z0-9]", project):
        return None
    return DatasetId("bigquery", f"{project}.{match['dataset']}.{match['table']}")


def _of_table_or_query(described: Described, named: Callable[[str], DatasetId | None]) -> Sequence[DatasetId]:
    """Find the table of `dbtable`, or of a query in `dbtable` or `query`."""
    table, query = described.options.get("dbtable") or "", described.options.get("query") or ""
    if table and parse_name(table) is not None:
        return _some(named(table))
    return () if described.is_write else _of_query(query or table, named)


def _of_query(text: str, named: Callable[[str], DatasetId | None]) -> Sequence[DatasetId]:
    query = find_query(text)
    datasets = _some(named(query.table) if query else None)
    return datasets if query is None or query.plain else Computed(datasets)


def _some(dataset: DatasetId | None) -> Sequence[DatasetId]:
    return () if dataset is None else (dataset,)
