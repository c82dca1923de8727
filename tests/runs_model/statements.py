"""The set of statements, each once, with its names, runs and mentions."""

from functools import cache, cached_property

from headwater.events.event import Deletion, Description, Documentation, Event, Ownership, Tagging
from headwater_model.ids import DatasetId, JobId, RunKey
from tests.runs_model.facets import when
from tests.runs_model.run import Run


class Statements:
    """The set of statements, with its datasets, jobs and runs; `whole` is the set before a cut by time."""

    def __init__(self, statements, whole=None):
        self.statements = sorted({statement.hash: statement for statement in statements}.values(), key=when)
        self.events = [statement for statement in self.statements if isinstance(statement, Event)]
        self.deletions = [statement for statement in self.statements if isinstance(statement, Deletion)]
        self.taggings = [statement for statement in self.statements if isinstance(statement, Tagging)]
        self.ownerships = [statement for statement in self.statements if isinstance(statement, Ownership)]
        self.documentations = [statement for statement in self.statements if isinstance(statement, Documentation)]
        self.descriptions = [statement for statement in self.statements if isinstance(statement, Description)]
        self.uses_of = cache(self.uses_of)
        self.whole = whole or self

    def before(self, time):
        """Cut the set to the statements before a time."""
        return type(self)([statement for statement in self.statements if statement.time < time], self.whole)

    # Datasets: their uses, and their names.

    @cached_property
    def uses(self):
        """(event, "in" | "out" | "self", use) for every dataset in every event."""
        return [
            (event, direction, use)
            for event in self.events
            for direction, uses in (
                ("in", event.inputs),
                ("out", event.outputs),
                ("self", [event.dataset] if event.kind == "DATASET" else []),
            )
            for use in uses
        ]

    @cached_property
    def aliases(self):
        """The primary name of each symlink, by the latest statement about it; none for a name with rivals."""
        stated = {}
        for event, _, use in self.uses:
            facet = use.facets.get("symlinks", {})
            for identifier in facet.get("identifiers", []) if facet.get("_deleted") is not True else []:
                alias = DatasetId(identifier["namespace"], identifier["name"])
                if alias != use.dataset:
                    stated.setdefault(alias, []).append((*when(event), use.dataset))
        return {alias: max(each)[-1] for alias, each in stated.items() if not _has_rivals(each)}

    def primary(self, name):
        path = [name]
        while path[-1] in self.aliases:
            following = self.aliases[path[-1]]
            if following in path:
                return min(path[path.index(following) :])
            path.append(following)
        return path[-1]

    @cached_property
    def dataset_names(self):
        return {use.dataset for _, _, use in self.uses} | set(self.aliases)

    @cached_property
    def datasets(self):
        """The primary names."""
        return sorted({self.primary(use.dataset) for _, _, use in self.uses})

    def names_of(self, dataset):
        return {name for name in self.dataset_names if self.primary(name) == dataset}

    def uses_of(self, dataset):
        return [(event, direction, use) for event, direction, use in self.uses if self.primary(use.dataset) == dataset]

    def primaries(self, names):
        return tuple(sorted({self.primary(name) for name in names}))

    # Jobs and runs, and their mentions.

    @cached_property
    def parents(self):
        """(event, parent or root run) of each mention."""
        return [(event, parent) for event in self.events for parent in (event.parent, event.root) if parent is not None]

    @cached_property
    def runs(self):
        """All mentioned runs, by job and id."""
        own, mentions = self.events_of_runs, {}
        for event, parent in self.parents:
            mentions.setdefault(parent.key, []).append((event, parent.job))
        events_of_runs = self.whole.events_of_runs
        names = sorted({*own, *mentions})
        return {run: Run(run, own.get(run, []), mentions.get(run, []), events_of_runs.get(run, [])) for run in names}

    @cached_property
    def events_of_runs(self):
        own = {}
        for event in self.events:
            if event.kind == "RUN":
                own.setdefault(RunKey.of(event.job, event.run), []).append(event)
        return own

    @cached_property
    def jobs(self):
        named = {event.job for event in self.events if event.job is not None}
        return sorted(named | {parent.job for _, parent in self.parents})

    def events_of_job(self, job):
        return [event for event in self.events if event.job == job]

    def descriptions_of_job(self, job):
        """List (event, facets) of a job's own events; facets of further names come from its children's events."""
        own = [(event, event.job_facets) for event in self.events_of_job(job)]
        known = {name for _, facets in own for name in facets}
        sides = [(event, event.parent, event.parent_facets) for event in self.events]
        sides += [(event, event.root, event.root_facets) for event in self.events]
        named = [(event, facets) for event, parent, facets in sides if parent is not None and parent.job == job]
        return own + [(event, {name: facets[name] for name in facets.keys() - known}) for event, facets in named]

    def job_times(self, job):
        return [event.time for event in self.events_of_job(job)] + [
            event.time for event, parent in self.parents if parent.job == job
        ]

    def dataset_times(self, dataset):
        return [event.time for event, _, _ in self.uses_of(dataset)]

    def namespace_times(self, namespace):
        """List the times of all mentions of jobs and datasets in the namespace, as written, and of its descriptions."""
        datasets = [event.time for event, _, use in self.uses if use.dataset.namespace == namespace]
        jobs = [time for job in self.jobs if job.namespace == namespace for time in self.job_times(job)]
        return (
            datasets
            + jobs
            + [description.time for description in self.descriptions if description.namespace == namespace]
        )

    @cached_property
    def namespaces(self):
        used = {job.namespace for job in self.jobs} | {use.dataset.namespace for _, _, use in self.uses}
        return sorted(used | {description.namespace for description in self.descriptions if description.namespace})

    # Hidden: deleted, and not mentioned since.

    def is_hidden(self, thing):
        if isinstance(thing, JobId):
            names, mentioned = {thing}, self.job_times(thing)
        else:
            names = {thing, *self.names_of(thing)}
            mentioned = [event.time for event, _, use in self.uses if use.dataset in names]
        deleted = [
            deletion.time
            for deletion in self.deletions
            if deletion.job in names
            or deletion.dataset in names
            or (deletion.namespace == thing.namespace and _of_namespace(deletion))
        ]
        return max(deleted, default="") > max(mentioned, default="")

    def is_namespace_hidden(self, namespace):
        deleted = [
            deletion.time for deletion in self.deletions if deletion.namespace == namespace and _of_namespace(deletion)
        ]
        return max(deleted, default="") > max(self.namespace_times(namespace))


def _has_rivals(statements):
    """Check for locations that claim a name in turns, by the latest ten claims of the last."""
    claims = {}
    for time, digest, dataset in sorted(set(statements)):
        if dataset.namespace.startswith("s3:"):
            claims.setdefault(dataset, []).append((time, digest))
    last = max(claims, key=lambda dataset: (claims[dataset][-1], dataset), default=None)
    return any(stamps[-1] > claims[last][-10:][0] for stamps in claims.values() if stamps != claims[last])


def _of_namespace(deletion):
    return deletion.job is None and deletion.dataset is None
