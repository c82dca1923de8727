"""Facets that withdraw themselves (OpenLineage 2-0-1). The Spark jobs, which have no pydantic, read them too."""

from __future__ import annotations

from collections.abc import Mapping


def is_deleted(facet: object) -> bool:
    """True if the facet is marked `_deleted`."""
    return isinstance(facet, Mapping) and facet.get("_deleted") is True
