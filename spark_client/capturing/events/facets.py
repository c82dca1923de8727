"""OpenLineage's facets as openlineage-python renders them, and Headwater's of captures; columns: `column_facet`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal, TypeAlias

from headwater_model.field_paths import print_dotted
from headwater_model.ids import DatasetId
from spark_client.capturing.datasets.scans import partitions_of
from spark_client.capturing.events.size_budget import SizeBudget
from spark_client.capturing.model import Change, Dataset, InputStatistics, RowIds, SchemaField, WriteStatistics
from spark_client.current_run import JobRun
from spark_client.recorder.operation_events import ours, run_of_job
from spark_client.version import PRODUCER

Facet: TypeAlias = dict[str, Any]
# OpenLineage's schema of a subset of an input.
_SUBSET_SCHEMA = (
    "https://openlineage.io/spec/facets/1-0-0/BaseSubsetDatasetFacet.json#/$defs/InputSubsetInputDatasetFacet"
)
# Bytes of the JSON around a name.
_FIELD_BYTES = 32


def openlineage_facet(name: str, spec: str, /, **values: object) -> Facet:
    """Make an OpenLineage facet by its schema, as in `("SQLJobFacet", "1-1-0", query=sql)`, without None values."""
    url = f"https://openlineage.io/spec/facets/{spec}/{name}.json#/$defs/{name}"
    return {"_producer": PRODUCER, "_schemaURL": url, **_given(values)}


def parent_facet(parent: JobRun, root: JobRun) -> Facet:
    """Name a run's parent, and the run at the root."""
    return openlineage_facet("ParentRunFacet", "1-2-0", **run_of_job(parent), root=run_of_job(root))


def processing_engine_facet(spark_version: str) -> Facet:
    """Name Spark's version, with this client in the place of OpenLineage's integration."""
    return openlineage_facet(
        "ProcessingEngineRunFacet",
        "1-1-1",
        version=spark_version,
        name="spark",
        openlineageAdapterVersion=_client_version(),
    )


def error_facet(message: str, stack: str | None, language: str) -> Facet:
    """Describe a failure in `JAVA` or `PYTHON`."""
    return openlineage_facet(
        "ErrorMessageRunFacet", "1-0-1", message=message, programmingLanguage=language, stackTrace=stack
    )


def capture_facet(
    *,
    tier: str | None = None,
    tier_reason: str | None = None,
    command: str | None = None,
    unknown: Sequence[tuple[str, str]] = (),
    unknown_inputs: Sequence[str] = (),
    unknown_output: str | None = None,
    cut: Iterable[str] = (),
    misread: Iterable[str] = (),
    counts: Mapping[str, int] | None = None,
    maintained: DatasetId | None = None,
) -> Facet:
    """Make Headwater's facet of a write's or application's capture (docs/facets/headwater_capture.json)."""
    values = {
        "tier": tier,
        "tierReason": tier_reason,
        "command": command,
        "unknown": [{"field": field, "reason": reason} for field, reason in unknown] or None,
        "unknownInputs": list(unknown_inputs) or None,
        "unknownOutput": unknown_output,
        "cut": list(cut) or None,
        "misread": list(misread) or None,
        "counts": dict(counts) if counts else None,
        "maintained": maintained and {"namespace": maintained.namespace, "name": maintained.name},
    }
    return {**ours("headwater_capture"), **_given(values)}


def records_facet(root_ids: Sequence[str]) -> Facet:
    """Make Headwater's facet of the record roots of a run (docs/facets/headwater_records.json)."""
    return {**ours("headwater_records"), "rootIds": list(root_ids)}


def job_type_facet(kind: str, processing: Literal["BATCH", "STREAMING"] = "BATCH") -> Facet:
    """Name the type of a job: an `APPLICATION`, or a `JOB` or `MAINTENANCE` in it."""
    return openlineage_facet("JobTypeJobFacet", "2-0-4", processingType=processing, integration="SPARK", jobType=kind)


