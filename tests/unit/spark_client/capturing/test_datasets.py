"""Datasets that the leaves of a plan read."""

from __future__ import annotations

import pytest

from headwater_model.ids import DatasetId
from spark_client.capturing.databases.simple_queries import find_query
from spark_client.capturing.datasets.leaf_source import LeafSource
from spark_client.capturing.datasets.sources import find_datasets
from spark_client.capturing.model import Dataset, Symlink
from spark_client.capturing.plans.added_columns import added_columns
from tests.unit.spark_client.capturing.builders_nodes import (
    CATALOGS,
    COLUMNS,
    SCHEMA,
    a_node,
    a_relation,
    a_table,
    a_v2_relation,
)

FLIGHTS = DatasetId("s3://lake", "warehouse/flights")
NAMED = (Symlink("s3://lake/warehouse", "default.flights"),)
ORDERS = DatasetId("postgres://db:5432", "shop.public.orders")


def test_files_are_the_folders_that_they_are_in_each_once():
    leaf = a_relation("s3a://lake/flights/day=2013-01-01", "s3a://lake/flights/day=2013-01-02", "s3a://lake/late")

    assert find_datasets(leaf, CATALOGS) == LeafSource(
        (Dataset(DatasetId("s3://lake", "flights"), COLUMNS), Dataset(DatasetId("s3://lake", "late"), COLUMNS))
    )


@pytest.mark.parametrize("count", [50, 51, 1_000])
def test_each_of_many_paths_has_its_name(count: int):
    many = [f"s3a://lake/flights/{number}x" for number in range(count)]

    assert len(find_datasets(a_relation(*many), CATALOGS).datasets) == count


def test_very_many_files_are_the_folders_above_them():
    many = [f"s3a://lake/days/{day}/hours/{hour}.csv" for day in ("a", "b") for hour in range(600)]

    assert [dataset.id.name for dataset in find_datasets(a_relation(*many), CATALOGS).datasets] == [
        "days/a/hours",
        "days/b/hours",
    ]
    assert [dataset.id.name for dataset in find_datasets(a_relation(*many[:20]), CATALOGS).datasets] == [
        f"days/a/hours/{hour}.csv" for hour in range(20)
    ]


def test_no_folder_is_left_out_however_they_lie():
    deep = [f"s3a://lake/days/{day}/hours/{hour}.csv" for day in "abc" for hour in range(600)]
    wide = [f"s3a://lake/{number}/a/x.csv" for number in range(1_100)]
    roots = [f"s3a://lake-{number}/x.csv" for number in range(1_100)]

    def places(paths: list[str]) -> set[str]:
        return {dataset.id.name for dataset in find_datasets(a_relation(*paths), CATALOGS).datasets}

    assert places(deep) == {"days/a/hours", "days/b/hours", "days/c/hours"}
    assert places(wide) == {str(number) for number in range(1_100)}
    assert len(find_datasets(a_relation(*roots), CATALOGS).datasets) == 1_100


def test_temporary_files_are_nobodys_dataset():
    read = find_datasets(a_relation("s3a://lake/flights/_temporary/0"), CATALOGS)

    assert read == LeafSource(unknown="HadoopFsRelation: a source that nobody can name")


def test_a_table_is_where_it_lies_and_its_name_is_a_symlink():
    leaf = a_relation("s3a://lake/warehouse/flights/day=2013-01-01", table=a_table())

    assert find_datasets(leaf, CATALOGS) == LeafSource((Dataset(FLIGHTS, COLUMNS, NAMED),))


def test_a_table_of_hives_own_formats_is_named_alike():
    leaf = a_node("HiveTableRelation", tableMeta=a_table(), schema=SCHEMA)

    assert find_datasets(leaf, CATALOGS) == LeafSource((Dataset(FLIGHTS, COLUMNS, NAMED),))


def jdbc(table: str, **values: object) -> dict[str, object]:
    options = {"class": "JDBCOptions", "url": "jdbc:postgresql://db/shop?password=secret", "tableOrQuery": table}
    return {"class": "JDBCRelation", "jdbcOptions": options, **values}


