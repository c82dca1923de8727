"""Targets of commands."""

import pytest

from headwater_model.ids import DatasetId
from spark_client.capturing.datasets.target import Target
from spark_client.capturing.datasets.targets import WRAPPERS, find_targets
from spark_client.capturing.model import Dataset, SchemaField, Symlink
from spark_client.capturing.streams.reading import find_sink
from tests.unit.spark_client.capturing.builders_nodes import (
    BY_NAME,
    CATALOGS,
    COLUMNS,
    ICE,
    ICE_NAME,
    SCHEMA,
    a_node,
    a_relation,
    a_table,
    a_v2_relation,
)

QUERY = a_relation("s3a://lake/raw")
NAMES = ("carrier", "flight")
FLIGHTS = DatasetId("s3://lake", "warehouse/flights")
NAMED = (Symlink("s3://lake/warehouse", "default.flights"),)
OUT = Dataset(DatasetId("s3://lake", "out"), COLUMNS)
ORDERS = DatasetId("postgres://db:5432", "shop.public.orders")
JDBC = {"class": "JDBCOptions", "url": "jdbc:postgresql://db/shop", "tableOrQuery": "orders"}
ORDERS_V2 = a_v2_relation({"class": "JDBCTable", "jdbcOptions": JDBC, "properties": {}}, "shop", "public", "orders")


def a_command(kind, **values):
    return a_node(kind, query=QUERY, query__schema=SCHEMA, **values)


def files(path="s3a://lake/out", mode="Append", table=None, **values):
    return a_command("InsertIntoHadoopFsRelationCommand", outputPath=path, mode=mode, catalogTable=table, **values)


def a_target(command, output, **values):
    return Target(command, output, **{"query": QUERY, "names": NAMES, **values})