def sql_facet(query: str) -> Facet:
    """Show a statement of Spark SQL."""
    return openlineage_facet("SQLJobFacet", "1-1-0", query=query, dialect="spark")


def dataset_facets(dataset: Dataset, budget: SizeBudget, *, with_schema: bool) -> dict[str, Facet]:
    """Render the facets of a dataset by itself: `schema`, `symlinks`, `version`."""
    facets: dict[str, Facet] = {}
    if with_schema and dataset.schema:
        fields = _schema_fields(dataset.schema, budget)
        facets["schema"] = openlineage_facet("SchemaDatasetFacet", "1-2-0", fields=fields)
    if dataset.symlinks:
        named = [{"namespace": link.namespace, "name": link.name, "type": link.type} for link in dataset.symlinks]
        facets["symlinks"] = openlineage_facet("SymlinksDatasetFacet", "1-0-1", identifiers=named)
    if dataset.version is not None:
        version = dataset.version
        facets["version"] = openlineage_facet("DatasetVersionDatasetFacet", "1-0-1", datasetVersion=version)
    return facets


def lifecycle_facet(change: Change, renamed_from: DatasetId | None = None) -> Facet:
    """Name a write's effect on its dataset as a whole; for a `RENAME`, the old name, too."""
    before = {"namespace": renamed_from.namespace, "name": renamed_from.name} if renamed_from else None
    return openlineage_facet(
        "LifecycleStateChangeDatasetFacet", "1-0-1", lifecycleStateChange=change, previousIdentifier=before
    )


def branch_facet(branch: str) -> Facet:
    """Make Headwater's facet of an output's branch of its table (docs/facets/headwater_branch.json)."""
    return {**ours("headwater_branch"), "branch": branch}


def rows_facet(rows: RowIds) -> Facet:
    """Make Headwater's facet of the ids of an output's new rows (docs/facets/headwater_rows.json)."""
    ids = _given({"firstRow": rows.first, "nextRow": rows.next, "upgrades": rows.upgrades or None})
    return {**ours("headwater_rows"), "table": rows.table, "sequence": rows.sequence, **ids}


def statistics_facet(written: WriteStatistics) -> Facet | None:
    """Count the rows, bytes and files of a write; None where Spark counted nothing."""
    counts = _given({"rowCount": written.rows, "size": written.size_bytes, "fileCount": written.files})
    return openlineage_facet("OutputStatisticsOutputDatasetFacet", "1-0-2", **counts) if counts else None


def input_facets(read: InputStatistics) -> dict[str, Facet]:
    """Count the rows, bytes and files read of an input, and list the partitions or folders read of it."""
    counts = _given({"rowCount": read.rows, "size": read.size_bytes, "fileCount": read.files})
    statistics = openlineage_facet("InputStatisticsInputDatasetFacet", "1-0-0", **counts)
    if not read.folders:
        return {"inputStatistics": statistics}
    partitions = partitions_of(read.folders)
    condition: Facet = {"type": "location", "locations": list(read.folders)}
    if partitions is not None:
        condition = {"type": "partition", "partitions": [{"dimensions": each} for each in partitions]}
    subset = {"_producer": PRODUCER, "_schemaURL": _SUBSET_SCHEMA, "inputCondition": condition}
    return {"inputStatistics": statistics, "subset": subset}


def _schema_fields(fields: Sequence[SchemaField], budget: SizeBudget) -> list[Facet] | None:
    """Render the fields, spelled as in columnLineage: a name with a dot stands in backquotes.

    It recurses as deep as types nest: the JVM's own parsers of types fail long before Python's stack does.
    """
    forms = []
    for field in fields:
        budget.spend(len(field.name) + len(field.type) + _FIELD_BYTES)
        name = print_dotted((field.name,))
        forms.append(_given({"name": name, "type": field.type, "fields": _schema_fields(field.fields, budget)}))
    return forms or None


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


@cache
def _client_version() -> str | None:
    try:
        return version("headwater")
    except PackageNotFoundError:
        return None
