"""Versions of a dataset, and which of them a run read."""

from __future__ import annotations

from dataclasses import dataclass, field

from lineage_model.ids import RunKey, name_uuid
from tests.runs_model.facets import canonical, merged, text_in


@dataclass(frozen=True)
class Version:
    """A version; `maker` is the run that made it (as text), the hash of the DatasetEvent, or '' for the initial one.

    `heard`: the end of its run, or the last event of an active stream.
    """

    created: str
    maker: str
    id: str
    run: RunKey | None = None
    failed: bool = False
    heard: str = ""
    facets: dict = field(default_factory=dict)

    @property
    def position(self):
        return self.created, self.maker


def version_id(name, maker):
    return name_uuid(f"{name.namespace}:{name.name}:{maker}")


def version_of_run(name, run):
    return version_id(name, f"{run.job.namespace}:{run.id}")


def versions_of(said, dataset):
    """All versions of it, the oldest first."""
    by_runs = [version for run in said.runs.values() for version in _version_by_run(said, run, dataset)]
    first = min((version.created for version in by_runs), default=None)
    return sorted(
        by_runs + _initial(said, dataset, first) + _by_events(said, dataset, by_runs, first),
        key=lambda version: version.position,
    )


def current_of(versions):
    """Of the versions that did not fail, the one whose run ended or was heard of last; None if there is none."""
    whole = [version for version in versions if not version.failed]
    return max(whole, key=lambda one: (max(one.heard, one.created), one.maker), default=None)


def _version_by_run(said, run, dataset):
    names = [name for name in run.names("out") if said.primary(name) == dataset]
    if not names or not run.made:
        return []
    created = run.first_seen("out", names) if run.streaming else run.ended
    facets = written_facets(run, names)
    made = version_of_run(names[0], run)
    return [Version(created, str(run.key), made, run.key, run.failed, run.position[0], facets)]


def written_facets(run, names):
    return merged((event, use.facets) for event, use in run.uses("out") if use.dataset in names)


def _initial(said, dataset, first):
    """The version that was there before any run wrote one, if the dataset was heard of then."""
    mentions = [event.time for event, way, _ in said.uses_of(dataset) if way in ("in", "self") or event.kind == "JOB"]
    if not mentions or (first is not None and min(mentions) >= first):
        return []
    described = _descriptions(said, dataset)[:1] if _first_describes(said, dataset, first) else []
    facets = merged((event, use.facets) for event, use in described)
    return [Version(min(mentions), "", version_id(dataset, ""), facets=facets)]


def _descriptions(said, dataset):
    return [(event, use) for event, way, use in said.uses_of(dataset) if way == "self"]


def _first_describes(said, dataset, first):
    told = _descriptions(said, dataset)
    return bool(told) and (first is None or told[0][0].time < first)


def _by_events(said, dataset, by_runs, first):
    """A version for each DatasetEvent that tells of another schema than the one told last before it."""
    told = _descriptions(said, dataset)
    changes = told[1:] if _first_describes(said, dataset, first) else told
    every = [_by_event(event, use) for event, use in told] + [one for one in by_runs if not one.failed]
    return [one for one in (_by_event(event, use) for event, use in changes) if _changes_schema(one, every)]


def _by_event(event, use):
    return Version(event.time, event.hash, version_id(use.dataset, event.hash), facets=merged([(event, use.facets)]))


def _changes_schema(version, every):
    before = [one for one in every if one.position < version.position and "schema" in one.facets]
    last = max(before, key=lambda one: one.position, default=None)
    return "schema" in version.facets and (last is None or _fields(version) != _fields(last))


def _fields(version):
    return canonical(version.facets["schema"].get("fields"))


def version_read(said, reader, dataset):
    """(version id, how it was found, the run that made it or None): what the reader read of this input."""
    names = [name for name in reader.names("in") if said.primary(name) == dataset]
    others = [one for one in versions_of(said, dataset) if one.maker not in (str(reader.key), "")]
    return (
        _by_storage(reader, names, others)
        or _by_parent(said, reader, others)
        or _by_time(reader, others)
        or (version_id(dataset, ""), "initial", None)
    )


def _by_storage(reader, names, others):
    read = merged((event, use.facets) for event, use in reader.uses("in") if use.dataset in names)
    stored = text_in(read, "version", "datasetVersion")
    if stored is None:
        return None
    same = [one for one in others if one.run and text_in(one.facets, "version", "datasetVersion") == stored]
    return (same[-1].id, "storage", same[-1].run) if same else (version_id(names[0], stored), "storage", None)


def _by_parent(said, reader, others):
    siblings = [
        one
        for one in others
        if one.run and not one.failed and reader.parent and one.created < reader.updated
        if said.runs[one.run].parent and said.runs[one.run].parent.key == reader.parent.key
    ]
    return (siblings[-1].id, "parentRun", siblings[-1].run) if siblings else None


def _by_time(reader, others):
    earlier = [one for one in others if not one.failed and one.created <= reader.started]
    return (earlier[-1].id, "time", earlier[-1].run) if earlier else None