FILES = "InsertIntoHadoopFsRelationCommand"
WRITES = [
    # Files.
    (files(), a_target(FILES, OUT)),
    (files(mode="ErrorIfExists"), a_target(FILES, OUT)),
    (files(mode="Ignore"), a_target(FILES, OUT, unless_there=True)),
    (files(mode="Overwrite"), a_target(FILES, OUT, change="OVERWRITE")),
    # An overwrite of a partition is no overwrite of the dataset.
    (files("s3a://lake/out/day=2013-01-01", "Overwrite"), a_target(FILES, OUT)),
    (files(mode="Overwrite", staticPartitions__size="1"), a_target(FILES, OUT)),
    (
        files("s3a://lake/warehouse/flights", "Overwrite", a_table()),
        a_target(FILES, Dataset(FLIGHTS, COLUMNS, NAMED), change="OVERWRITE"),
    ),
    (
        files(outputColumnNames=["Carrier", "Nr"]),
        a_target(
            FILES,
            Dataset(OUT.id, (SchemaField("Carrier", "string"), SchemaField("Nr", "integer"))),
            names=("Carrier", "Nr"),
        ),
    ),
    (
        a_command("InsertIntoDataSourceDirCommand", storage={"locationUri": "s3a://lake/out"}, overwrite=True),
        a_target("InsertIntoDataSourceDirCommand", OUT, change="OVERWRITE"),
    ),
    (
        a_command("InsertIntoHiveDirCommand", storage={"locationUri": "/out"}, isLocal=True, overwrite=True),
        a_target("InsertIntoHiveDirCommand", Dataset(DatasetId("file", "/out"), COLUMNS), change="OVERWRITE"),
    ),
    # New tables; mostly their location is not known yet.
    (
        a_command("CreateDataSourceTableAsSelectCommand", table=a_table(location=None), mode="ErrorIfExists"),
        a_target("CreateDataSourceTableAsSelectCommand", Dataset(BY_NAME, COLUMNS), change="CREATE"),
    ),
    (
        a_command("CreateHiveTableAsSelectCommand", tableDesc=a_table(), mode="Ignore"),
        a_target(
            "CreateHiveTableAsSelectCommand", Dataset(FLIGHTS, COLUMNS, NAMED), change="CREATE", unless_there=True
        ),
    ),
    (
        a_command("SaveAsV1TableCommand", tableDesc=a_table(location=None), mode="Overwrite"),
        a_target("SaveAsV1TableCommand", Dataset(BY_NAME, COLUMNS), change="OVERWRITE"),
    ),
    (
        a_command("CreateTableAsSelect", name=ICE_NAME),
        a_target("CreateTableAsSelect", Dataset(ICE, COLUMNS), change="CREATE"),
    ),
    (
        a_command("CreateHoodieTableAsSelectCommand", table=a_table(location=None), mode="ErrorIfExists"),
        a_target("CreateHoodieTableAsSelectCommand", Dataset(BY_NAME, COLUMNS), change="CREATE"),
    ),
    # Tables of Hudi's; with partitions, the settings decide whether an overwrite replaces the table or partitions.
    *(
        (
            a_command(
                "InsertIntoHoodieTableCommand",
                logicalRelation=a_relation("s3a://lake/warehouse/flights", table=a_table(partitionColumnNames=parted)),
                overwrite=True,
            ),
            a_target("InsertIntoHoodieTableCommand", Dataset(FLIGHTS, COLUMNS, NAMED), change=change),
        )
        for parted, change in (([], "OVERWRITE"), (["carrier"], None))
    ),
    # Hudi's own rows inside such a command have columns beyond the query's.
    (
        a_command(
            "AppendData",
            table=a_v2_relation({"class": "HoodieDataSourceInternalTable"}, options={"path": "s3a://lake/out"}),
        ),
        a_target("AppendData", Dataset(OUT.id), query=None),
    ),
    (
        a_command("ReplaceTableAsSelect", name=ICE_NAME),
        a_target("ReplaceTableAsSelect", Dataset(ICE, COLUMNS), change="OVERWRITE"),
    ),
    # Hive's own formats.
    (
        a_command("InsertIntoHiveTable", table=a_table(), overwrite=True, outputColumnNames=list(NAMES)),
        a_target("InsertIntoHiveTable", Dataset(FLIGHTS, COLUMNS, NAMED), change="OVERWRITE"),
    ),
    (
        a_node(
            "InsertIntoHiveTable",
            query=QUERY,
            table=a_table(partitionColumnNames=["Carrier"]),
            overwrite=True,
            outputColumnNames=["flight"],
        ),
        a_target("InsertIntoHiveTable", Dataset(FLIGHTS, COLUMNS, NAMED), names=("flight",), generated=("Carrier",)),
    ),
    # Sources with a write of their own.
    (
        a_command("SaveIntoDataSourceCommand", options={"url": JDBC["url"], "dbtable": "orders"}, mode="Append"),
        a_target("SaveIntoDataSourceCommand", Dataset(ORDERS, COLUMNS)),
    ),
    (
        a_command("SaveIntoDataSourceCommand", options={"kafka.bootstrap.servers": "k1", "topic": "flights"}),
        a_target("SaveIntoDataSourceCommand", Dataset(DatasetId("kafka://k1:9092", "flights"), COLUMNS)),
    ),
    (
        a_command("SaveIntoDataSourceCommand", options={"path": "s3://lake/out"}, mode="Overwrite"),
        a_target("SaveIntoDataSourceCommand", OUT, change="OVERWRITE"),
    ),
    (
        a_command(
            "InsertIntoDataSourceCommand",
            logicalRelation=a_node("LogicalRelation", relation={"class": "JDBCRelation", "jdbcOptions": JDBC}),
            overwrite=True,
        ),
        a_target("InsertIntoDataSourceCommand", Dataset(ORDERS, COLUMNS), change="OVERWRITE"),
    ),
    # Tables of the second interface.
    (a_command("AppendData", table=ORDERS_V2), a_target("AppendData", Dataset(ORDERS, COLUMNS))),
    (
        a_command("OverwriteByExpression", table=ORDERS_V2),
        a_target("OverwriteByExpression", Dataset(ORDERS, COLUMNS), change="OVERWRITE"),
    ),
    (
        a_command("OverwriteByExpression", table=ORDERS_V2, deleteExpr=a_node("EqualTo")),
        a_target("OverwriteByExpression", Dataset(ORDERS, COLUMNS)),
    ),
    (
        a_command("OverwritePartitionsDynamic", table=ORDERS_V2),
        a_target("OverwritePartitionsDynamic", Dataset(ORDERS, COLUMNS)),
    ),
    # Nobody's query.
    (
        a_node("LoadDataCommand", table=a_table()["identifier"], path="/raw", isLocal=True, isOverwrite=True),
        Target(
            "LoadDataCommand",
            Dataset(BY_NAME),
            change="OVERWRITE",
            unknown="LoadDataCommand: files are moved as they are",
            inputs=(Dataset(DatasetId("file", "/raw")),),
        ),
    ),
]


