"""OpenLineage events as they are sent: what must be there, and what may be in it.

Required is what identifies and orders an event; the rest that the specification requires (`schemaURL`, the facets'
`_producer` and `_schemaURL`) may be missing, for producers of every age leave some of it out. `null` is as good as not
given. A namespace has 1 to 1,024 characters, none of them a control character (Marquez refuses many more, and rewrites
some); a name is not blank and has at most 2,048 bytes, and a job's name holds no control characters. Facets are JSON
objects, kept as sent, known or not; the fields of known ones that mean something here are checked, in a facet that is
`_deleted` too (not those of `column_forms`).
"""

from __future__ import annotations

from typing import Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    model_validator,
)
from typing_extensions import Self

from lineage.openlineage.facet_models import (
    ColumnLineageFacet,
    DatasetLineageFacet,
    Form,
    JobLineageFacet,
    Name,
    NamedForm,
    NamedJobForm,
    Namespace,
    RecordsFacet,
    Text,
    Time,
)

# What is told of a value that has another JSON type than it should.
WORDS = {
    "model_type": "must be a JSON object",
    "dict_type": "must be a JSON object",
    "list_type": "must be a list",
    "string_type": "must be a string",
    "bool_type": "must be true or false",
}


class RunRefForm(Form):
    """A run by id; any text will do."""

    runId: Name  # noqa: N815 - the specification's spelling


class RunOfJobForm(Form):
    """A run and its job, as the parent facet has them."""

    run: RunRefForm
    job: NamedJobForm


class _ParentFacet(RunOfJobForm):
    root: RunOfJobForm | None = None


class _NominalTimeFacet(Form):
    nominalStartTime: Time | None = None  # noqa: N815 - the specification's spelling
    nominalEndTime: Time | None = None  # noqa: N815 - the specification's spelling


class _SchemaField(Form):
    name: Name
    type: Text | None = None
    description: Text | None = None
    fields_: list[_SchemaField] = Field(default=[], alias="fields")


class _SchemaFacet(Form):
    fields_: list[_SchemaField] = Field(default=[], alias="fields")


class _SymlinksFacet(Form):
    identifiers: list[NamedForm] = Field(default=[])


class _VersionFacet(Form):
    datasetVersion: Text | None = None  # noqa: N815 - the specification's spelling


class _LifecycleFacet(Form):
    lifecycleStateChange: Text | None = None  # noqa: N815 - the specification's spelling
    previousIdentifier: NamedForm | None = None  # noqa: N815 - the specification's spelling


class _DataSourceFacet(Form):
    name: Text | None = None
    uri: Text | None = None


class _DocumentationFacet(Form):
    description: Text | None = None


class _JobTypeFacet(Form):
    processingType: Text | None = None  # noqa: N815 - the specification's spelling
    integration: Text | None = None
    jobType: Text | None = None  # noqa: N815 - the specification's spelling


class _SourceCodeLocationFacet(Form):
    url: Text | None = None
    version: Text | None = None


class FacetsForm(BaseModel):
    """The facets of a run, a job, a dataset or a use of it, by name."""

    model_config = ConfigDict(frozen=True, extra="allow")
    __pydantic_extra__: dict[str, dict[str, Any]]
    _sent: dict[str, dict[str, Any]] = PrivateAttr(default_factory=dict)

    @property
    def sent(self) -> dict[str, dict[str, Any]]:
        """Every facet as it was sent."""
        return self._sent

    @model_validator(mode="wrap")
    @classmethod
    def _keep_as_sent(cls, sent: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if not isinstance(sent, dict):
            return handler(sent)
        facets = {name: facet for name, facet in sent.items() if facet is not None}
        form = handler(facets)
        form._sent.update(facets)
        return form


class RunFacetsForm(FacetsForm):
    """A run's; `parentRun` is an old name of `parent`, and stronger where both are sent, as in Marquez."""

    parent: _ParentFacet | None = None
    parentRun: _ParentFacet | None = None  # noqa: N815 - as it is sent
    nominalTime: _NominalTimeFacet | None = None  # noqa: N815 - the specification's spelling
    headwater_records: RecordsFacet | None = None


class JobFacetsForm(FacetsForm):
    """A job's."""

    jobType: _JobTypeFacet | None = None  # noqa: N815 - the specification's spelling
    sourceCodeLocation: _SourceCodeLocationFacet | None = None  # noqa: N815 - the specification's spelling
    documentation: _DocumentationFacet | None = None
    lineage: JobLineageFacet | None = None


class DatasetFacetsForm(FacetsForm):
    """A dataset's."""

    schema_: _SchemaFacet | None = Field(default=None, alias="schema")
    symlinks: _SymlinksFacet | None = None
    version: _VersionFacet | None = None
    lifecycleStateChange: _LifecycleFacet | None = None  # noqa: N815 - the specification's spelling
    dataSource: _DataSourceFacet | None = None  # noqa: N815 - the specification's spelling
    documentation: _DocumentationFacet | None = None
    columnLineage: ColumnLineageFacet | None = None  # noqa: N815 - the specification's spelling
    lineage: DatasetLineageFacet | None = None


class RunForm(RunRefForm):
    """A run with its facets."""

    facets: RunFacetsForm = RunFacetsForm()


class JobForm(NamedJobForm):
    """A job with its facets."""

    facets: JobFacetsForm = JobFacetsForm()


class DatasetForm(NamedForm):
    """A dataset with its facets, as an input with those of the reading, as an output with those of the writing."""

    facets: DatasetFacetsForm = DatasetFacetsForm()
    inputFacets: FacetsForm = FacetsForm()  # noqa: N815 - the specification's spelling
    outputFacets: FacetsForm = FacetsForm()  # noqa: N815 - the specification's spelling


class _EventForm(Form):
    eventTime: Time  # noqa: N815 - the specification's spelling
    producer: Name
    eventType: Text | None = None  # noqa: N815 - the specification's spelling


class JobEventForm(_EventForm):
    """What a job reads and writes."""

    job: JobForm
    inputs: list[DatasetForm] = Field(default=[])
    outputs: list[DatasetForm] = Field(default=[])


class RunEventForm(JobEventForm):
    """What happened to a run."""

    run: RunForm


class DatasetEventForm(_EventForm):
    """What is known of a dataset."""

    dataset: DatasetForm


class DeletionForm(Form):
    """Our own message of a deletion; the names are those that it was accepted with."""

    eventTime: Time  # noqa: N815 - as in events
    namespace: Namespace
    job: Name | None = None
    dataset: Name | None = None
