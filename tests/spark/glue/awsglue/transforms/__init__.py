# ruff: noqa: N803, E501 - names, defaults and lines of Glue's own
# fmt: off
from __future__ import annotations

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


class Join(GlueTransform):
    def __call__(self, frame1: Any, frame2: Any, keys1: Any, keys2: Any, transformation_ctx: str = "") -> Any:
        return frame1.join(keys1, keys2, frame2)


class ResolveChoice(GlueTransform):
    def __call__(self, frame: Any, specs: Any = None, choice: str = "", database: str | None = None, table_name: str | None = None, transformation_ctx: str = "", info: str = "", stageThreshold: int = 0, totalThreshold: int = 0) -> Any:
        return frame.resolveChoice(
            specs, choice, database, table_name, transformation_ctx, info, stageThreshold, totalThreshold
        )


class SelectFromCollection(GlueTransform):
    def __call__(self, dfc: Any, key: str, transformation_ctx: str = "") -> Any:
        return dfc.select(key, transformation_ctx)


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
