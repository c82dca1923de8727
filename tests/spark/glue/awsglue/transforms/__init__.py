# ruff: noqa: A002, N803, E501 - names, defaults and lines of Glue's own
# fmt: off
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


class GlueTransform:
    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        return cls()(*args, **kwargs)


class ApplyMapping(GlueTransform):
    def __call__(self, frame: Any, mappings: Any, case_sensitive: bool = False, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0) -> Any:
        return frame.apply_mapping(mappings, case_sensitive, transformation_ctx, info, stageThreshold, totalThreshold)


class DropFields(GlueTransform):
    def __call__(self, frame: Any, paths: Any, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0) -> Any:
        return frame.drop_fields(paths, transformation_ctx, info, stageThreshold, totalThreshold)


class DropNullFields(GlueTransform):
    def __call__(
        self, frame: Any, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0
    ) -> Any:
        empty = [field.name for field in frame.schema() if field.dataType.typeName() == "void"]
        return DropFields.apply(frame, empty, transformation_ctx, info, stageThreshold, totalThreshold)


class Filter(GlueTransform):
    def __call__(self, frame: Any, f: Any, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0) -> Any:
        return frame.filter(f, transformation_ctx, info, stageThreshold, totalThreshold)


class FlatMap(GlueTransform):
    def __call__(
        self, dfc: Any, BaseTransform: Any, frame_name: str, transformation_ctx: str = "", **base_kwargs: Any
    ) -> Any:
        def inner(frame: Any, context: str) -> Any:
            return BaseTransform.apply(**{**base_kwargs, frame_name: frame, "transformation_ctx": context})

        return dfc.flatmap(inner, transformation_ctx)


class Join(GlueTransform):
    def __call__(self, frame1: Any, frame2: Any, keys1: Any, keys2: Any, transformation_ctx: str = "") -> Any:
        return frame1.join(keys1, keys2, frame2)


class Map(GlueTransform):
    def __call__(self, frame: Any, f: Any, preservesPartitioning: bool = False, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0) -> Any:
        return frame.map(f, preservesPartitioning, transformation_ctx, info, stageThreshold, totalThreshold)


class MapToCollection(GlueTransform):
    def __call__(self, dfc: Any, callable: Callable[..., Any], transformation_ctx: str = "") -> Any:
        return dfc.map(callable, transformation_ctx)


class Relationalize(GlueTransform):
    def __call__(self, frame: Any, staging_path: str | None = None, name: str = "roottable", options: Any = None, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0) -> Any:
        return frame.relationalize(
            name, staging_path, options or {}, transformation_ctx, info, stageThreshold, totalThreshold
        )


class RenameField(GlueTransform):
    def __call__(self, frame: Any, old_name: str, new_name: str, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0) -> Any:
        return frame.rename_field(old_name, new_name, transformation_ctx, info, stageThreshold, totalThreshold)


class Repartition(GlueTransform):
    def __call__(self, frame: Any, num_partitions: int, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0) -> Any:
        return frame.repartition(num_partitions, transformation_ctx, info, stageThreshold, totalThreshold)


class ResolveChoice(GlueTransform):
    def __call__(self, frame: Any, specs: Any = None, choice: str = "", database: str | None = None, table_name: str | None = None, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0) -> Any:
        return frame.resolveChoice(
            specs, choice, database, table_name, transformation_ctx, info, stageThreshold, totalThreshold
        )


class SelectFields(GlueTransform):
    def __call__(self, frame: Any, paths: Any, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0) -> Any:
        return frame.select_fields(paths, transformation_ctx, info, stageThreshold, totalThreshold)


class SelectFromCollection(GlueTransform):
    def __call__(self, dfc: Any, key: str, transformation_ctx: str = "") -> Any:
        return dfc.select(key, transformation_ctx)


class Spigot(GlueTransform):
    def __call__(self, frame: Any, path: str, options: Mapping[str, Any], transformation_ctx: str = "") -> Any:
        return frame.spigot(path, options, transformation_ctx)


class SplitFields(GlueTransform):
    def __call__(self, frame: Any, paths: Any, name1: str | None = None, name2: str | None = None, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0) -> Any:
        name = frame.name or "frame"
        return frame.split_fields(
            paths, name1 or f"{name}1", name2 or f"{name}2", transformation_ctx, info, stageThreshold, totalThreshold
        )


class SplitRows(GlueTransform):
    def __call__(self, frame: Any, comparison_dict: Any, name1: str = "frame1", name2: str = "frame2", transformation_ctx: str = "", info: Any = None, stageThreshold: int = 0, totalThreshold: int = 0) -> Any:
        return frame.split_rows(
            comparison_dict, name1, name2, transformation_ctx, info or "", stageThreshold, totalThreshold
        )


class UnnestFrame(GlueTransform):
    def __call__(
        self, frame: Any, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0
    ) -> Any:
        return frame.unnest(transformation_ctx, info, stageThreshold, totalThreshold)
