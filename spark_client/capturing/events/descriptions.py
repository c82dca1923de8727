"""Description of an application's job and run, by its program's configuration, as OpenLineage's facets."""

from __future__ import annotations

from dataclasses import dataclass

from spark_client.capturing.events.facets import Facet, openlineage_facet

# Default value and source of a tag, as in OpenLineage's integration for Spark.
_VALUE, _SOURCE = "true", "CONFIG"


@dataclass(frozen=True, slots=True)
class Tag:
    """Key and value, and their source."""

    key: str
    value: str = _VALUE
    source: str = _SOURCE


@dataclass(frozen=True, slots=True)
class Owner:
    """Owner of a job, such as `team:flights`, and the type of the ownership."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Description:
    """Description of the application's job, and tags of its run."""

    text: str | None = None
    owners: tuple[Owner, ...] = ()
    job_tags: tuple[Tag, ...] = ()
    run_tags: tuple[Tag, ...] = ()

    def job_facets(self) -> dict[str, Facet]:
        """Render the facets of the job: `documentation`, `ownership`, `tags`."""
        owners = [{"name": owner.name, "type": owner.type} for owner in self.owners]
        text = self.text
        return {
            **(
                {"documentation": openlineage_facet("DocumentationJobFacet", "1-1-0", description=text)} if text else {}
            ),
            **({"ownership": openlineage_facet("OwnershipJobFacet", "1-0-1", owners=owners)} if owners else {}),
            **_tags("TagsJobFacet", self.job_tags),
        }

    def run_facets(self) -> dict[str, Facet]:
        """Render the facet of the run: `tags`."""
        return _tags("TagsRunFacet", self.run_tags)


def _tags(facet: str, tags: tuple[Tag, ...]) -> dict[str, Facet]:
    listed = [{"key": tag.key, "value": tag.value, "source": tag.source} for tag in tags]
    return {"tags": openlineage_facet(facet, "1-0-0", tags=listed)} if listed else {}


def parse_tags(text: str) -> tuple[Tag, ...]:
    """Parse tags as OpenLineage's integration for Spark writes them: `key`, `key:value` or `key:value:source`.

    >>> parse_tags("nightly;team:flights")
    (Tag(key='nightly', value='true', source='CONFIG'), Tag(key='team', value='flights', source='CONFIG'))

    Raises:
        ValueError: a tag has no key, or more than three parts.
    """
    tags = []
    for word in filter(None, map(str.strip, text.split(";"))):
        parts = [part.strip() for part in word.split(":")]
        if len(parts) > 3 or not all(parts):
            raise ValueError(f"must be key, key:value or key:value:source, with semicolons between ({word!r})")
        tags.append(Tag(*parts))
    return tuple(tags)
