"""DataHub's metadata change proposals as events: its aspects `upstreamLineage` and `dataJobInputOutput`.

DataHub's file sink writes them (`datahub ingest` with `type: file` as the sink): whole aspects, patches of aspects, or
snapshots. A dataset has the platform as its namespace; another environment than PROD stands behind the platform. A
dataset of S3 or GCS has OpenLineage's name for it, because jobs report it so. A data job has its orchestrator as its
namespace, and is named `flow.job`, as Airflow's provider does.

Most sources of DataHub write patches of lineage, with additions and removals. A patch is a list of JSON patch
operations (RFC 6902), whose paths have URNs in place of positions:

    {"op": "add", "path": "/upstreams/urn:li:dataset:(...)", "value": {"dataset": "urn:li:dataset:(...)", ...}}
    {"op": "add", "path": "/fineGrainedLineages/TRANSFORM/<field made>/NONE/<its source>", "value": {...}}
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from urllib.parse import unquote

from headwater.features.imports.catalogs.made_events import NO_TIME_MS, Json, make_dataset_event, make_job_event
from headwater_model.ids import DatasetId, JobId

_Columns: TypeAlias = dict[DatasetId, dict[str, list[tuple[DatasetId, str]]]]
_DATASET = re.compile(r"urn:li:dataset:\(urn:li:dataPlatform:([^,]+),(.+),([A-Z_]+)\)", re.DOTALL)
_JOB = re.compile(r"urn:li:dataJob:\(urn:li:dataFlow:\(([^,]+),(.+),([^,()]+)\),(.+)\)", re.DOTALL)
_FIELD = re.compile(r"urn:li:schemaField:\((urn:li:dataset:\(.+\)),(.+)\)", re.DOTALL)
# A comma, the brackets, and the separator of composed keys.
_ENCODED = re.compile("%2C|%28|%29|%E2%90%9F")
_ENVIRONMENT = "PROD"
_OBJECT_STORES = {"s3": "s3", "gcs": "gs"}
_FINE = "fineGrainedLineages"
_FIELD_URN = "urn:li:schemaField:"
# The field with an entry's URN, by the list of the entry.
_URN_FIELDS = {
    "upstreams": "dataset",
    "inputDatasetEdges": "destinationUrn",
    "outputDatasetEdges": "destinationUrn",
}


@dataclass
class Proposals:
    """The lineage of the proposals read so far, by URN and aspect: a patch adds to it.

    Of several proposals of an aspect the last counts, as in DataHub: its event is the latest.
    """

    _aspects: dict[tuple[Any, str], tuple[Mapping[str, Any], int]] = field(default_factory=dict)

    def copied(self) -> Proposals:
        """Copy the proposals: further proposals may be added to the copy."""
        return Proposals(dict(self._aspects))

    def events_of(self, document: Mapping[str, Any]) -> Iterator[Json]:
        """Yield the events of a proposal, or of a snapshot; none if its aspects hold no lineage.

        Raises:
            ValueError: it is no proposal, or its lineage is not as DataHub writes it.
        """
        for proposal in _proposals_in(document):
            if proposal["aspectName"] in _MAKERS:
                yield from self._events_of(proposal)

    def _events_of(self, proposal: Mapping[str, Any]) -> Iterator[Json]:
        urn, name = proposal.get("entityUrn"), proposal["aspectName"]
        parse, make = _MAKERS[name]
        try:
            thing = parse(urn)
            if proposal.get("changeType") == "DELETE":
                self._aspects.pop((urn, name), None)
                return
            before, before_ms = self._aspects.get((urn, name), ({}, NO_TIME_MS - 1))
            aspect = _aspect(proposal["aspect"])
            if proposal.get("changeType") == "PATCH":
                aspect = patched(before, operations_of(aspect))
            elif not isinstance(aspect, dict):
                raise TypeError("no object")
            ms = max(_time_ms(proposal, aspect), before_ms + 1)
            self._aspects[urn, name] = aspect, ms
            yield make(thing, aspect, ms)
        except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
            raise ValueError(f"{name}: must be as DataHub writes it ({type(error).__name__}: {error})") from error


def _proposals_in(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield a proposal, or the proposals in a snapshot of a dataset or a data job, from an older source."""
    if isinstance(document.get("aspectName"), str):
        yield document
        return
    snapshots = document.get("proposedSnapshot")
    if not isinstance(snapshots, dict):
        raise ValueError("must have entityUrn and aspectName, as a metadata change proposal has")
    for snapshot in snapshots.values():
        for aspects in snapshot.get("aspects") or ():
            for kind, aspect in aspects.items():
                name = kind.rpartition(".")[2]
                about = {"entityUrn": snapshot.get("urn"), "aspectName": f"{name[:1].lower()}{name[1:]}"}
                yield {**about, "aspect": {"json": aspect}, "systemMetadata": document.get("systemMetadata")}