BY_DAY = {"mode": "Overwrite", "staticPartitions__size": "0", "partitionColumns": [a_node("AttributeReference")]}
DELTA = {"class": "DeltaDataSource", "shortName": "delta"}
DELTA_TABLE = a_v2_relation({"class": "DeltaTableV2", "path": "s3://lake/out"})


def delta(mode="Overwrite", **options):
    return a_command(
        "SaveIntoDataSourceCommand", dataSource=DELTA, options={"path": "s3://lake/out", **options}, mode=mode
    )


# A command, the session's mode of overwriting partitions, and whether all of the dataset is replaced.
OVERWRITES = [
    (files(**BY_DAY), "static", True),
    (files(**BY_DAY), "dynamic", False),
    (files(**BY_DAY, options={"partitionoverwritemode": "Dynamic"}), "static", False),
    (files(**BY_DAY, options={"partitionoverwritemode": "static"}), "dynamic", True),
    (files(mode="Overwrite", partitionColumns=[]), "dynamic", True),
    (delta(), "static", True),
    (delta(), "dynamic", False),
    (delta(partitionoverwritemode="dynamic"), "static", False),
    (delta(partitionoverwritemode="static"), "dynamic", True),
    (delta(replacewhere=None), "static", False),
    (a_command("OverwriteByExpression", table=DELTA_TABLE, writeOptions={}), "static", True),
    (a_command("OverwriteByExpression", table=DELTA_TABLE, writeOptions={"replacewhere": None}), "static", False),
    (a_command("OverwriteByExpression", table=ORDERS_V2, writeOptions={"replacewhere": None}), "dynamic", True),
]


@pytest.mark.parametrize(("command", "mode", "all_of_it"), OVERWRITES)
def test_an_overwrite_of_a_part_is_no_overwrite_of_the_dataset(command, mode, all_of_it):
    [target] = find_targets(command, CATALOGS, dynamic=mode == "dynamic")

    assert target.output is not None
    assert target.change == ("OVERWRITE" if all_of_it else None)


def test_an_append_with_the_options_of_an_overwrite_is_an_append():
    [target] = find_targets(delta("Append", partitionoverwritemode="dynamic"), CATALOGS, dynamic=True)

    assert target.change is None


def test_an_append_of_rows_that_iceberg_moves_is_maintenance_of_the_table():
    moved = {"rewritten-file-scan-task-set-id": None}
    [target] = find_targets(a_command("AppendData", table=ORDERS_V2, writeOptions=moved), CATALOGS)

    [append] = find_targets(a_command("AppendData", table=ORDERS_V2, writeOptions={}), CATALOGS)
    assert target == Target("AppendData", append.output, change="MAINTENANCE")


@pytest.mark.parametrize(("command", "target"), WRITES, ids=lambda value: value.kind if hasattr(value, "kind") else "")
def test_a_command_writes(command, target):
    assert find_targets(command, CATALOGS) == (target,)


