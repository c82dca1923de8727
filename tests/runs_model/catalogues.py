"""The results of queries of sources, tags and numbers of things, computed anew from the whole set of statements."""

import re

from headwater.facts.annotations import KnownTag
from headwater.facts.result_page import ResultPage
from headwater.queries.lists.statistics import intervals_of
from headwater.queries.results.columns import ColumnHit
from headwater.queries.results.entities import DEFAULT_SOURCE, Interval, SearchHit, Source
from headwater.times import from_seconds
from headwater_model.ids import JobId
from tests.runs_model.annotations import annotations_of


class Catalogues:
    """Queries of sources, tags, owners and counts; part of `Model`, the holder of the statements."""

    def count_things(self, kind, period, *, now_s, zone):
        """Count the things with a first mention before the end of each interval of the period."""
        firsts = self._first_mentions(kind)
        intervals = intervals_of(period, now_s, zone)
        ends = [end.isoformat()[:19] for _, end in intervals[:-1]] + ["~"]
        return [
            Interval(
                *(from_seconds(bound.timestamp()) for bound in bounds), {"count": sum(time < end for time in firsts)}
            )
            for bounds, end in zip(intervals, ends, strict=True)
        ]

    def _first_mentions(self, kind):
        if kind == "jobs":
            return [min(self.statements.job_times(job)) for job in self.statements.jobs]
        if kind == "sources":
            firsts = {
                (None, description.source): description.time
                for description in self.statements.descriptions[::-1]
                if description.source
            }
            for name, _, time, namespace in sorted(self._named_sources(), key=lambda mention: mention[2], reverse=True):
                firsts[namespace, name] = time
            return list(firsts.values())
        uses = [(event.time, use) for event, _, use in self.statements.uses]
        temporary = {use.dataset for _, use in uses if use.temporary}
        names = {use.dataset for _, use in uses} - temporary
        return [min(time for time, use in uses if use.dataset == name) for name in names]

    def list_sources(self, *, limit=100, offset=0):
        named = {name for name, *_ in self._named_sources()} | {"default"}
        described = {description.source for description in self.statements.descriptions if description.source}
        return page([self.find_source(name) for name in sorted(named | described)], limit, offset)

    def find_source(self, name):
        named = [(time, where, url or "") for source, url, time, where in self._named_sources() if source == name]
        # A source has the URLs of a single namespace: the first with a URL.
        owner = min(((time, where) for time, where, url in named if url), default=("", ""))[1]
        reported = sorted((time, url if where == owner else "") for time, where, url in named)
        described = [description for description in self.statements.descriptions if description.source == name]
        if not reported and not described:
            return DEFAULT_SOURCE if name == "default" else None
        first_times = {}
        # Who names no URL says nothing of it.
        for time, url in reported:
            if url:
                first_times.setdefault(url, time)
        set_to = described[-1].values if described else {}
        url = (
            set_to.get("connectionUrl") or max(((time, url) for url, time in first_times.items()), default=("", ""))[1]
        )
        times = [time for time, _ in reported] + [description.time for description in described]
        updated = [min(times), *first_times.values(), *(description.time for description in described)]
        kind = set_to.get("type") or {"s3": "S3"}.get(url.partition(":")[0], "UNKNOWN")
        return Source(name, kind, min(times), max(updated), url, set_to.get("description"))

    def _named_sources(self):
        """Yield (source, URL, time, the dataset's namespace) of each `dataSource` facet."""
        for event, _, use in self.statements.uses:
            facet = use.facets.get("dataSource", {})
            if facet.get("name") and facet.get("_deleted") is not True:
                yield facet["name"], facet.get("uri", ""), event.time, use.dataset.namespace

    def list_tags(self, *, limit=100, offset=0):
        events = [(event, event.job_facets) for event in self.statements.events if event.job]
        events += [(event, event.run_facets) for event, _ in events]
        events += [(event, facets) for event, _ in events for facets in (event.parent_facets, event.root_facets)]
        uses = [(event, use.facets) for event, _, use in self.statements.uses]
        names = {tag.name for mention in (*events, *uses) for tag in annotations_of([mention]).tags}
        names |= {tagging.tag for tagging in self.statements.taggings if tagging.present}
        known = {
            name.lower(): KnownTag(min(spelling for spelling in names if spelling.lower() == name.lower()))
            for name in names
        }
        known |= {
            tagging.tag.lower(): KnownTag(tagging.tag, tagging.description)
            for tagging in self.statements.taggings
            if tagging.job is tagging.dataset is None
        }
        return page([known[name] for name in sorted(known)], limit, offset)

    def search_owned(self, owner, text="", *, kind=None, sort="name", limit=10, namespace=None, within=""):
        """Search the listed jobs and datasets of an owner by words of their names."""
        datasets = [
            dataset for name in self.statements.namespaces for dataset in self.list_datasets(name, limit=None).items
        ]
        hits = [
            SearchHit(thing.id, thing.updated)
            for thing in [*datasets, *self.list_jobs(limit=None).items]
            if owner.lower() in {other.name.lower() for other in thing.annotations.owners}
            if kind in (None, "job" if isinstance(thing.id, JobId) else "dataset")
            if holds(text, thing.id.namespace, thing.id.name)
            if holds(within, thing.id.namespace)
            if namespace in (None, thing.id.namespace)
        ]
        hits.sort(key=lambda hit: (hit.id.name, hit.id.namespace, isinstance(hit.id, JobId)))
        if sort == "updated_at":
            hits.sort(key=lambda hit: hit.updated, reverse=True)
        return page(hits, limit)

    def search_tagged(self, tag, text="", *, kind=None, sort="name", limit=10, namespace=None, before=None, after=None):
        jobs, datasets = self.list_jobs(limit=None).items, self.statements.namespaces
        datasets = [dataset for name in datasets for dataset in self.list_datasets(name, limit=None).items]
        hits = [
            (thing.id, field, thing.updated)
            for thing in [*datasets, *jobs]
            for field in sorted(
                {other.field or "" for other in thing.annotations.tags if other.name.lower() == tag.lower()}
            )
            if kind in (None, "column" if field else "job" if isinstance(thing.id, JobId) else "dataset")
            if not field or not isinstance(thing.id, JobId)
            if not field or not thing.fields or field in self._fields_in(thing.fields)
            if holds(text, thing.id.namespace, thing.id.name, field)
            if namespace in (None, thing.id.namespace)
            if (after or "") <= thing.updated < (before or "~")
        ]
        hits.sort(key=lambda hit: (hit[0].name, hit[0].namespace, isinstance(hit[0], JobId), hit[1]))
        if sort == "updated_at":
            hits.sort(key=lambda hit: hit[2], reverse=True)
        return page(
            [
                ColumnHit(thing, tuple(field.split(".")), updated) if field else SearchHit(thing, updated)
                for thing, field, updated in hits
            ],
            limit,
        )

    def _fields_in(self, fields):
        inner = [f"{field['name']}.{path}" for field in fields for path in self._fields_in(field.get("fields", []))]
        return [field["name"] for field in fields] + inner


def holds(typed, *texts):
    """True if each typed word begins a word of any text (names are in ASCII)."""
    return all(any(_begins_word(text, word) for text in texts) for word in re.findall("[a-z0-9]+", typed.lower()))


def _begins_word(text, typed):
    places = [match.start() for match in re.finditer(f"(?={typed})", text.lower())]
    return any(
        place == 0
        or not text[place - 1].isalnum()
        or (text[place - 1].islower() and text[place].isupper())
        or (text[place - 1].isalpha() and text[place].isdigit())
        for place in places
    )


def page(items, limit=None, offset=0):
    return ResultPage(tuple(items[offset:] if limit is None else items[offset : offset + limit]), len(items))
