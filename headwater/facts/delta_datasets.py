"""Facts of an event about datasets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from headwater.events.event import DatasetUse, Event, is_deleted
from headwater.facts.facet_refs import OF_DATASETS
from headwater.facts.facts import NO_PARENT, DatasetFacts, Reference, RunFacts, dataset_of, text_of
from headwater.facts.facts_delta import Added, Report, histories_of, references_in
from headwater.facts.keys import dataset_pk
from headwater.facts.list_rows import sources_in
from headwater.facts.table import Row
from headwater_model.ids import DatasetId, RunKey, name_uuid
from headwater_model.partitions import is_in_bucket

# A reader may know a part (its projection) of these facets, and a failed run does not write them.
_OF_USES = frozenset({"schema"})
# In place of a declaration.
_WITHDRAWN = cast(Reference, {"outputs": {}})


def mentions(report: Report) -> Iterator[Added]:
    """Yield the mentions of datasets, with their facets; schemas of a run's uses have fields of their own."""
    event = report.event
    times = (event.time,)
    parents = {str(event.parent.key) if event.parent else NO_PARENT: event.time} if event.kind == "RUN" else {}
    dropped = {use.dataset for use in event.uses if _drops(use)}
    for use, role, is_read in report.mentions:
        # A schema of a run's use may be a projection, or of a run that fails.
        separate = use.facets.keys() & _OF_USES if role != "described" else set()
        schemas = histories_of({name: use.facets[name] for name in separate}, event.stamp)
        is_dropped = use.dataset in dropped
        yield (
            use.dataset,
            DatasetFacts(
                first=event.time,
                last=event.time,
                mentioned_at=times,
                first_read=event.time if is_read else None,
                facets=histories_of({name: use.facets[name] for name in use.facets.keys() - separate}, event.stamp),
                read_schemas=schemas if role == "input" else {},
                written_schemas=schemas if role == "output" else {},
                dropped_at=times if is_dropped else (),
                mentioned_undropped_at=() if is_dropped else times,
                temporary=event.time if use.temporary else None,
                parent_runs=parents,
            ),
        )


def _drops(use: DatasetUse) -> bool:
    return use.facets.get("lifecycleStateChange", {}).get("lifecycleStateChange") == "DROP"


def sources(report: Report) -> Iterator[Added]:
    """Yield the event's sources of data, by the facets `dataSource`."""
    for mention in report.mentions:
        yield from sources_in(mention.use, report.event.time)


def other_names(report: Report) -> Iterator[Added]:
    """Yield the aliases of datasets in the facets `symlinks`, for the facts of both names."""
    stamp = report.event.stamp
    for use, _, _ in report.mentions:
        others = list(_symlinks(use))
        if others:
            yield use.dataset, DatasetFacts(other_names={text_of(other): stamp for other in others})
        for other in others:
            yield other, DatasetFacts(aliases={text_of(use.dataset): (stamp,)})


def _symlinks(use: DatasetUse) -> Iterator[DatasetId]:
    # dbt's integration gives each table of Athena a name in Glue's own catalog, and so a table of S3 Tables.
    facet = use.facets.get("symlinks", {})
    for identifier in () if is_deleted(facet) else facet.get("identifiers") or ():
        other = DatasetId(identifier["namespace"], identifier["name"] or "/")
        if other != use.dataset and not (is_in_bucket(use.dataset) and other.namespace.startswith("arn:aws:glue:")):
            yield other


def users(report: Report) -> Iterator[Added]:
    """Yield the job and the run of the event as users of its inputs and outputs."""
    event = report.event
    if event.job is None:
        return
    user = {text_of(event.job): event.time}
    of_run = [event.time, int(event.type != "START")]
    reads, writes = ({f"{kind}#{report.run}": of_run} if event.run else {} for kind in ("FORWARD", "BACKWARD"))
    for use in event.inputs:
        yield use.dataset, DatasetFacts(read_by=user, uses=reads)
    for use in event.outputs:
        yield use.dataset, DatasetFacts(first_written=event.time, written_by=user, uses=writes)


def bare_mentions(report: Report) -> Iterator[Added]:
    """Yield the `named` datasets, shown in the job's graphs: their sender may not describe them."""
    event = report.event
    for dataset in event.named:
        yield dataset, DatasetFacts(named_first=event.time, named_at=(event.time,))


def declarations(report: Report) -> Iterator[Added]:
    """Yield the facts of a DatasetEvent: its dataset's description, a row of the event, and the declared columns."""
    event, use = report.event, report.event.dataset
    if use is None:
        return
    yield use.dataset, DatasetFacts(first_described=event.time)
    yield Row(dataset_pk(use.dataset), f"EVENT#{event.stamp}", {"facets": dict(use.facets)})
    declared = next(references_in(event), None)
    text = text_of(use.dataset)
    for source in declared["outputs"].get(text, ()) if declared else ():
        yield dataset_of(source), DatasetFacts(derived={text: event.time})
    if not use.facets.keys().isdisjoint(OF_DATASETS):
        # A deleted facet (`_deleted`) withdraws the earlier declaration.
        yield use.dataset, DatasetFacts(declarations={event.stamp: declared or _WITHDRAWN})
    if declared is not None:
        yield RunKey.of(use.dataset, name_uuid(event.hash)), _declared_run(event, use)


def _declared_run(event: Event, use: DatasetUse) -> RunFacts:
    """Make a run of a DatasetEvent with columns: without a job, completed at its beginning."""
    reported = {name: use.facets[name] for name in OF_DATASETS if name in use.facets}
    return RunFacts(
        first=event.time,
        last=event.time,
        declared=event.time,
        times=(event.time,),
        terminals=(f"{event.stamp}#COMPLETED",),
        outputs={text_of(use.dataset): event.time},
        written_facets={text_of(use.dataset): histories_of(reported, event.stamp)},
    )