def test_a_databases_table_is_the_databases_whatever_spark_calls_it():
    registered = a_node("LogicalRelation", relation=jdbc("orders"), catalogTable=a_table(), schema=SCHEMA)

    assert find_datasets(registered, CATALOGS) == LeafSource((Dataset(ORDERS, COLUMNS, NAMED),))


def test_a_query_of_the_databases_is_its_table_if_its_columns_are():
    plain = a_node("LogicalRelation", relation=jdbc("(select id from orders where id > 1) q"), schema=SCHEMA)
    computed = a_node("LogicalRelation", relation=jdbc("(select sum(id) s from orders) q"), schema=SCHEMA)
    joined = a_node("LogicalRelation", relation=jdbc("(select * from orders join lines using (id)) q"), schema=SCHEMA)

    assert find_datasets(plain, CATALOGS) == LeafSource((Dataset(ORDERS, COLUMNS),))
    assert find_datasets(computed, CATALOGS) == LeafSource((Dataset(ORDERS),), "JDBCRelation: computed by the database")
    assert find_datasets(joined, CATALOGS) == LeafSource(unknown="JDBCRelation: a query that the database runs")


V2 = [
    # A database's.
    (
        a_v2_relation(jdbc('"web"."orders"'), "shop", "web", "orders"),
        Dataset(DatasetId(ORDERS.namespace, "shop.web.orders")),
    ),
    # Where it says that it lies, with its name in its catalog.
    (
        a_v2_relation(
            {"class": "SparkTable", "properties": {"location": "s3://lake/ice/orders"}}, "ice", "web", "orders"
        ),
        Dataset(DatasetId("s3://lake", "ice/orders"), symlinks=(Symlink("https://ice:8181/api", "web.orders"),)),
    ),
    (
        a_v2_relation({"class": "DeltaTableV2", "path": "s3://lake/orders", "catalogTable": None, "properties": {}}),
        Dataset(DatasetId("s3://lake", "orders")),
    ),
    (
        a_v2_relation(
            {
                "class": "RowLevelOperationTable",
                "table": {"class": "SparkTable", "properties": {"location": "s3://lake/ice/orders"}},
            },
            "ice",
            "web",
            "orders",
        ),
        Dataset(DatasetId("s3://lake", "ice/orders"), symlinks=(Symlink("https://ice:8181/api", "web.orders"),)),
    ),
    (
        a_v2_relation(
            {"class": "SparkTable", "properties": {"location": "s3://lake/ice/orders"}},
            "ice",
            "s3://lake/ice",
            "orders",
        ),
        Dataset(DatasetId("s3://lake", "ice/orders")),
    ),
    # Files.
    (
        a_v2_relation({"class": "ParquetTable", "fileIndex": {"class": "Index", "rootPaths": ["s3://lake/orders"]}}),
        Dataset(DatasetId("s3://lake", "orders")),
    ),
    (a_v2_relation({"class": "V1Table", "v1Table": a_table()}), Dataset(FLIGHTS, symlinks=NAMED)),
    # What its options name.
    (
        a_v2_relation(
            {"class": "KafkaTable"}, options={"kafka.bootstrap.servers": "k1:9093,k2", "subscribe": "flights"}
        ),
        Dataset(DatasetId("kafka://k1:9093", "flights")),
    ),
    (
        a_v2_relation({"class": "Custom"}, options={"path": "s3://lake/orders"}),
        Dataset(DatasetId("s3://lake", "orders")),
    ),
    # The table whose changes are read.
    (
        a_v2_relation(
            {"class": "SparkChangelogTable", "icebergTable.location": "s3://lake/ice/orders", "properties": {}},
            *("ice", "web", "orders", "changes"),
        ),
        Dataset(DatasetId("s3://lake", "ice/orders"), symlinks=(Symlink("https://ice:8181/api", "web.orders"),)),
    ),
    # Its name alone.
    (
        a_v2_relation({"class": "Custom"}, "ice", "web", "orders"),
        Dataset(DatasetId("https://ice:8181/api", "web.orders")),
    ),
]