def parse_dataset(urn: object) -> DatasetId:
    """Parse the dataset of a URN.

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
    platform, name, environment = match[1], _decoded(match[2]), match[3]
    bucket, slash, key = name.removeprefix(f"{platform}://").partition("/")
    if platform in _OBJECT_STORES and slash and key:
        return DatasetId(f"{_OBJECT_STORES[platform]}://{bucket}", key)
    return DatasetId(platform if environment == _ENVIRONMENT else f"{platform}/{environment}", name)


def parse_job(urn: object) -> JobId:
    """Parse the job of a URN.

    Raises:
        ValueError: it is no URN of a data job.

    >>> parse_job("urn:li:dataJob:(urn:li:dataFlow:(airflow,nightly,PROD),load)")
    JobId(namespace='airflow', name='nightly.load')
    """
    match = _JOB.fullmatch(urn) if isinstance(urn, str) else None
    if match is None:
        raise ValueError(f"must be the URN of a data job, got {urn!r:.200}")
    orchestrator, flow, cluster, job = map(_decoded, match.groups())
    namespace = orchestrator if cluster.upper() == _ENVIRONMENT else f"{orchestrator}/{cluster}"
    return JobId(namespace, f"{flow}.{job}")


def _aspect(form: Any) -> Any:
    """Read the content of an aspect: under `json`, as text under `value`, or as it is."""
    if "json" in form:
        return form["json"]
    return json.loads(form["value"]) if "value" in form and "contentType" in form else form


def _time_ms(document: Mapping[str, Any], aspect: Mapping[str, Any]) -> int:
    """Find when the lineage was written, or else observed; 0 if neither is known."""
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
    """Parse the datasets of a side; newer versions write them as edges."""
    urns = [edge["destinationUrn"] for edge in aspect.get(f"{side}DatasetEdges") or ()]
    urns += aspect.get(f"{side}Datasets") or ()
    return [parse_dataset(urn) for urn in dict.fromkeys(urns)]


def _columns(aspect: Mapping[str, Any]) -> _Columns:
    """List the source columns, by dataset and column; URNs of whole datasets among them are no columns."""
    columns: _Columns = {}
    for fine in aspect.get("fineGrainedLineages") or ():
        sources = list(_fields(fine.get("upstreams") or ()))
        for dataset, column in _fields(fine.get("downstreams") or ()):
            columns.setdefault(dataset, {}).setdefault(column, []).extend(sources)
    return columns


def _fields(urns: Iterable[str]) -> Iterator[tuple[DatasetId, str]]:
    for urn in urns:
        if match := _FIELD.fullmatch(urn):
            yield parse_dataset(match[1]), _column(match[2])


def _column(path: str) -> str:
    """Read the column of a field path; a path of version 2 has types in brackets between its names.

    >>> _column("[version=2.0].[type=struct].[type=string].delay"), _column("carrier%2C code")
    ('delay', 'carrier, code')
    """
    parts = path.split(".") if path.startswith("[version=2.0]") else [path]
    return _decoded(
        ".".join(part for part in parts if not (len(parts) > 1 and (part.startswith("[") or part.endswith("]"))))
    )


def _decoded(text: str) -> str:
    """Decode a part of a URN: DataHub encodes the characters that end parts, and no further characters."""
    return _ENCODED.sub(lambda match: unquote(match[0]), text)


# The thing of each aspect, and its maker of events.
_MAKERS: Mapping[str, tuple[Callable[[object], Any], Callable[[Any, Mapping[str, Any], int], Json]]] = {
    "upstreamLineage": (parse_dataset, _of_dataset),
    "dataJobInputOutput": (parse_job, _of_job),
}


def operations_of(aspect: object) -> Sequence[Mapping[str, Any]]:
    """Read the operations of a patch, alone or under `patch`.

    Raises:
        TypeError: it is no patch.
    """
    operations = aspect.get("patch") if isinstance(aspect, dict) else aspect
    if not isinstance(operations, list):
        raise TypeError("no list of operations")
    return operations


def patched(aspect: Mapping[str, Any], operations: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Apply operations to an aspect; operations outside of lineage change nothing."""
    result = {name: list(entries) if isinstance(entries, list) else entries for name, entries in aspect.items()}
    for operation in operations:
        # Keys of a JSON pointer (RFC 6901).
        name, *keys = (
            key.replace("~1", "/").replace("~0", "~") for key in operation["path"].removeprefix("/").split("/")
        )
        if name == _FINE:
            _patch(result, name, _fine(keys), operation["op"])
        elif name in _URN_FIELDS and keys:
            field = _URN_FIELDS[name]
            _patch(result, name, {**(operation.get("value") or {}), field: keys[0]}, operation["op"], field)
        elif name in ("inputDatasets", "outputDatasets") and keys:
            _patch(result, name, keys[0], operation["op"])
    return result


def _patch(aspect: dict[str, Any], name: str, entry: Any, op: str, field: str | None = None) -> None:
    """Add an entry to a list in place of an equal entry, or of an entry with the same URN in a field; or remove it."""

    def is_same(other: Any) -> bool:
        return bool(other[field] == entry[field] if field else other == entry)

    others = [other for other in aspect.get(name) or () if not is_same(other)]
    aspect[name] = others if op == "remove" else [*others, entry]


def _fine(keys: Sequence[str]) -> dict[str, Any]:
    """Read the fields in a path: the first is made of the rest. A query's URN may stand between."""
    fields = [key for key in keys if key.startswith(_FIELD_URN)]
    if not fields:
        raise TypeError(f"no field in the path /{_FINE}/{'/'.join(keys)}")
    return {"downstreams": fields[:1], "upstreams": fields[1:]}
