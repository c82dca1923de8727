"""The small values that Marquez prints everywhere: ids, versions and times."""

from __future__ import annotations

from collections.abc import Iterable

from lineage.times import render_time
from lineage_model.columns import Transformation
from lineage_model.ids import DatasetId, JobId

Form = dict[str, object]


def render_id(thing: DatasetId | JobId) -> Form:
    """`{"namespace", "name"}`."""
    return {"namespace": thing.namespace, "name": thing.name}


def render_ids(things: Iterable[DatasetId | JobId]) -> list[Form]:
    """A list of ids."""
    return [render_id(one) for one in things]


def render_version_id(thing: DatasetId | JobId, version: str) -> Form:
    """`{"namespace", "name", "version"}`."""
    return {**render_id(thing), "version": version}


def when(time: str | None) -> str | None:
    """A time as Marquez prints it, if there is one."""
    return None if time is None else render_time(time)


def render_transformation(transformation: Transformation) -> Form:
    """How a column comes from another, in OpenLineage's words."""
    return {
        "type": transformation.type,
        "subtype": transformation.subtype,
        "description": transformation.description,
        "masking": transformation.masking,
    }
