# ruff: noqa: A002, N802, N803, B006, E501 - names, defaults and lines of Glue's own
# fmt: off
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark import SparkContext
from pyspark.sql import DataFrame, SparkSession, SQLContext

from awsglue.data_sink import DataSink
from awsglue.data_source import DataSource
from awsglue.dynamicframe import DynamicFrame, DynamicFrameCollection, DynamicFrameReader, DynamicFrameWriter
from awsglue.jvm import ScalaContext
from awsglue.streaming_data_source import StreamingDataSource
from awsglue.utils import callsite, makeOptions


class DataFrameReader:
    def __init__(self, glue_context: Any) -> None:
        self._glue_context = glue_context

    def from_catalog(self, database: str | None = None, table_name: str | None = None, redshift_tmp_dir: str = "", transformation_ctx: str = "", push_down_predicate: str = "", additional_options: Any = {}, catalog_id: str | None = None, **kwargs: Any) -> DataFrame:
        return self._glue_context.create_data_frame_from_catalog(
            database or kwargs.pop("name_space"),
            table_name,
            redshift_tmp_dir,
            transformation_ctx,
            push_down_predicate,
            additional_options,
            catalog_id,
            **kwargs,
        )

    def from_options(self, connection_type: str, connection_options: Any = {}, format: str | None = None, format_options: Any = {}, transformation_ctx: str = "", push_down_predicate: str = "", **kwargs: Any) -> DataFrame:
        return self._glue_context.create_data_frame_from_options(
            connection_type,
            connection_options,
            format,
            format_options,
            transformation_ctx,
            push_down_predicate,
            **kwargs,
        )


class DataFrameWriter:
    def __init__(self, glue_context: Any) -> None:
        self._glue_context = glue_context

    def from_catalog(self, frame: Any, database: str | None = None, table_name: str | None = None, redshift_tmp_dir: str = "", transformation_ctx: str = "", additional_options: Any = {}, catalog_id: str | None = None, **kwargs: Any) -> Any:
        return self._glue_context.write_data_frame_from_catalog(
            frame,
            database or kwargs.pop("name_space"),
            table_name,
            redshift_tmp_dir,
            transformation_ctx,
            additional_options,
            catalog_id,
        )