@pytest.mark.parametrize(("leaf", "dataset"), V2, ids=lambda value: getattr(value, "kind", ""))
def test_a_table_of_the_second_interface_is_named_by_the_most_that_is_known(leaf, dataset):
    read = find_datasets(leaf, CATALOGS)

    assert read == LeafSource((Dataset(dataset.id, COLUMNS, dataset.symlinks),))
    assert find_datasets(a_node("DataSourceV2ScanRelation", relation=leaf, schema=SCHEMA), CATALOGS) == read


def test_a_table_about_a_table_reads_it_but_none_of_its_columns():
    table = {"class": "SparkTable", "properties": {"location": "s3://lake/ice/orders"}}
    leaf = a_v2_relation(table, "ice", "web", "orders", "snapshots")

    orders = Dataset(DatasetId("s3://lake", "ice/orders"))
    assert find_datasets(leaf, CATALOGS) == LeafSource((orders,), "SparkTable: what a table keeps of itself")


_ADDED = (
    '{"name":"at","type":"long","metadata":{}},{"name":"_file","type":"long","metadata":{"__metadata_col":"_file"}}'
)


@pytest.mark.parametrize(
    ("table", "name"),
    [
        ({"class": "SparkTable", "properties": {"provider": "iceberg"}}, "_row_id"),
        ({"class": "RowLevelOperationTable", "table": {"properties": {"provider": "iceberg"}}}, "_row_id"),
        ({"class": "SparkChangelogTable"}, "_change_ordinal"),
        ({"class": "ChangelogTable"}, "_change_type"),
    ],
)
def test_metadata_columns_are_no_columns_of_a_table(table, name):
    schema = f'{{"type":"struct","fields":[{_ADDED},{{"name":"{name}","type":"long","metadata":{{}}}}]}}'
    leaf = a_v2_relation(table, "ice", "web", "orders", "changes", schema=schema)

    (read,) = find_datasets(leaf, CATALOGS).datasets
    assert [column.name for column in read.schema] == ["at"]
    assert added_columns(leaf) >= {"_file", name}


def test_topics_are_a_dataset_each():
    options = {"kafka.bootstrap.servers": "k1:9093,k2:9093", "subscribe": "flights, planes"}
    leaf = a_node("LogicalRelation", relation={"class": "KafkaRelation", "sourceOptions": options}, schema=SCHEMA)

    assert find_datasets(leaf, CATALOGS) == LeafSource(
        (
            Dataset(DatasetId("kafka://k1:9093", "flights"), COLUMNS),
            Dataset(DatasetId("kafka://k1:9093", "planes"), COLUMNS),
        )
    )


# Sources of streams, and the datasets that they are.
STREAMS = [
    (
        a_node("StreamingRelation", dataSource={"class": "DataSource", "options": {"path": "s3a://lake/orders"}}),
        Dataset(DatasetId("s3://lake", "orders")),
    ),
    (
        a_node("StreamingRelation", dataSource={"class": "DataSource", "options": {}, "catalogTable": a_table()}),
        Dataset(FLIGHTS, symlinks=NAMED),
    ),
    (
        a_node(
            "StreamingRelationV2",
            table={"class": "KafkaTable"},
            extraOptions={"kafka.bootstrap.servers": "k1:9093", "subscribe": "flights"},
        ),
        Dataset(DatasetId("kafka://k1:9093", "flights")),
    ),
    (
        a_node(
            "StreamingRelationV2",
            table={"class": "KafkaTable"},
            extraOptions={"kafka.bootstrap.servers": "k1:9093", "assign": '{"flights":[0,1]}'},
        ),
        Dataset(DatasetId("kafka://k1:9093", "flights")),
    ),
    (
        a_node("StreamingRelationV2", table={"class": "DeltaTableV2", "path": "s3://lake/orders"}),
        Dataset(DatasetId("s3://lake", "orders")),
    ),
    (
        a_node(
            "StreamingRelationV2", table={"class": "SparkTable", "properties": {"location": "s3://lake/ice/orders"}}
        ),
        Dataset(DatasetId("s3://lake", "ice/orders")),
    ),
]


