"""Events of captured writes, and the facets of OpenLineage's own client to compare them with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
from openlineage.client.facet_v2 import (
    JobFacet,
    RunFacet,
    column_lineage_dataset,
    job_type_job,
    parent_run,
    processing_engine_run,
    schema_dataset,
)
from openlineage.client.serde import Serde

from headwater_model.ids import DatasetId
from spark_client.capturing.events.run_events import write_events
from spark_client.version import PRODUCER
from tests.unit.spark_client.capturing.builders_writes import (
    APPLICATION,
    APPLICATION_RUN,
    NIGHTLY,
    a_write,
)

SCHEMAS = Path(__file__).parents[4] / "docs" / "facets"
SCHEMA = json.loads((SCHEMAS / "headwater_capture.json").read_text("utf-8"))
JOB = "emissions.emissions_estimated"
BY = {"producer": PRODUCER}
PARENT = parent_run.ParentRunFacet(
    parent_run.Run(APPLICATION_RUN.run_id, facets=None),
    parent_run.Job("emissions", "emissions", facets=None),
    parent_run.Root(
        parent_run.RootRun(NIGHTLY.run_id, facets=None), parent_run.RootJob("emissions", "nightly", facets=None)
    ),
    **BY,
)


def content(event: Any) -> dict[str, Any]:
    """Return an event as openlineage-python sends its own."""
    return json.loads(Serde.to_json(event))


def ended(**changes: Any) -> dict[str, Any]:
    return write_events(a_write(**changes), APPLICATION, JOB)[1]


def capture_of(event: dict[str, Any]) -> dict[str, Any]:
    facet = event["run"]["facets"]["headwater_capture"]
    jsonschema.Draft202012Validator(SCHEMA).validate({"headwater_capture": facet})
    return {name: value for name, value in facet.items() if not name.startswith("_")}


def engine(event: dict[str, Any]) -> RunFacet:
    version = event["run"]["facets"]["processing_engine"]["openlineageAdapterVersion"]
    return processing_engine_run.ProcessingEngineRunFacet("4.3.0", "spark", version, **BY)


def job_type(kind: str) -> JobFacet:
    return job_type_job.JobTypeJobFacet("BATCH", "SPARK", kind, **BY)


def schema(*fields: schema_dataset.SchemaDatasetFacetFields) -> schema_dataset.SchemaDatasetFacet:
    return schema_dataset.SchemaDatasetFacet(list(fields), **BY)


def field(name: str, kind: str, *inner: Any) -> schema_dataset.SchemaDatasetFacetFields:
    return schema_dataset.SchemaDatasetFacetFields(name, kind, fields=list(inner) or None)


def source(dataset: DatasetId, name: str, *transformations: Any) -> column_lineage_dataset.InputField:
    return column_lineage_dataset.InputField(dataset.namespace, dataset.name, name, list(transformations) or None)


def how(kind: str, subtype: str, description: str | None = None) -> column_lineage_dataset.Transformation:
    return column_lineage_dataset.Transformation(kind, subtype, description, masking=False)
