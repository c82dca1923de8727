from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame

from awsglue.dynamicframe import DynamicFrame
from awsglue.utils import callsite, makeOptions


class DataSource:
    def __init__(self, j_source: Any, sql_ctx: Any, name: str) -> None:
        self._jsource, self._sql_ctx, self.name = j_source, sql_ctx, name

    def setFormat(self, format: str, **options: Any) -> None:  # noqa: A002, N802 - Glue's names
        options["callSite"] = callsite()
        self._jsource.setFormat(format, makeOptions(self._sql_ctx._sc, options))

    def getFrame(self, **options: Any) -> DynamicFrame:  # noqa: N802
        return DynamicFrame(self._jsource.getDynamicFrame(), self._sql_ctx, self.name)

    def getDataFrame(self) -> DataFrame:  # noqa: N802
        return DataFrame(self._jsource.getDataFrame()._jdf, self._sql_ctx)