ROWS = [
    a_node("MergeIntoTable", targetTable=a_node("SubqueryAlias", child=ORDERS_V2), sourceTable=QUERY),
    a_node("UpdateTable", table=ORDERS_V2),
    a_node(
        "ReplaceData", table=a_v2_relation({"class": "RowLevelOperationTable"}), originalTable=ORDERS_V2, query=QUERY
    ),
    a_node(
        "WriteDelta", table=a_v2_relation({"class": "RowLevelOperationTable"}), originalTable=ORDERS_V2, query=QUERY
    ),
    a_node("MergeIntoCommand", source=QUERY, target=ORDERS_V2),
    a_node("MergeIntoCommandEdge", source=QUERY, target=ORDERS_V2),
]
READ_BACK = [
    (a_node("DeleteFromTable", table=a_node("SubqueryAlias", child=ORDERS_V2)), "DELETE"),
    (a_node("DeleteCommand", target=ORDERS_V2), "DELETE"),
    (a_node("DeleteHoodieTableCommand", dft=a_node("DeleteFromTable", table=ORDERS_V2)), "DELETE"),
    # Hudi 1.2
    (a_node("DeleteHoodieTableCommand", query=a_node("Filter", child=ORDERS_V2)), "DELETE"),
    (a_node("DeleteHoodieTableCommand", query=a_node("Project", child=ORDERS_V2)), "DELETE"),
    (a_node("UpdateCommand", target=ORDERS_V2), "UPDATE"),
]


@pytest.mark.parametrize("command", ROWS, ids=lambda command: command.kind)
def test_of_a_change_of_rows_that_nobody_can_read_back_the_table_is_known_and_that_its_columns_are_unknown(command):
    why = f"{command.kind}: rows are changed in place"

    assert find_targets(command, CATALOGS) == (
        Target(command.kind, Dataset(ORDERS, COLUMNS), command, NAMES, unknown=why),
    )


@pytest.mark.parametrize(("command", "does"), READ_BACK, ids=lambda value: value.kind if hasattr(value, "kind") else "")
def test_of_a_change_of_rows_that_is_read_back_the_table_is_known_and_what_it_does(command, does):
    [target] = find_targets(command, CATALOGS)

    assert (target.output, target.names, target.unknown) == (Dataset(ORDERS, COLUMNS), NAMES, None)
    assert [clause.does for clause in target.rows.clauses] == [does]


NO_WRITES = [
    a_node("CreateViewCommand", plan=QUERY, viewType={"class": "LocalTempView"}),
    a_command("AlterViewAsCommand", name={"class": "TableIdentifier", "table": "flights", "database": None}),
    a_node("DropNamespace", cascade=False),
    a_node("CacheTable", table=QUERY),
    a_node("CacheTableAsSelect", plan=QUERY),
    a_node("CreateDataSourceTableCommand", table=a_table()),
    a_command("OverwriteByExpression", table=a_v2_relation({"class": "NoopTable", "name": "noop-table"})),
    a_command("WriteToDataSourceV2"),
    files("s3a://lake/out/_temporary/0"),
    # The execution inside it, with a known database, shows its table.
    a_command("SaveAsV1TableCommand", tableDesc={"identifier": {"table": "flights", "database": None}}),
    a_command(
        "CreateTableAsSelect", name=a_node("ResolvedIdentifier", catalog={"name": "x"}, identifier={"name": "t"})
    ),
]


@pytest.mark.parametrize("command", NO_WRITES, ids=lambda command: command.kind)
def test_what_writes_nothing_that_is_kept_has_no_target(command):
    assert find_targets(command, CATALOGS) == ()


NAMELESS = [
    (
        a_command("SaveIntoDataSourceCommand", dataSource={"class": "AcmeSink"}, options={}),
        "AcmeSink: a target that nobody can name",
    ),
    (
        a_command(
            "SaveIntoDataSourceCommand",
            dataSource={"class": "KafkaSourceProvider"},
            options={"kafka.bootstrap.servers": "k1"},
        ),
        "KafkaSourceProvider: a target that nobody can name",
    ),
    (a_command("AppendData", table=a_v2_relation({"class": "AcmeTable"})), "AcmeTable: a source that nobody can name"),
    (a_command("AppendData"), "AppendData: a target that nobody can name"),
    (a_command("SomethingNewCommand"), "SomethingNewCommand: a command that nobody knows"),
    (a_node("InsertSomewhereCommand"), "InsertSomewhereCommand: a command that nobody knows"),
    (a_node("CopyIntoCommand"), "CopyIntoCommand: a command that nobody knows"),
    (a_node("UpdateColumnComment"), "UpdateColumnComment: a command that nobody knows"),
    (a_node("DropNamespace", cascade=True), "DropNamespace: tables that are dropped with their database"),
    (a_node("AlterTableSetLocationCommand"), "AlterTableSetLocationCommand: a table that nobody can name"),
]


