"""Annotations as resources show them: owners, and the reporters of tags, owners and description. All of it is ours."""

from __future__ import annotations

from headwater.api.marquez import annotation_types as types
from headwater.api.values import when
from headwater.facts.annotations import Annotations, Attribution, Tag


def render_annotations(annotations: Annotations) -> types.AnnotatedThing:
    """Return `owners` and `reportedBy` of a job or a dataset."""
    return {
        "owners": render_owners(annotations),
        "reportedBy": {
            "description": _render_if_any(annotations.described),
            "fieldDescriptions": [
                {"field": text.field, **_render(text.reported_by)}
                for text in annotations.texts
                if text.field is not None
            ],
            "owners": [
                {"name": owner.name, "type": owner.type, **_render(owner.reported_by)} for owner in annotations.owners
            ],
            "tags": [render_tag(tag) for tag in annotations.tags],
        },
    }


def render_owners(annotations: Annotations) -> list[types.Owner]:
    """Return the owners of a job or a dataset."""
    return [{"name": owner.name, "type": owner.type} for owner in annotations.owners]


def render_tag(tag: Tag) -> types.ReportedTag:
    """Return a tag with its reporter."""
    return {
        "name": tag.name,
        "field": tag.field,
        "value": tag.value,
        "source": tag.source,
        **_render(tag.reported_by),
    }


def _render_if_any(reporter: Attribution | None) -> types.Attribution | None:
    return None if reporter is None else _render(reporter)


def _render(reporter: Attribution) -> types.Attribution:
    return {"producer": reporter.producer, "at": when(reporter.time), "caller": reporter.caller}
