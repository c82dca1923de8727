"""DataHub's metadata change proposals as events: of `upstreamLineage` and `dataJobInputOutput`; no others hold lineage.

Its file sink writes such proposals (`datahub ingest` from a running DataHub, with `type: file` as the sink). A dataset
has the platform as its namespace, of another environment than PROD with the environment behind it; a dataset of S3 or
GCS is named as OpenLineage names it, which is how jobs report it. A data job has its orchestrator as its namespace, and
is named `flow.job`, as Airflow's provider does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from headwater.cli.catalogs.made_events import NO_TIME_MS, Json, make_dataset_event, make_job_event
from headwater_model.ids import DatasetId, JobId

_Columns: TypeAlias = dict[DatasetId, dict[str, list[tuple[DatasetId, str]]]]
_DATASET = re.compile(r"urn:li:dataset:\(urn:li:dataPlatform:([^,]+),(.+),([A-Z_]+)\)", re.DOTALL)
_JOB = re.compile(r"urn:li:dataJob:\(urn:li:dataFlow:\(([^,]+),(.+),([^,()]+)\),(.+)\)", re.DOTALL)
_FIELD = re.compile(r"urn:li:schemaField:\((urn:li:dataset:\(.+\)),(.+)\)", re.DOTALL)
_ENVIRONMENT = "PROD"
_OBJECT_STORES = {"s3": "s3", "gcs": "gs"}


def events_of(document: Mapping[str, Any]) -> Iterator[Json]:
    """Yield the event of a proposal; none if its aspect holds no lineage.

    Raises:
        ValueError: it is no proposal, or its lineage is not as DataHub writes it.
    """
    urn, aspect_name = document.get("entityUrn"), document.get("aspectName")
    if not isinstance(aspect_name, str):
        if "proposedSnapshot" in document:
            return
        raise ValueError("must have entityUrn and aspectName, as a metadata change proposal has")
    if aspect_name not in ("upstreamLineage", "dataJobInputOutput") or document.get("changeType") == "DELETE":
        return
    try:
        aspect = _aspect(document["aspect"])
        ms = _time_ms(document, aspect)
        if aspect_name == "upstreamLineage":
            yield _of_dataset(parse_dataset(urn), aspect, ms)
        else:
            yield _of_job(parse_job(urn), aspect, ms)
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
        raise ValueError(f"{aspect_name}: must be as DataHub writes it ({type(error).__name__}: {error})") from error


def parse_dataset(urn: object) -> DatasetId:
    """Return the dataset of a URN.

    Raises:
        ValueError: it is no URN of a dataset.

    >>> parse_dataset("urn:li:dataset:(urn:li:dataPlatform:hive,flights.raw,PROD)")
    DatasetId(namespace='hive', name='flights.raw')
    >>> parse_dataset("urn:li:dataset:(urn:li:dataPlatform:s3,lake/flights/raw,DEV)")
    DatasetId(namespace='s3://lake', name='flights/raw')
    >>> parse_dataset("urn:li:dataset:(urn:li:dataPlatform:snowflake,db.public.flights,DEV)").namespace
    'snowflake/DEV'
    """
    match = _DATASET.fullmatch(urn) if isinstance(urn, str) else None
    if match is None:
        raise ValueError(f"must be the URN of a dataset, got {urn!r:.200}")
    platform, name, environment = match.groups()
    bucket, slash, key = name.removeprefix(f"{platform}://").partition("/")
    if platform in _OBJECT_STORES and slash and key:
        return DatasetId(f"{_OBJECT_STORES[platform]}://{bucket}", key)
    return DatasetId(platform if environment == _ENVIRONMENT else f"{platform}/{environment}", name)


def parse_job(urn: object) -> JobId:
    """Return the job of a URN.

    Raises:
        ValueError: it is no URN of a data job.

    >>> parse_job("urn:li:dataJob:(urn:li:dataFlow:(airflow,nightly,PROD),load)")
    JobId(namespace='airflow', name='nightly.load')
    """
    match = _JOB.fullmatch(urn) if isinstance(urn, str) else None
    if match is None:
        raise ValueError(f"must be the URN of a data job, got {urn!r:.200}")
    orchestrator, flow, cluster, job = match.groups()
    namespace = orchestrator if cluster.upper() == _ENVIRONMENT else f"{orchestrator}/{cluster}"
    return JobId(namespace, f"{flow}.{job}")


def _aspect(form: Any) -> Mapping[str, Any]:
    """Return the content of an aspect: under `json`, as text under `value`, or as it is."""
    if "json" in form:
        form = form["json"]
    elif "value" in form and "contentType" in form:
        form = json.loads(form["value"])
    if not isinstance(form, dict):
        raise TypeError("no object")
    return form


def _time_ms(document: Mapping[str, Any], aspect: Mapping[str, Any]) -> int:
    """Return when the lineage was written, or else observed; 0 if neither is known."""
    stamps = [(upstream.get("auditStamp") or {}).get("time") for upstream in aspect.get("upstreams", ())]
    observed = (document.get("systemMetadata") or {}).get("lastObserved")
    known = [time for time in stamps if isinstance(time, int) and time > 0]
    return max(known) if known else observed if isinstance(observed, int) and observed > 0 else NO_TIME_MS


def _of_dataset(dataset: DatasetId, aspect: Mapping[str, Any], ms: int) -> Json:
    inputs = [parse_dataset(upstream["dataset"]) for upstream in aspect["upstreams"]]
    columns = _columns(aspect).get(dataset, {})
    return make_dataset_event(dataset, inputs, columns, ms)


def _of_job(job: JobId, aspect: Mapping[str, Any], ms: int) -> Json:
    inputs, outputs = (_ends(aspect, side) for side in ("input", "output"))
    return make_job_event(job, inputs, outputs, _columns(aspect), ms)


def _ends(aspect: Mapping[str, Any], side: str) -> list[DatasetId]:
    """Return the datasets of one side, which newer versions write as edges."""
    urns = [edge["destinationUrn"] for edge in aspect.get(f"{side}DatasetEdges") or ()]
    urns += aspect.get(f"{side}Datasets") or ()
    return [parse_dataset(urn) for urn in dict.fromkeys(urns)]


def _columns(aspect: Mapping[str, Any]) -> _Columns:
    """Return by dataset and column the columns that it is made of; URNs of whole datasets among them say none."""
    columns: _Columns = {}
    for fine in aspect.get("fineGrainedLineages") or ():
        sources = list(_fields(fine.get("upstreams") or ()))
        for dataset, field in _fields(fine.get("downstreams") or ()):
            columns.setdefault(dataset, {}).setdefault(field, []).extend(sources)
    return columns


def _fields(urns: Iterable[str]) -> Iterator[tuple[DatasetId, str]]:
    for urn in urns:
        if match := _FIELD.fullmatch(urn):
            yield parse_dataset(match[1]), match[2]