@pytest.mark.parametrize(("command", "why"), NAMELESS, ids=lambda value: getattr(value, "kind", value))
def test_a_write_that_nobody_can_name_says_so(command, why):
    [target] = find_targets(command, CATALOGS)
    assert (target.output, target.query, target.unknown) == (None, command.node("query"), why)


def test_inserts_that_share_a_from_are_a_target_each():
    plan = a_node("Union", children=[files(), a_command("AppendData", table=ORDERS_V2)])

    assert [target.output and target.output.id for target in find_targets(plan, CATALOGS)] == [OUT.id, ORDERS]


def test_a_command_below_its_ctes_is_found():
    assert find_targets(a_node("WithCTE", plan=files(), cteDefs=[]), CATALOGS) == find_targets(files(), CATALOGS)


def test_a_table_that_takes_any_columns_is_written_under_the_querys_names():
    any_columns = a_v2_relation({"class": "Acme", "properties": {"location": "s3://lake/out"}}, schema=None)
    assert find_targets(a_command("AppendData", table=any_columns), CATALOGS) == (a_target("AppendData", OUT),)


def test_wrappers_are_commands_that_have_a_rule():
    known = {command.kind for command, target in WRITES if target.command in WRAPPERS}
    assert known == WRAPPERS - {"OptimizedCreateHiveTableAsSelectCommand"}


def a_stream(sink, **values):
    return a_node("WriteToStream", sink=sink, inputQuery=a_node("Project"), inputQuery__schema=SCHEMA, **values)


# Sinks of streams: the node, the options, and the dataset.
SINKS = [
    (a_stream({"class": "FileStreamSink", "path": "s3a://lake/orders"}), {}, Dataset(DatasetId("s3://lake", "orders"))),
    (a_stream({"class": "DeltaSink", "path": "s3://lake/orders"}), {}, Dataset(DatasetId("s3://lake", "orders"))),
    (
        a_stream({"class": "KafkaTable"}),
        {"kafka.bootstrap.servers": "k1:9093", "topic": "flights"},
        Dataset(DatasetId("kafka://k1:9093", "flights")),
    ),
    (
        a_stream(
            {"class": "SparkTable", "properties": {"location": "s3://lake/ice/orders"}},
            catalogAndIdent=[
                {"class": "SparkCatalog", "name": "ice"},
                {"class": "IdentifierImpl", "namespace": ["web"], "name": "orders"},
            ],
        ),
        {},
        Dataset(DatasetId("s3://lake", "ice/orders"), symlinks=(Symlink("https://ice:8181/api", "web.orders"),)),
    ),
]


@pytest.mark.parametrize(("stream", "options", "output"), SINKS, ids=lambda value: getattr(value, "id", ""))
def test_a_stream_writes_its_sink(stream, options, output):
    target = find_sink(stream, options, CATALOGS)
    assert target is not None
    assert target.output == Dataset(output.id, COLUMNS, output.symlinks)
    assert (target.query, target.names) == (stream.node("inputQuery"), ("carrier", "flight"))


@pytest.mark.parametrize("kind", ["ForeachBatchSink", "ForeachWriterTable", "MemorySink", "ConsoleTable", "NoopTable"])
def test_a_sink_that_keeps_nothing_is_none(kind):
    assert find_sink(a_stream({"class": kind}), {}, CATALOGS) is None


def test_a_sink_that_nobody_can_name_says_so():
    target = find_sink(a_stream({"class": "CustomSink"}), {}, CATALOGS)
    assert target is not None
    assert (target.output, target.unknown) == (None, "CustomSink: a sink that nobody can name")
