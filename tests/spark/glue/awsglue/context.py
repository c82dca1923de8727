# ruff: noqa: A002, N802, N803, B006, E501 - names, defaults and lines of Glue's own
# fmt: off
from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from pyspark import SparkContext
from pyspark.sql import DataFrame, SparkSession, SQLContext

from awsglue.data_sink import DataSink
from awsglue.data_source import DataSource
from awsglue.dynamicframe import DynamicFrame, DynamicFrameCollection
from awsglue.jvm import ScalaContext
from awsglue.streaming_data_source import StreamingDataSource
from awsglue.utils import callsite, makeOptions


class GlueContext(SQLContext):
    Spark_SQL_Formats = {"parquet", "orc"}  # noqa: RUF012 - as Glue has it

    def __init__(self, sparkContext: Any = None, **options: Any) -> None:
        session = sparkContext if isinstance(sparkContext, SparkSession) else SparkSession.builder.getOrCreate()
        context = sparkContext if isinstance(sparkContext, SparkContext) else session.sparkContext
        super().__init__(context, session)
        self._glue_scala_context = ScalaContext(session)
        self.create_dynamic_frame = SimpleNamespace(
            from_rdd=self.create_dynamic_frame_from_rdd,
            from_options=self.create_dynamic_frame_from_options,
            from_catalog=self.create_dynamic_frame_from_catalog,
        )
        self.create_data_frame = SimpleNamespace(from_catalog=self.create_data_frame_from_catalog)
        self.write_dynamic_frame = SimpleNamespace(
            from_options=self.write_dynamic_frame_from_options,
            from_catalog=self.write_dynamic_frame_from_catalog,
            from_jdbc_conf=self.write_dynamic_frame_from_jdbc_conf,
        )
        self.write_data_frame = SimpleNamespace(from_catalog=self.write_data_frame_from_catalog)
        self.spark_session = self.sparkSession

    @property
    def _ssql_ctx(self) -> ScalaContext:
        return self._glue_scala_context

    def getSource(self, connection_type: str, format: str | None = None, transformation_ctx: str = "", push_down_predicate: str = "", **options: Any) -> DataSource:
        options["callSite"] = callsite()
        kind = format if format and format.lower() in self.Spark_SQL_Formats else connection_type
        source = self._ssql_ctx.getSource(kind, makeOptions(self._sc, options))
        return DataSource(source, self, "source")

    def get_catalog_schema_as_spark_schema(self, database: str | None = None, table_name: str | None = None, catalog_id: str | None = None) -> Any:
        return self._ssql_ctx.getCatalogSchemaAsSparkSchema(database, table_name)

    def create_dynamic_frame_from_rdd(
        self, data: Any, name: str, schema: Any = None, sample_ratio: Any = None, transformation_ctx: str = ""
    ) -> DynamicFrame:
        return DynamicFrame.fromDF(super().createDataFrame(data, schema, sample_ratio), self, name)

    def create_dynamic_frame_from_catalog(self, database: str | None = None, table_name: str | None = None, redshift_tmp_dir: str = "", transformation_ctx: str = "", push_down_predicate: str = "", additional_options: Any = {}, catalog_id: str | None = None, **kwargs: Any) -> DynamicFrame:
        source = self._ssql_ctx.getCatalogSource(database or kwargs.pop("name_space"), table_name)
        return DataSource(source, self, table_name or "").getFrame(**kwargs)

    def create_data_frame_from_catalog(self, database: str | None = None, table_name: str | None = None, redshift_tmp_dir: str = "", transformation_ctx: str = "", push_down_predicate: str = "", additional_options: Any = {}, catalog_id: str | None = None, **kwargs: Any) -> DataFrame:
        source = self._ssql_ctx.getCatalogSource(database or kwargs.pop("name_space"), table_name)
        return StreamingDataSource(source, self, table_name or "").getFrame()

    def create_dynamic_frame_from_options(self, connection_type: str, connection_options: Any = {}, format: str | None = None, format_options: Any = {}, transformation_ctx: str = "", push_down_predicate: str = "", **kwargs: Any) -> DynamicFrame:
        source = self.getSource(connection_type, format, transformation_ctx, push_down_predicate, **connection_options)
        if format and format not in self.Spark_SQL_Formats:
            source.setFormat(format, **format_options)
        return source.getFrame(**kwargs)

    def getSink(
        self, connection_type: str, format: str | None = None, transformation_ctx: str = "", **options: Any
    ) -> DataSink:
        kind = format if format and format.lower() in self.Spark_SQL_Formats else connection_type
        return DataSink(self._ssql_ctx.getSink(kind, makeOptions(self._sc, options)), self)

    def write_dynamic_frame_from_options(self, frame: Any, connection_type: str, connection_options: Any = {}, format: str | None = None, format_options: Any = {}, transformation_ctx: str = "") -> Any:
        return self.write_from_options(
            frame, connection_type, connection_options, format, format_options, transformation_ctx
        )

    def write_from_options(self, frame_or_dfc: Any, connection_type: str, connection_options: Any = {}, format: Any = {}, format_options: Any = {}, transformation_ctx: str = "", **kwargs: Any) -> Any:
        sink = self.getSink(connection_type, format, transformation_ctx, **_named(frame_or_dfc, connection_options))
        if format and format not in self.Spark_SQL_Formats:
            sink.setFormat(format, **format_options)
        return sink.write(frame_or_dfc)

    def write_dynamic_frame_from_catalog(self, frame: Any, database: str | None = None, table_name: str | None = None, redshift_tmp_dir: str = "", transformation_ctx: str = "", additional_options: Any = {}, catalog_id: str | None = None, **kwargs: Any) -> Any:
        sink = self._ssql_ctx.getCatalogSink(database or kwargs.pop("name_space"), table_name)
        return DataSink(sink, self).write(frame)

    def write_data_frame_from_catalog(self, frame: Any, database: str | None = None, table_name: str | None = None, redshift_tmp_dir: str = "", transformation_ctx: str = "", additional_options: Any = {}, catalog_id: str | None = None, **kwargs: Any) -> Any:
        sink = self._ssql_ctx.getCatalogSink(database or kwargs.pop("name_space"), table_name)
        return DataSink(sink, self).writeDataFrame(frame, self)

    def write_dynamic_frame_from_jdbc_conf(self, frame: Any, catalog_connection: str, connection_options: Any = {}, redshift_tmp_dir: str = "", transformation_ctx: str = "", catalog_id: str | None = None) -> None:
        self.write_from_jdbc_conf(
            frame, catalog_connection, connection_options, redshift_tmp_dir, transformation_ctx, catalog_id
        )

    def write_from_jdbc_conf(self, frame_or_dfc: Any, catalog_connection: str, connection_options: Any = {}, redshift_tmp_dir: str = "", transformation_ctx: str = "", catalog_id: str | None = None) -> Any:
        options = makeOptions(self._sc, _named(frame_or_dfc, connection_options))
        return DataSink(self._ssql_ctx.getSink("jdbc", options), self).write(frame_or_dfc)

    def forEachBatch(self, frame: Any, batch_function: Any, options: Any = {}) -> None:
        writer = frame.writeStream.foreachBatch(batch_function).trigger(availableNow=True)
        writer.option("checkpointLocation", options["checkpointLocation"]).start().awaitTermination()

    def purge_table(self, database: str, table_name: str, options: Any = {}, transformation_ctx: str = "", catalog_id: str | None = None) -> None:
        """Purge nothing: the tests have no such table."""

    def purge_s3_path(self, s3_path: str, options: Any = {}, transformation_ctx: str = "") -> None:
        """Purge nothing, as above."""


def _named(frame_or_dfc: Any, options: Mapping[str, Any]) -> Mapping[str, Any]:
    assert isinstance(frame_or_dfc, DynamicFrame | DynamicFrameCollection), type(frame_or_dfc)
    return {**options, "useFrameName": True} if isinstance(frame_or_dfc, DynamicFrameCollection) else options
