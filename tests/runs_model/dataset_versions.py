"""Versions of a dataset, and the version read by a run."""

from __future__ import annotations

from dataclasses import dataclass, field

from headwater.times import just_after
from headwater_model.ids import RunKey, name_uuid, sha256_hex
from tests.runs_model.facets import canonical, merged, text_in
from tests.runs_model.run import Run, streams


@dataclass(frozen=True)
class Version:
    """A version; `maker` is its run (as text), the hash of its DatasetEvent, or '' for the initial version.

    `stream`: its run, if streaming. `stored`: the storage's own versions of it.
    """

    created: str
    maker: str
    id: str
    run: RunKey | None = None
    failed: bool = False
    branch: str | None = None
    stream: Run | None = None
    facets: dict = field(default_factory=dict)
    stored: frozenset = frozenset()

    @property
    def counts(self):
        return not self.failed and self.branch is None

    @property
    def position(self):
        """Its place among all versions by creation: a DatasetEvent compares its schema with the places before."""
        return self.created, self.maker

    def standing(self, before="~"):
        """Compute its place in the order of versions: a stream's is at its end, or its last event before a time."""
        position = self.stream and self.stream.as_of(before).position
        return max(position[0] if position else "", self.created), self.maker


def version_id(name, maker):
    return name_uuid(f"{name.namespace}:{name.name}:{maker}")


def version_of_run(name, run):
    digits = sha256_hex(run.id)
    return f"{digits[:8]}-{digits[8:12]}-8{digits[12:15]}-{version_id(name, str(run.key))[19:]}"


def versions_of(statements, dataset):
    """List all versions of the dataset, the oldest first."""
    by_runs = [version for run in statements.runs.values() for version in _version_by_run(statements, run, dataset)]
    first = min((version.created for version in by_runs), default=None)
    return sorted(
        by_runs + _initial(statements, dataset, first) + _by_events(statements, dataset, by_runs, first),
        key=Version.standing,
    )


def current_of(versions):
    """Find the last version that did not fail and is on no branch, or None."""
    return next((version for version in versions[::-1] if version.counts), None)


def _version_by_run(statements, run, dataset):
    names = [name for name in run.names("out") if statements.primary(name) == dataset]
    if not names or not run.made:
        return []
    created = run.first_seen("out", names) if run.streaming else run.ended
    facets = written_facets(run, names)
    version_id = version_of_run(names[0], run)
    stored = frozenset(_stored(statements, run, dataset)) | {_storage_version(facets)}
    stream = run if run.streaming else None
    branch = branch_of(run, names)
    return [Version(created, str(run.key), version_id, run.key, run.failed, branch, stream, facets, stored)]


def _stored(statements, run, dataset):
    """Yield each version of the storage stated by a stream, at any time."""
    for event in run.all_events if run.streaming else ():
        uses = event.outputs if streams(event) else ()
        yield from (_storage_version(use.facets) for use in uses if statements.primary(use.dataset) == dataset)


def _storage_version(facets):
    return text_in(facets, "version", "datasetVersion")


def written_facets(run, names):
    return merged((event, use.facets) for event, use in run.uses("out") if use.dataset in names)


def branch_of(run, names):
    uses = merged((event, use.use_facets) for event, use in run.uses("out") if use.dataset in names)
    return text_in(uses, "headwater_branch", "branch")


def _initial(statements, dataset, first):
    """Make the version before any run's, if the dataset was mentioned then."""
    mentions = [
        event.time
        for event, direction, _ in statements.uses_of(dataset)
        if direction in ("in", "self") or event.kind == "JOB"
    ]
    if not mentions or (first is not None and min(mentions) >= first):
        return []
    described = _descriptions(statements, dataset)[:1] if _first_describes(statements, dataset, first) else []
    facets = merged((event, use.facets) for event, use in described)
    return [Version(min(mentions), "", version_id(dataset, ""), facets=facets)]


def _descriptions(statements, dataset):
    return [(event, use) for event, direction, use in statements.uses_of(dataset) if direction == "self"]


def _first_describes(statements, dataset, first):
    descriptions = _descriptions(statements, dataset)
    return bool(descriptions) and (first is None or descriptions[0][0].time < first)


def _by_events(statements, dataset, by_runs, first):
    """Make a version for each DatasetEvent with a schema different from the last schema before it."""
    descriptions = _descriptions(statements, dataset)
    changes = descriptions[1:] if _first_describes(statements, dataset, first) else descriptions
    versions = [_by_event(event, use) for event, use in descriptions] + [
        version for version in by_runs if version.counts
    ]
    return [
        version for version in (_by_event(event, use) for event, use in changes) if _changes_schema(version, versions)
    ]


def _by_event(event, use):
    return Version(event.time, event.hash, version_id(use.dataset, event.hash), facets=merged([(event, use.facets)]))


def _changes_schema(version, versions):
    before = [earlier for earlier in versions if earlier.position < version.position and "schema" in earlier.facets]
    last = max(before, key=lambda earlier: earlier.position, default=None)
    return "schema" in version.facets and (last is None or _fields(version) != _fields(last))


def _fields(version):
    return canonical(version.facets["schema"].get("fields"))


def version_read(statements, reader, dataset):
    """Find (version id, the deciding rule, the version's run or None) of an input of the reader."""
    others = [version for version in versions_of(statements, dataset) if version.maker not in (str(reader.key), "")]
    return (
        _by_storage(statements, reader, dataset, others)
        or _by_parent(statements, reader, others)
        or _by_time(reader, others)
        or (version_id(dataset, ""), "initial", None)
    )


def _by_storage(statements, reader, dataset, others):
    stored = _storage_read(statements, reader, dataset)
    if stored is None:
        return None
    same = sorted(
        (version for version in others if version.run and stored in version.stored),
        key=lambda version: version.position,
    )
    uses = [use for _, use in reader.uses("in") if statements.primary(use.dataset) == dataset]
    name = min(use.dataset for use in uses if "version" in use.facets)
    return (same[-1].id, "storage", same[-1].run) if same else (version_id(name, stored), "storage", None)


def _storage_read(statements, reader, dataset):
    """Find the reader's last stated version of the storage, without the version written by itself."""
    written = _storage_version(written_facets(reader, statements.names_of(dataset)))
    uses = [(event, use.facets) for event, use in reader.uses("in") if statements.primary(use.dataset) == dataset]
    last = _storage_version(merged(uses))
    if last is None or last != written:
        return last
    return _storage_version(merged((event, facets) for event, facets in uses if _storage_version(facets) != written))


def _by_parent(statements, reader, others):
    siblings = [
        version
        for version in others
        if version.run and version.counts and reader.parent and version.created < reader.updated
        if statements.runs[version.run].parent and statements.runs[version.run].parent.key == reader.parent.key
    ]
    last = max(siblings, key=lambda version: version.standing(reader.updated), default=None)
    return (last.id, "parentRun", last.run) if last else None


def _by_time(reader, others):
    earlier = [version for version in others if version.counts and version.created <= reader.began]
    last = max(earlier, key=lambda version: version.standing(just_after(reader.began)), default=None)
    return (last.id, "time", last.run) if last else None
