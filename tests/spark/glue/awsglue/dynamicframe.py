# ruff: noqa: A002, N802, N803, B006, E501 - names, defaults and lines of Glue's own
# fmt: off
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame

from awsglue.jvm import JavaFrame


def _list(paths: str | Sequence[str]) -> list[str]:
    return [paths] if isinstance(paths, str) else list(paths)


class DynamicFrame:
    def __init__(self, jdf: JavaFrame, glue_ctx: Any, name: str = "") -> None:
        self._jdf, self.glue_ctx, self.name = jdf, glue_ctx, name
        self._ssql_ctx, self._sc = glue_ctx._ssql_ctx, glue_ctx._sc

    def _new(self, frame: JavaFrame, name: str | None = None) -> DynamicFrame:
        return DynamicFrame(frame, self.glue_ctx, self.name if name is None else name)

    def with_frame_schema(self, schema: Any) -> DynamicFrame:
        return self._new(self._jdf)

    def schema(self) -> Any:
        return self._jdf.frame.schema

    def filter(
        self, f: Any, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0
    ) -> DynamicFrame:
        return self.mapPartitions(("filter", f), True, transformation_ctx, info, stageThreshold, totalThreshold)

    def mapPartitions(self, f: Any, preservesPartitioning: bool = True, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0) -> DynamicFrame:
        return self.mapPartitionsWithIndex(
            f, preservesPartitioning, transformation_ctx, info, stageThreshold, totalThreshold
        )

    def map(self, f: Any, preservesPartitioning: bool = False, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0) -> DynamicFrame:
        return self.mapPartitionsWithIndex(
            ("map", f), preservesPartitioning, transformation_ctx, info, stageThreshold, totalThreshold
        )

    def mapPartitionsWithIndex(self, f: Any, preservesPartitioning: bool = False, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0) -> DynamicFrame:
        kind, function = f
        return self._new(getattr(self._jdf, kind)(function))

    def toDF(self, options: Any = None) -> DataFrame:
        return DataFrame(self._jdf.toDF()._jdf, self.glue_ctx)

    @classmethod
    def fromDF(cls, dataframe: DataFrame, glue_ctx: Any, name: str = "") -> DynamicFrame:
        return DynamicFrame(JavaFrame(dataframe), glue_ctx, name)

    def unbox(self, path: str, format: str, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0, **options: Any) -> DynamicFrame:
        return self._new(
            JavaFrame(
                self._jdf.frame.selectExpr("*", f"from_json({path}, 'a INT') AS _")
                .drop(path)
                .withColumnRenamed("_", path)
            )
        )

    def drop_fields(
        self, paths: Any, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0
    ) -> DynamicFrame:
        return self._new(self._jdf.dropFields(_list(paths)))

    def select_fields(
        self, paths: Any, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0
    ) -> DynamicFrame:
        return self._new(self._jdf.selectFields(_list(paths)))

    def split_fields(self, paths: Any, name1: str, name2: str, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0) -> DynamicFrameCollection:
        chosen, left = self._jdf.selectFields(_list(paths)), self._jdf.dropFields(_list(paths))
        return DynamicFrameCollection({name1: self._new(chosen, name1), name2: self._new(left, name2)}, self.glue_ctx)

    def split_rows(self, comparison_dict: Mapping[str, Mapping[str, Any]], name1: str, name2: str, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0) -> DynamicFrameCollection:
        condition = " AND ".join(
            f"{path} {sign} {value}" for path, each in comparison_dict.items() for sign, value in each.items()
        )
        chosen, left = self._jdf.where(condition), self._jdf.where(f"NOT ({condition})")
        return DynamicFrameCollection({name1: self._new(chosen, name1), name2: self._new(left, name2)}, self.glue_ctx)

    def rename_field(self, oldName: str, newName: str, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0) -> DynamicFrame:
        return self._new(self._jdf.renameField(oldName, newName))

    def spigot(self, path: str, options: Any = {}, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0) -> DynamicFrame:
        return self._new(self._jdf)

    def join(self, paths1: Any, paths2: Any, frame2: DynamicFrame, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0) -> DynamicFrame:
        return self._new(self._jdf.join(_list(paths1), _list(paths2), frame2._jdf), self.name + frame2.name)

    def unnest(
        self, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0
    ) -> DynamicFrame:
        return self._new(self._jdf.unnest())

    def relationalize(self, root_table_name: str, staging_path: str, options: Any = {}, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0) -> DynamicFrameCollection:
        frames = self._jdf.relationalize(root_table_name)
        return DynamicFrameCollection({name: self._new(frame, name) for name, frame in frames.items()}, self.glue_ctx)

    def apply_mapping(self, mappings: Any, case_sensitive: bool = False, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0) -> DynamicFrame:
        return self._new(self._jdf.applyMapping([mappings] if isinstance(mappings, tuple) else mappings))

    def simplify_ddb_json(self) -> DynamicFrame:
        return self._new(self._jdf)

    def resolveChoice(self, specs: Any = None, choice: str = "", database: str | None = None, table_name: str | None = None, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0, catalog_id: str | None = None) -> DynamicFrame:
        assert (specs is None) != (not choice)
        return self._new(self._jdf.resolveChoice([specs] if isinstance(specs, tuple) else specs or []))

    def mergeDynamicFrame(self, stage_dynamic_frame: DynamicFrame, primary_keys: Any, transformation_ctx: str = "", options: Any = {}, info: str = "", stageThreshold: int = 0, totalThreshold: int = 0) -> DynamicFrame:
        return self._new(self._jdf.union(stage_dynamic_frame._jdf))

    def union(self, other_frame: DynamicFrame, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0) -> DynamicFrame:
        return self._new(self._jdf.union(other_frame._jdf))

    def repartition(self, num_partitions: int, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0) -> DynamicFrame:
        return self._new(self._jdf)

    def coalesce(self, num_partitions: int, shuffle: bool = False, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0) -> DynamicFrame:
        return self._new(self._jdf)

    def errorsAsDynamicFrame(self) -> DynamicFrame:
        return self._new(self._jdf)


class DynamicFrameCollection:
    def __init__(self, dynamic_frames: Any, glue_ctx: Any) -> None:
        self._glue_ctx = glue_ctx
        named = isinstance(dynamic_frames, dict)
        self._df_dict = dynamic_frames if named else {frame.name: frame for frame in dynamic_frames}

    def __getitem__(self, key: str) -> DynamicFrame:
        return self._df_dict[key]

    def keys(self) -> Any:
        return self._df_dict.keys()

    def values(self) -> Any:
        return self._df_dict.values()

    def select(self, key: str, transformation_ctx: str = "") -> DynamicFrame:
        return self[key]
