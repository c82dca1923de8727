"""Ids, versions, times and transformations, as every dialect prints them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import overload

from headwater.api import types
from headwater.times import render_time
from headwater_model.columns import Transformation
from headwater_model.ids import DatasetId, JobId


def render_id(thing: DatasetId | JobId) -> types.Id:
    """Return `{"namespace", "name"}`."""
    return {"namespace": thing.namespace, "name": thing.name}


def render_ids(things: Iterable[DatasetId | JobId]) -> list[types.Id]:
    """Return a list of ids."""
    return [render_id(thing) for thing in things]


def render_version_id(thing: DatasetId | JobId, version: str) -> types.VersionId:
    """Return `{"namespace", "name", "version"}`."""
    return {**render_id(thing), "version": version}


@overload
def when(time: str) -> str: ...


@overload
def when(time: None) -> None: ...


@overload
def when(time: str | None) -> str | None: ...


def when(time: str | None) -> str | None:
    """Return a time as Marquez prints it; None without a time."""
    return None if time is None else render_time(time)


def render_transformation(transformation: Transformation) -> types.Transformation:
    """Return the way a column comes from another, in OpenLineage's words."""
    return {
        "type": transformation.type,
        "subtype": transformation.subtype,
        "description": transformation.description,
        "masking": transformation.masking,
    }
