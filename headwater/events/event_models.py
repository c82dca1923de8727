"""Models of OpenLineage events as they are sent: required and optional fields.

Fields that identify and order an event are required. Other fields that the specification requires (`schemaURL`, the
facets' `_producer` and `_schemaURL`) are optional, since producers of every age leave them out. `null` means missing. A
namespace has 1 to 1,024 characters, none of them a control character (Marquez refuses many more, and rewrites some). A
name is not blank and has at most 2,048 bytes; a job's name holds no control characters. Facets are JSON objects, stored
as sent, known or not. The fields of known facets that are used here are checked, in a `_deleted` facet too (but for
those of `facet_models`).
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    Strict,
    model_validator,
)
from typing_extensions import Self

from headwater.events.facet_models import (
    ColumnLineageFacet,
    DatasetLineageFacet,
    JobLineageFacet,
    Model,
    Name,
    NamedJobModel,
    NamedModel,
    OwnershipFacet,
    RecordsFacet,
    TagsFacet,
    Text,
    Time,
)

# Messages for a value of a wrong JSON type.
WORDS = {
    "model_type": "must be a JSON object",
    "dict_type": "must be a JSON object",
    "list_type": "must be a list",
    "string_type": "must be a string",
    "bool_type": "must be true or false",
}


class RunRefModel(Model):
    """A run by id; any text will do."""

    runId: Name  # noqa: N815 - the specification's spelling


class _JobDependency(Model):
    job: NamedJobModel
    dependency_type: Text | None = None
    sequence_trigger_rule: Text | None = None
    status_trigger_rule: Text | None = None


class _JobDependenciesFacet(Model):
    upstream: list[_JobDependency] = Field(default_factory=list)
    downstream: list[_JobDependency] = Field(default_factory=list)


class _ExtractionErrorFacet(Model):
    failedTasks: Annotated[int, Strict()] | None = None  # noqa: N815 - the specification's spelling
    errors: list[dict[str, Any]] = Field(default_factory=list)


class _NominalTimeFacet(Model):
    nominalStartTime: Time | None = None  # noqa: N815 - the specification's spelling
    nominalEndTime: Time | None = None  # noqa: N815 - the specification's spelling


class _SchemaField(Model):
    name: Name
    type: Text | None = None
    description: Text | None = None
    fields_: list[_SchemaField] = Field(default_factory=list, alias="fields")


class _SchemaFacet(Model):
    fields_: list[_SchemaField] = Field(default_factory=list, alias="fields")


class _SymlinksFacet(Model):
    identifiers: list[NamedModel] = Field(default_factory=list)


class _VersionFacet(Model):
    datasetVersion: Text | None = None  # noqa: N815 - the specification's spelling


class _LifecycleFacet(Model):
    lifecycleStateChange: Text | None = None  # noqa: N815 - the specification's spelling
    previousIdentifier: NamedModel | None = None  # noqa: N815 - the specification's spelling


class _DataSourceFacet(Model):
    name: Text | None = None
    uri: Text | None = None


class _DocumentationFacet(Model):
    description: Text | None = None


class _JobTypeFacet(Model):
    processingType: Text | None = None  # noqa: N815 - the specification's spelling
    integration: Text | None = None
    jobType: Text | None = None  # noqa: N815 - the specification's spelling


class _SourceCodeLocationFacet(Model):
    url: Text | None = None
    version: Text | None = None


class FacetsModel(BaseModel):
    """The facets of a run, a job, a dataset or a use of it, by name."""

    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True)
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


class JobFacetsModel(FacetsModel):
    """The facets of a job."""

    jobType: _JobTypeFacet | None = None  # noqa: N815 - the specification's spelling
    sourceCodeLocation: _SourceCodeLocationFacet | None = None  # noqa: N815 - the specification's spelling
    documentation: _DocumentationFacet | None = None
    ownership: OwnershipFacet | None = None
    tags: TagsFacet | None = None
    lineage: JobLineageFacet | None = None


class JobModel(NamedJobModel):
    """A job with its facets."""

    facets: JobFacetsModel = Field(default_factory=JobFacetsModel)


class JobRunModel(Model):
    """A run and its job, with facets of the job, as the parent facet has them."""

    run: RunRefModel
    job: JobModel


class _ParentFacet(JobRunModel):
    root: JobRunModel | None = None


class RunFacetsModel(FacetsModel):
    """The facets of a run; `parentRun` is an old name of `parent`, and wins if both are sent, as in Marquez."""

    parent: _ParentFacet | None = None
    parentRun: _ParentFacet | None = None  # noqa: N815 - as it is sent
    nominalTime: _NominalTimeFacet | None = None  # noqa: N815 - the specification's spelling
    tags: TagsFacet | None = None
    extractionError: _ExtractionErrorFacet | None = None  # noqa: N815 - the specification's spelling
    jobDependencies: _JobDependenciesFacet | None = None  # noqa: N815 - the specification's spelling
    headwater_records: RecordsFacet | None = None


class DatasetFacetsModel(FacetsModel):
    """The facets of a dataset."""

    schema_: _SchemaFacet | None = Field(default=None, alias="schema")
    symlinks: _SymlinksFacet | None = None
    version: _VersionFacet | None = None
    lifecycleStateChange: _LifecycleFacet | None = None  # noqa: N815 - the specification's spelling
    dataSource: _DataSourceFacet | None = None  # noqa: N815 - the specification's spelling
    documentation: _DocumentationFacet | None = None
    ownership: OwnershipFacet | None = None
    tags: TagsFacet | None = None
    columnLineage: ColumnLineageFacet | None = None  # noqa: N815 - the specification's spelling
    lineage: DatasetLineageFacet | None = None


class RunModel(RunRefModel):
    """A run with its facets."""

    facets: RunFacetsModel = Field(default_factory=RunFacetsModel)


class DatasetModel(NamedModel):
    """A dataset with its facets, as an input with those of the reading, as an output with those of the writing."""

    facets: DatasetFacetsModel = Field(default_factory=DatasetFacetsModel)
    inputFacets: FacetsModel = Field(default_factory=FacetsModel)  # noqa: N815 - the specification's spelling
    outputFacets: FacetsModel = Field(default_factory=FacetsModel)  # noqa: N815 - the specification's spelling


class _EventModel(Model):
    eventTime: Time  # noqa: N815 - the specification's spelling
    producer: Name
    eventType: Text | None = None  # noqa: N815 - the specification's spelling


class JobEventModel(_EventModel):
    """A JobEvent: the datasets that a job reads and writes."""

    job: JobModel
    inputs: list[DatasetModel] = Field(default_factory=list)
    outputs: list[DatasetModel] = Field(default_factory=list)


class RunEventModel(JobEventModel):
    """A RunEvent: a change of a run's state, with inputs and outputs."""

    run: RunModel


class DatasetEventModel(_EventModel):
    """A DatasetEvent: facets of a dataset."""

    dataset: DatasetModel
