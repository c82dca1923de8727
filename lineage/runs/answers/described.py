"""A dataset as its facets describe it, in Marquez's terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from lineage.runs.answers.groups import Group
from lineage.runs.event import Facets
from lineage.runs.facts.growing import NO_PARENT, DatasetFacts, is_dropped
from lineage.runs.facts.run import text_in
from lineage.runs.found import FoundDataset

_STREAMS = frozenset({"TOPIC", "STREAM"})


class Description(TypedDict):
    """What facets say of a dataset or one of its versions."""

    type: str
    source_name: str
    fields: Sequence[Mapping[str, Any]]
    description: str | None
    lifecycle: str | None


def describe(facets: Facets) -> Description:
    """The dataset's type, source, fields, description and last change of life, as far as facets tell."""
    return Description(
        type="STREAM" if facets.get("datasetType", {}).get("datasetType") in _STREAMS else "DB_TABLE",
        source_name=text_in(facets.get("dataSource", {}), "name") or "default",
        fields=fields_of(facets),
        description=text_in(facets.get("documentation", {}), "description"),
        lifecycle=text_in(facets.get("lifecycleStateChange", {}), "lifecycleStateChange"),
    )


def fields_of(facets: Facets) -> Sequence[Mapping[str, Any]]:
    """The fields of the schema facet, as they were sent."""
    fields = facets.get("schema", {}).get("fields")
    return [field for field in fields if isinstance(field, dict)] if isinstance(fields, list) else []


def is_temporary(facts: DatasetFacts) -> bool:
    """True if it is private storage: by its name, or because the only parent run that used it dropped it at last."""
    if facts.temporary:
        return True
    return is_dropped(facts) and len(facts.users) == 1 and NO_PARENT not in facts.users


def found_dataset(group: Group, facets: Facets, *, hidden: bool = False, **more: Any) -> FoundDataset:
    """Return the dataset of a group with its present facets; `more` is what its versions tell."""
    told = describe(facets)
    return FoundDataset(
        id=group.primary,
        created=group.facts.first or "",
        updated=group.facts.last or "",
        physical_name=group.primary.name,
        **told,
        facets=facets,
        deleted=hidden or is_dropped(group.facts),
        temporary=is_temporary(group.facts),
        **more,
    )
