"""Rules for reading JVM objects beside plan nodes: their classes and methods.

Connectors add to the rules. Nothing else leaves the JVM: rows, RDDs, sessions, literals and the other options of a
source, passwords among them, stay there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from spark_client.capturing.registry import Registry

_SQL = "org.apache.spark.sql"
_CATALYST = f"{_SQL}.catalyst"
_EXPRESSIONS = f"{_CATALYST}.expressions"
_LOGICAL = f"{_CATALYST}.plans.logical"
_SOURCES = f"{_SQL}.execution.datasources"
_CONNECTOR = f"{_SQL}.connector.catalog"

# By class or interface, the methods without parameters to call; after a dot, a method of the result before.
GETTERS: dict[str, tuple[str, ...]] = {
    # Nodes: values beside their constructors' parameters.
    f"{_LOGICAL}.LeafNode": ("schema",),
    f"{_LOGICAL}.LocalRelation": ("origin.sqlText",),
    f"{_LOGICAL}.Command": ("query.schema",),
    f"{_EXPRESSIONS}.CreateNamedStruct": ("names",),
    f"{_EXPRESSIONS}.RuntimeReplaceable": ("replacement",),
    f"{_EXPRESSIONS}.CommonExpressionId": ("id",),
    f"{_EXPRESSIONS}.UpdateFields": ("dataType.names",),
    f"{_EXPRESSIONS}.ArraysZip": ("dataType.elementType.names",),
    f"{_EXPRESSIONS}.GetArrayStructFields": ("field.name",),
    f"{_EXPRESSIONS}.UserDefinedExpression": ("name",),
    f"{_EXPRESSIONS}.Generator": ("elementSchema.names",),
    f"{_SQL}.execution.LogicalRDD": ("rdd.id",),
    f"{_SOURCES}.InsertIntoHadoopFsRelationCommand": ("staticPartitions.size",),
    f"{_SQL}.execution.command.CreateViewCommand": ("plan.schema",),
    f"{_CATALYST}.analysis.ViewType": ("toString",),
    # Partitions and columns changed by a statement.
    f"{_LOGICAL}.AlterTableCommand": ("changes",),
    f"{_CATALYST}.analysis.ResolvedPartitionSpec": ("location",),
    f"{_CONNECTOR}.TableChange$AddColumn": ("fieldNames", "dataType"),
    f"{_SQL}.types.StructField": ("name", "dataType"),
    # Relations and their locations.
    f"{_SOURCES}.HadoopFsRelation": ("location", "partitionSchema", "options", "fileFormat.shortName"),
    f"{_SOURCES}.FileIndex": ("rootPaths",),
    f"{_SOURCES}.jdbc.JDBCRelation": ("jdbcOptions",),
    f"{_SOURCES}.jdbc.JDBCOptions": ("url", "tableOrQuery"),
    f"{_CATALYST}.catalog.CatalogTable": ("identifier", "storage", "partitionColumnNames", "schema"),
    f"{_CATALYST}.catalog.CatalogStorageFormat": ("locationUri",),
    f"{_CATALYST}.AliasIdentifier": ("name",),
    f"{_CATALYST}.TableIdentifier": ("table", "database", "catalog"),
    f"{_SQL}.sources.BaseRelation": ("schema",),
    f"{_SQL}.sources.DataSourceRegister": ("shortName",),
    # DataSource V2.
    f"{_CONNECTOR}.Table": ("name", "properties"),
    f"{_CONNECTOR}.CatalogPlugin": ("name",),
    f"{_CONNECTOR}.Identifier": ("namespace", "name"),
    f"{_SOURCES}.v2.jdbc.JDBCTable": ("jdbcOptions",),
    f"{_SOURCES}.v2.FileTable": ("fileIndex",),
    f"{_CONNECTOR}.V1Table": ("v1Table",),
    f"{_SQL}.connector.write.RowLevelOperationTable": ("table", "operation.command"),
    # The effect of a MERGE on a row, as a number (`row_statements`).
    f"{_LOGICAL}.MergeRows$Keep": ("output.head.value",),
    # Sources outside of Spark.
    "org.apache.spark.sql.delta.files.TahoeLogFileIndex": ("isTimeTravelQuery", "snapshotAtAnalysis.version"),
    "org.apache.spark.sql.delta.catalog.DeltaTableV2": ("path", "catalogTable", "timeTravelOpt"),
    "org.apache.spark.sql.delta.DeltaTimeTravelSpec": ("version",),
    "org.apache.spark.sql.delta.commands.CloneSource": ("dataPath", "catalogTable", "schema"),
    "org.apache.spark.sql.connector.iceberg.catalog.Procedure": ("tableCatalog.name",),
    "org.apache.spark.sql.hudi.command.procedures.Procedure": ("description",),
    "org.apache.iceberg.spark.source.SparkTable": ("snapshotId",),
    "org.apache.iceberg.spark.source.SparkChangelogTable": ("icebergTable.location",),
    f"{_SQL}.kafka010.KafkaRelation": ("sourceOptions",),
    # Streams: the query into a sink, a source of DataSource V1, and sinks with a place.
    f"{_CATALYST}.streaming.WriteToStream": ("inputQuery.schema",),
    f"{_SOURCES}.DataSource": ("className", "paths", "options", "catalogTable"),
    f"{_SQL}.execution.streaming.FileStreamSink": ("path",),  # Spark 3.5
    f"{_SQL}.execution.streaming.sinks.FileStreamSink": ("path",),
    "org.apache.spark.sql.delta.sources.DeltaSink": ("path", "catalogTable"),
}
# Parameters of constructors left unread; some hold rows, or types repeated with every reference.
SKIPPED = (
    "replacement",  # a method of the same name gives it for all
    "data",
    "rdd",
    "stream",
    "session",
    "dataType",
    "nullable",
    "metadata",
    "qualifier",
    "evalMode",
    "timeZoneId",
    "originStats",
    "originConstraints",
    "outputOrdering",
    "outputPartitioning",
    "explicitMetadata",
    "nonInheritableMetadataKeys",
    "commandLogicalPlan",  # of a result: the command ran before
    "commandPhysicalPlan",
)
# Keys of maps (options, properties) with a location or a part of it, in lower case; with a `?`, the key is read
# without its value: a condition has literals.
OPTIONS = (
    "path",
    "url",
    "dbtable",
    "query",
    "driver",
    "topic",
    "subscribe",
    "assign",
    "kafka.bootstrap.servers",
    "location",
    "provider",
    "table",
    "collection",
    "keyspace",
    "partitionoverwritemode",
    "replacewhere?",
    "snapshot-id",
    "rewritten-file-scan-task-set-id?",
    "write.spark.accept-any-schema",
    "columnnameofcorruptrecord",
)


def getters_with(registry: Registry) -> Mapping[str, Iterable[str]]:
    """Add the connectors' getters to `GETTERS`."""
    more = registry.getters
    return {owner: (*GETTERS.get(owner, ()), *more.get(owner, ())) for owner in (*GETTERS, *more)}


def options_with(registry: Registry) -> Iterable[str]:
    """Add the connectors' options to `OPTIONS`."""
    return {*OPTIONS, *registry.options}
