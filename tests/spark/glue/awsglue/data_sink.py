from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame

from awsglue.dynamicframe import DynamicFrame, DynamicFrameCollection
from awsglue.utils import callsite, makeOptions


class DataSink:
    def __init__(self, j_sink: Any, sql_ctx: Any) -> None:
        self._jsink, self._sql_ctx = j_sink, sql_ctx

    def setFormat(self, format: str, **options: Any) -> None:  # noqa: A002, N802 - Glue's names
        self._jsink.setFormat(format, makeOptions(self._sql_ctx._sc, options))

    def setCatalogInfo(self, catalogDatabase: str, catalogTableName: str, catalogId: str = "") -> None:  # noqa: N802, N803
        self._jsink.setCatalogInfo(catalogDatabase, catalogTableName, catalogId)

    def writeFrame(self, dynamic_frame: DynamicFrame, info: str = "") -> DynamicFrame:  # noqa: N802
        errors = self._jsink.pyWriteDynamicFrame(dynamic_frame._jdf, callsite(), info)
        return DynamicFrame(errors, dynamic_frame.glue_ctx, dynamic_frame.name + "_errors")

    def writeDataFrame(self, data_frame: DataFrame, glue_context: Any, info: str = "") -> DataFrame:  # noqa: N802
        frame = self._jsink.pyWriteDataFrame(data_frame._jdf, glue_context._glue_scala_context, callsite(), info)
        return DataFrame(frame, self._sql_ctx)

    def write(self, dynamic_frame_or_dfc: Any, info: str = "") -> Any:
        if isinstance(dynamic_frame_or_dfc, DynamicFrame):
            return self.writeFrame(dynamic_frame_or_dfc, info)
        assert isinstance(dynamic_frame_or_dfc, DynamicFrameCollection)
        return DynamicFrameCollection(
            [self.writeFrame(frame) for frame in dynamic_frame_or_dfc.values()], self._sql_ctx
        )
