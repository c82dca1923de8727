"""Spline's execution plans and events as OpenLineage events.

A plan is a JobEvent: it has no time, so it stands before all things with a time. An application has a plan for each
write, all of its name, so jobs are named as capture names them: by the application and the output. An execution event
is the COMPLETE event of a run of its plan's job. Spline's HDFS dispatcher writes both as one document, beside the data.
In documents of their own, the plan may come before or after the event, in another file too (`Plans`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from headwater.features.imports.catalogs.made_events import NO_TIME_MS, Json, make_job_event, make_run_event
from headwater_model.ids import DatasetId, JobId
from spark_client.capturing.databases.jdbc import find_table
from spark_client.capturing.datasets.locations import find_uri
from spark_client.job_names import application_name, suffix_of

NAMESPACE = "spline"
# The HDFS dispatcher writes files of this name beside the data, unless its configuration names another.
FILES = re.compile(r"\.(json|jsonl|ndjson)(\W|$)|^_LINEAGE$")


@dataclass
class Plans:
    """The jobs of the plans read so far, by the plan's id: execution events name the id alone."""

    _jobs: dict[str, Json] = field(default_factory=dict)

    def add(self, document: Mapping[str, Any]) -> None:
        """Remember the plan of a document, if it has a good plan."""
        plan = document.get("executionPlan", document)
        if isinstance(plan, dict) and "operations" in plan and isinstance(plan.get("id"), str):
            self._jobs[plan["id"]] = job_event_of(plan)

    def events_of(self, document: Mapping[str, Any]) -> Iterator[Json]:
        """Yield the events of a plan, of an execution event, or of a document of both.

        Raises:
            ValueError: it is neither, is not as Spline writes it, or names an unknown plan.
        """
        parts = [document[name] for name in ("executionPlan", "executionEvent") if name in document] or [document]
        for part in parts:
            if isinstance(part, dict) and "operations" in part:
                self.add(part)
                yield job_event_of(part)
            elif isinstance(part, dict) and "planId" in part:
                yield self._run_of(part)
            else:
                raise ValueError("must be an execution plan (operations) or an execution event (planId) of Spline")

    def _run_of(self, event: Mapping[str, Any]) -> Json:
        plan_id, ms = event["planId"], event.get("timestamp")
        if not isinstance(ms, int):
            raise ValueError(f"timestamp: must be milliseconds since 1970, got {ms!r:.200}")
        if plan_id not in self._jobs:
            raise ValueError(f"planId: must be that of a plan that is imported, too, got {plan_id!r:.200}")
        run_event = make_run_event(self._jobs[plan_id], f"spline:{plan_id}:{ms}", ms)
        if event.get("error") is not None:
            run_event["eventType"] = "FAIL"
        return run_event


def job_event_of(plan: Mapping[str, Any]) -> Json:
    """Make the JobEvent of a plan: its reads, its write, and the columns of the write by attributes and expressions.

    Raises:
        ValueError: the plan is not as Spline writes it.
    """
    try:
        operations = plan["operations"]
        write, reads = operations["write"], operations.get("reads") or ()
        inputs = [name_of(source) for read in reads for source in read["inputSources"]]
        output = name_of(write["outputSource"])
        name = plan.get("name") or (plan.get("extraInfo") or {}).get("appName") or plan["id"]
        columns = {output: _Columns(plan).of_write()}
        job = JobId(NAMESPACE, f"{application_name(name)}.{suffix_of(output.name)}")
        return make_job_event(job, list(dict.fromkeys(inputs)), [output], columns, NO_TIME_MS)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"plan: must be as Spline writes it ({type(error).__name__}: {error})") from error


def name_of(uri: str) -> DatasetId:
    """Name the dataset at a URI of Spline, as capture names it.

    >>> name_of("file:/data/flights.csv"), name_of("s3a://lake/flights/checked")
    (DatasetId(namespace='file', name='/data/flights.csv'), DatasetId(namespace='s3://lake', name='flights/checked'))
    >>> name_of("jdbc:postgresql://db:5432/flights:public.checked")
    DatasetId(namespace='postgres://db:5432', name='flights.public.checked')
    >>> name_of("kafka:flights")
    DatasetId(namespace='kafka', name='flights')
    """
    if uri.startswith("jdbc:"):
        url, _, table = uri.rpartition(":")
        dataset = find_table(url, table)
    else:
        dataset = find_uri(uri) if "/" in uri else None
    if dataset is not None:
        return dataset
    scheme, colon, name = uri.partition(":")
    return DatasetId(scheme, name) if colon and name else DatasetId(NAMESPACE, uri)


class _Columns:
    """The sources of a plan's attributes: an attribute without references is a column of its read."""

    def __init__(self, plan: Mapping[str, Any]) -> None:
        operations, expressions = plan["operations"], plan.get("expressions") or {}
        self._write = operations["write"]
        self._attributes = {each["id"]: each for each in plan.get("attributes") or ()}
        self._parts = {each["id"]: each for kind in ("functions", "constants") for each in expressions.get(kind) or ()}
        self._operations = {each["id"]: each for each in operations.get("other") or ()}
        self._read_of: dict[str, list[DatasetId]] = {}
        for read in operations.get("reads") or ():
            self._operations[read["id"]] = read
            for attribute in read.get("output") or ():
                self._read_of[attribute] = [name_of(source) for source in read["inputSources"]]

    def of_write(self) -> dict[str, list[tuple[DatasetId, str]]]:
        """List the columns of reads behind each written column."""
        written = [self._operations.get(child, {}).get("output") or () for child in self._write.get("childIds") or ()]
        attributes = [self._attributes[each] for ids in written[:1] for each in ids]
        return {attribute["name"]: list(self._sources(attribute["id"])) for attribute in attributes}

    def _sources(self, attribute: str) -> Iterable[tuple[DatasetId, str]]:
        """List the columns of reads behind an attribute, each once; a plan with a circle ends, too."""
        sources: dict[tuple[DatasetId, str], None] = {}
        pending, seen = [attribute], set()
        while pending:
            id_ = pending.pop()
            if id_ in seen:
                continue
            seen.add(id_)
            part = self._attributes.get(id_) or self._parts.get(id_, {})
            if id_ in self._read_of:
                sources.update(dict.fromkeys((dataset, part["name"]) for dataset in self._read_of[id_]))
                continue
            # The HTTP dispatcher names a reference `__attrId` or `__exprId`, the HDFS dispatcher `id`.
            pending += [reference for child in part.get("childRefs") or () for reference in child.values()]
        return sources