@pytest.mark.parametrize(("leaf", "dataset"), STREAMS)
def test_a_source_of_a_stream_is_the_dataset_that_it_is_read_from(leaf, dataset):
    leaf.values = {**leaf.values, "schema": SCHEMA}
    assert find_datasets(leaf, CATALOGS) == LeafSource((Dataset(dataset.id, COLUMNS, dataset.symlinks),))


def test_a_stream_of_all_topics_of_a_pattern_has_no_name():
    options = {"kafka.bootstrap.servers": "k1:9093"}
    leaf = a_node("StreamingRelationV2", table={"class": "KafkaTable"}, extraOptions=options, schema=SCHEMA)
    assert find_datasets(leaf, CATALOGS) == LeafSource(unknown="KafkaTable: a source that nobody can name")


def test_a_stream_that_spark_makes_up_is_made_of_nothing():
    leaf = a_node("StreamingRelationV2", table={"class": "RateStreamTable"}, schema=SCHEMA)
    assert find_datasets(leaf, CATALOGS) == LeafSource()


@pytest.mark.parametrize("kind", ["OneRowRelation", "Range"])
def test_rows_in_the_plan_itself_are_made_of_nothing(kind):
    assert find_datasets(a_node(kind, schema=SCHEMA), CATALOGS) == LeafSource()


def test_rows_in_a_statement_are_made_of_nothing():
    values = {"schema": SCHEMA, "origin.sqlText": "SELECT * FROM VALUES (1)"}
    assert find_datasets(a_node("LocalRelation", **values), CATALOGS) == LeafSource()


UNKNOWN = [
    (a_node("LogicalRDD"), "LogicalRDD: made of an RDD"),
    (a_node("LocalRelation"), "LocalRelation: rows of the program"),
    (a_node("ExternalRDD"), "ExternalRDD: made of an RDD"),
    (a_node("CommandResult"), "CommandResult: the result of a command"),
    (a_node("StreamingRelation"), "StreamingRelation: a source that nobody can name"),
    (a_node("LogicalRelation", relation={"class": "KafkaRelation"}), "KafkaRelation: a source that nobody can name"),
    (a_node("LogicalRelation", relation=None), "LogicalRelation: a source that nobody can name"),
    (a_v2_relation({"class": "RateTable"}), "RateTable: a source that nobody can name"),
    (a_v2_relation({"class": "Custom"}, "nowhere", "web", "orders"), "Custom: a source that nobody can name"),
    (a_node("SomethingNew"), "SomethingNew: a source that nobody can name"),
]


@pytest.mark.parametrize(("leaf", "why"), UNKNOWN, ids=lambda value: getattr(value, "kind", value))
def test_what_nobody_can_name_says_so(leaf, why):
    assert find_datasets(leaf, CATALOGS) == LeafSource(unknown=why)


PLAIN = [
    "select * from orders",
    '(SELECT id, "Total" FROM web.orders) SPARK_GEN_SUBQ_0',
    "(select o.id from orders as o where o.state in ('join', 'from') order by id limit 3) t",
    "select id -- from here\nfrom orders /* from there */ fetch first 3 rows only;",
]
COMPUTED = [
    "select distinct id from orders",
    "select id as x from orders",
    "select *, 1 as one from orders o",
    "select f(id) from orders",
]
NOT_ONE_TABLE = [
    "select * from orders, lines",
    "select * from orders natural join lines",
    "select * from (select * from orders) o",
    "with o as (select 1) select * from o",
    "select 1 from orders union select 2",
    "select extract(year from day) from orders",
    "select * from lines(3)",
    "select * from orders cross apply f(id)",
    "call orders()",
    "select 1",
    "",
]


def test_a_query_is_named_only_where_it_reads_one_table():
    assert [bool(query and query.plain) for query in map(find_query, PLAIN)] == [True] * len(PLAIN)
    assert [query and (query.table, query.plain) for query in map(find_query, COMPUTED)] == [("orders", False)] * len(
        COMPUTED
    )
    assert [find_query(text) for text in NOT_ONE_TABLE] == [None] * len(NOT_ONE_TABLE)