class GlueContext(SQLContext):
    Spark_SQL_Formats = {"parquet", "orc"}  # noqa: RUF012 - as Glue has it

    def __init__(self, sparkContext: Any = None, **options: Any) -> None:
        session = sparkContext if isinstance(sparkContext, SparkSession) else SparkSession.builder.getOrCreate()
        context = sparkContext if isinstance(sparkContext, SparkContext) else session.sparkContext
        super().__init__(context, session)
        self._glue_scala_context = ScalaContext(session)
        self.create_dynamic_frame = DynamicFrameReader(self)
        self.create_data_frame = DataFrameReader(self)
        self.write_dynamic_frame = DynamicFrameWriter(self)
        self.write_data_frame = DataFrameWriter(self)
        self.spark_session = self.sparkSession

    @property
    def _ssql_ctx(self) -> ScalaContext:
        return self._glue_scala_context

    def getSource(self, connection_type: str, format: str | None = None, transformation_ctx: str = "", push_down_predicate: str = "", **options: Any) -> DataSource:
        options["callSite"] = callsite()
        kind = format if format and format.lower() in self.Spark_SQL_Formats else connection_type
        source = self._ssql_ctx.getSource(kind, makeOptions(self._sc, options), transformation_ctx, push_down_predicate)
        return DataSource(source, self, "source")

    def getStreamingSource(self, connection_type: str, format: str | None = None, transformation_ctx: str = "", push_down_predicate: str = "", **options: Any) -> StreamingDataSource:
        source = self._ssql_ctx.getSource(
            connection_type, makeOptions(self._sc, options), transformation_ctx, push_down_predicate
        )
        return StreamingDataSource(source, self, "source")

    def get_catalog_schema_as_spark_schema(self, database: str | None = None, table_name: str | None = None, catalog_id: str | None = None) -> Any:
        return self._ssql_ctx.getCatalogSchemaAsSparkSchema(database, table_name, catalog_id)

    def create_dynamic_frame_from_rdd(
        self, data: Any, name: str, schema: Any = None, sample_ratio: Any = None, transformation_ctx: str = ""
    ) -> DynamicFrame:
        return DynamicFrame.fromDF(super().createDataFrame(data, schema, sample_ratio), self, name)

    def create_dynamic_frame_from_catalog(self, database: str | None = None, table_name: str | None = None, redshift_tmp_dir: str = "", transformation_ctx: str = "", push_down_predicate: str = "", additional_options: Any = {}, catalog_id: str | None = None, **kwargs: Any) -> DynamicFrame:
        source = self._catalog_source(
            database or kwargs.pop("name_space"),
            table_name,
            redshift_tmp_dir,
            transformation_ctx,
            push_down_predicate,
            additional_options,
            catalog_id,
        )
        return DataSource(source, self, table_name or "").getFrame(**kwargs)

    def create_data_frame_from_catalog(self, database: str | None = None, table_name: str | None = None, redshift_tmp_dir: str = "", transformation_ctx: str = "", push_down_predicate: str = "", additional_options: Any = {}, catalog_id: str | None = None, **kwargs: Any) -> DataFrame:
        source = self._catalog_source(
            database or kwargs.pop("name_space"),
            table_name,
            redshift_tmp_dir,
            transformation_ctx,
            push_down_predicate,
            additional_options,
            catalog_id,
        )
        return StreamingDataSource(source, self, table_name or "").getFrame()

    def _catalog_source(
        self, database: Any, table: Any, folder: str, context: str, predicate: str, options: Any, account: Any
    ) -> Any:
        return self._ssql_ctx.getCatalogSource(
            database, table, folder, context, predicate, makeOptions(self._sc, options), account
        )

    def create_dynamic_frame_from_options(self, connection_type: str, connection_options: Any = {}, format: str | None = None, format_options: Any = {}, transformation_ctx: str = "", push_down_predicate: str = "", **kwargs: Any) -> DynamicFrame:
        source = self.getSource(connection_type, format, transformation_ctx, push_down_predicate, **connection_options)
        if format and format not in self.Spark_SQL_Formats:
            source.setFormat(format, **format_options)
        return source.getFrame(**kwargs)

    def create_sample_dynamic_frame_from_catalog(self, database: str | None = None, table_name: str | None = None, num: int | None = None, sample_options: Any = {}, redshift_tmp_dir: str = "", transformation_ctx: str = "", push_down_predicate: str = "", additional_options: Any = {}, catalog_id: str | None = None, erieTxId: str = "", asOfTime: str = "", **kwargs: Any) -> DynamicFrame:
        source = self._catalog_source(
            database,
            table_name,
            redshift_tmp_dir,
            transformation_ctx,
            push_down_predicate,
            additional_options,
            catalog_id,
        )
        return DataSource(source, self, table_name or "").getSampleFrame(num or 1, **sample_options)

    def create_data_frame_from_options(self, connection_type: str, connection_options: Any = {}, format: str | None = None, format_options: Any = {}, transformation_ctx: str = "", push_down_predicate: str = "", **kwargs: Any) -> DataFrame:
        source = self.getStreamingSource(
            connection_type, format, transformation_ctx, push_down_predicate, **connection_options
        )
        if format and format not in self.Spark_SQL_Formats:
            source.setFormat(format, **format_options)
        return source.getFrame()

    def getSink(
        self, connection_type: str, format: str | None = None, transformation_ctx: str = "", **options: Any
    ) -> DataSink:
        kind = format if format and format.lower() in self.Spark_SQL_Formats else connection_type
        return DataSink(self._ssql_ctx.getSink(kind, makeOptions(self._sc, options), transformation_ctx), self)

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
        return DataSink(
            self._catalog_sink(
                database or kwargs.pop("name_space"),
                table_name,
                redshift_tmp_dir,
                transformation_ctx,
                additional_options,
                catalog_id,
            ),
            self,
        ).write(frame)

    def write_data_frame_from_catalog(self, frame: Any, database: str | None = None, table_name: str | None = None, redshift_tmp_dir: str = "", transformation_ctx: str = "", additional_options: Any = {}, catalog_id: str | None = None, **kwargs: Any) -> Any:
        return DataSink(
            self._catalog_sink(
                database or kwargs.pop("name_space"),
                table_name,
                redshift_tmp_dir,
                transformation_ctx,
                additional_options,
                catalog_id,
            ),
            self,
        ).writeDataFrame(frame, self)

    def _catalog_sink(self, database: Any, table: Any, folder: str, context: str, options: Any, account: Any) -> Any:
        return self._ssql_ctx.getCatalogSink(database, table, folder, context, makeOptions(self._sc, options), account)

    def write_dynamic_frame_from_jdbc_conf(self, frame: Any, catalog_connection: str, connection_options: Any = {}, redshift_tmp_dir: str = "", transformation_ctx: str = "", catalog_id: str | None = None) -> None:
        self.write_from_jdbc_conf(
            frame, catalog_connection, connection_options, redshift_tmp_dir, transformation_ctx, catalog_id
        )

    def write_from_jdbc_conf(self, frame_or_dfc: Any, catalog_connection: str, connection_options: Any = {}, redshift_tmp_dir: str = "", transformation_ctx: str = "", catalog_id: str | None = None) -> Any:
        options = makeOptions(self._sc, _named(frame_or_dfc, connection_options))
        sink = self._ssql_ctx.getJDBCSink(catalog_connection, options, redshift_tmp_dir, transformation_ctx, catalog_id)
        return DataSink(sink, self).write(frame_or_dfc)

    def forEachBatch(self, frame: Any, batch_function: Any, options: Any = {}) -> None:
        writer = frame.writeStream.foreachBatch(batch_function).trigger(availableNow=True)
        writer.option("checkpointLocation", options["checkpointLocation"]).start().awaitTermination()

    def purge_table(self, database: str, table_name: str, options: Any = {}, transformation_ctx: str = "", catalog_id: str | None = None) -> None:
        self._ssql_ctx.purgeTable(database, table_name, makeOptions(self._sc, options), transformation_ctx, catalog_id)

    def purge_s3_path(self, s3_path: str, options: Any = {}, transformation_ctx: str = "") -> None:
        self._ssql_ctx.purgeS3Path(s3_path, makeOptions(self._sc, options), transformation_ctx)


def _named(frame_or_dfc: Any, options: Mapping[str, Any]) -> Mapping[str, Any]:
    assert isinstance(frame_or_dfc, DynamicFrame | DynamicFrameCollection), type(frame_or_dfc)
    return {**options, "useFrameName": True} if isinstance(frame_or_dfc, DynamicFrameCollection) else options
