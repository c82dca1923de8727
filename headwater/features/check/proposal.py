"""The proposed outputs of jobs, from the OpenLineage events of a change that ran nowhere."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from headwater.events.event import DatasetUse, Event
from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater.facts.facet_refs import COLUMN_LINEAGE, LINEAGE, OPERATIONS, refs_in
from headwater.queries.view.descriptions import schema_of
from headwater_model.columns import ColumnLineage, merge_columns
from headwater_model.errors import HeadwaterError
from headwater_model.ids import DatasetId, FieldPath, JobId


@dataclass(frozen=True, slots=True)
class ProposedOutput:
    """An output of a job after the change: the types of its fields, and their sources; None without a report."""

    types: Mapping[FieldPath, str | None] | None = None
    columns: ColumnLineage | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """The outputs and inputs of each job of a change."""

    outputs: Mapping[JobId, Mapping[DatasetId, ProposedOutput]]
    inputs: Mapping[JobId, Set[DatasetId]] = field(default_factory=dict)


def read_proposal(documents: Iterable[tuple[str, Any]]) -> Proposal:
    """Read the events, each with its place; a later report of an output replaces an earlier report.

    Raises:
        ValueError: an event breaks a rule; the message begins with its place.
    """
    outputs: dict[JobId, dict[DatasetId, ProposedOutput]] = {}
    inputs: dict[JobId, set[DatasetId]] = {}
    for place, document in documents:
        try:
            event = parse_event(document, NamingRules(), now=None)
        except HeadwaterError as error:
            raise ValueError(f"{place}: {error}") from error
        if event.job is None:
            continue
        inputs.setdefault(event.job, set()).update(use.dataset for use in event.inputs)
        of_job = outputs.setdefault(event.job, {})
        for use in event.outputs:
            if not use.temporary:
                of_job[use.dataset] = _join(of_job.get(use.dataset, ProposedOutput()), _output(event, use))
    return Proposal(outputs, inputs)


def parse_documents(text: str, name: str) -> list[tuple[str, Any]]:
    r"""Parse a JSON document, an array or JSON lines to documents, each with its place.

    >>> parse_documents('{"a": 1}\n{"a": 2}', "events.json")
    [('events.json:1', {'a': 1}), ('events.json:2', {'a': 2})]

    Raises:
        ValueError: a line is no JSON.
    """
    try:
        whole = json.loads(text)
    except ValueError:
        lines = [(f"{name}:{number}", line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        return [(place, _parse_line(place, line)) for place, line in lines]
    documents = whole if isinstance(whole, list) else [whole]
    return [(f"{name}:{number}", document) for number, document in enumerate(documents, 1)]


def _parse_line(place: str, line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{place}: must be JSON ({error})") from error


def _output(event: Event, use: DatasetUse) -> ProposedOutput:
    refs = [
        *refs_in(use.facets, (COLUMN_LINEAGE, LINEAGE), use.dataset),
        *refs_in(event.job_facets, (LINEAGE,)),
        *refs_in(event.run_facets, (OPERATIONS,)),
    ]
    reports = [ref.columns[use.dataset] for _, ref in refs if use.dataset in ref.columns]
    schema = schema_of(use.facets)
    return ProposedOutput(schema.types if schema.known else None, merge_columns(reports) if reports else None)


def _join(earlier: ProposedOutput, later: ProposedOutput) -> ProposedOutput:
    return ProposedOutput(
        earlier.types if later.types is None else later.types,
        earlier.columns if later.columns is None else later.columns,
    )
