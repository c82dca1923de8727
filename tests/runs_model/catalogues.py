"""The results of queries of sources, tags and numbers of things, computed anew from the whole set of statements."""

from __future__ import annotations

import re

from headwater.facts.annotations import KnownTag
from headwater.facts.entities import DEFAULT_SOURCE, Interval, SearchHit, Source
from headwater.facts.result_page import ResultPage
from headwater.queries.columns.results import ColumnHit
from headwater.queries.statistics import intervals_of
from headwater.times import from_seconds
from headwater_model.ids import JobId
from tests.runs_model.annotations import annotations_of


class Catalogues:
    """Queries of what statements name beside jobs, datasets and runs; part of `Model`, which has the statements."""

    def count_things(self, kind, period, *, now_s, zone):
        """Return the numbers of things by the hour, from the time that each was first mentioned."""
        firsts = self._first_mentions(kind)
        intervals = intervals_of(period, now_s, zone)
        ends = [end.isoformat()[:19] for _, end in intervals[:-1]] + ["~"]
        return [
            Interval(*(from_seconds(one.timestamp()) for one in bounds), {"count": sum(time < end for time in firsts)})
            for bounds, end in zip(intervals, ends, strict=True)
        ]

    def _first_mentions(self, kind):
        if kind == "jobs":
            return [min(self.statements.job_times(job)) for job in self.statements.jobs]
        if kind == "sources":
            firsts = {(None, one.source): one.time for one in self.statements.descriptions[::-1] if one.source}
            for name, _, time, namespace in sorted(self._named_sources(), key=lambda one: one[2], reverse=True):
                firsts[namespace, name] = time
            return list(firsts.values())
        uses = [(event.time, use) for event, _, use in self.statements.uses]
        temporary = {use.dataset for _, use in uses if use.temporary}
        names = {use.dataset for _, use in uses} - temporary
        return [min(time for time, use in uses if use.dataset == name) for name in names]

    def list_sources(self, *, limit=100, offset=0):
        named = {name for name, *_ in self._named_sources()} | {"default"}
        described = {one.source for one in self.statements.descriptions if one.source}
        return page([self.find_source(name) for name in sorted(named | described)], limit, offset)

    def find_source(self, name):
        reported = sorted((time, url or "") for one, url, time, _ in self._named_sources() if one == name)
        described = [one for one in self.statements.descriptions if one.source == name]
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
        times = [time for time, _ in reported] + [one.time for one in described]
        updated = [min(times), *first_times.values(), *(one.time for one in described)]
        kind = set_to.get("type") or {"s3": "S3"}.get(url.partition(":")[0], "UNKNOWN")
        return Source(name, kind, min(times), max(updated), url, set_to.get("description"))

    def _named_sources(self):
        """Yield name, URL, time and the dataset's namespace of every source that an event names."""
        for event, _, use in self.statements.uses:
            facet = use.facets.get("dataSource", {})
            if facet.get("name") and facet.get("_deleted") is not True:
                yield facet["name"], facet.get("uri", ""), event.time, use.dataset.namespace

    def list_tags(self, *, limit=100, offset=0):
        events = [(event, event.job_facets) for event in self.statements.events if event.job]
        events += [(event, event.run_facets) for event, _ in events]
        events += [(event, facets) for event, _ in events for facets in (event.parent_facets, event.root_facets)]
        uses = [(event, use.facets) for event, _, use in self.statements.uses]
        names = {tag.name for one in (*events, *uses) for tag in annotations_of([one]).tags}
        names |= {one.tag for one in self.statements.taggings if one.present}
        known = {name.lower(): KnownTag(min(one for one in names if one.lower() == name.lower())) for name in names}
        known |= {
            one.tag.lower(): KnownTag(one.tag, one.description)
            for one in self.statements.taggings
            if one.job is one.dataset is None
        }
        return page([known[name] for name in sorted(known)], limit, offset)

    def search_owned(self, owner, text="", *, kind=None, sort="name", limit=10, namespace=None, within=""):
        """Return the listed jobs and datasets that have the owner, by name."""
        datasets = [one for name in self.statements.namespaces for one in self.list_datasets(name, limit=None).items]
        found = [
            SearchHit(one.id, one.updated)
            for one in [*datasets, *self.list_jobs(limit=None).items]
            if owner.lower() in {other.name.lower() for other in one.annotations.owners}
            if kind in (None, "job" if isinstance(one.id, JobId) else "dataset")
            if holds(text, one.id.namespace, one.id.name)
            if holds(within, one.id.namespace)
            if namespace in (None, one.id.namespace)
        ]
        found.sort(key=lambda hit: (hit.id.name, hit.id.namespace, isinstance(hit.id, JobId)))
        if sort == "updated_at":
            found.sort(key=lambda hit: hit.updated, reverse=True)
        return page(found, limit)

    def search_tagged(self, tag, text="", *, kind=None, sort="name", limit=10, namespace=None, before=None, after=None):
        jobs, datasets = self.list_jobs(limit=None).items, self.statements.namespaces
        datasets = [one for name in datasets for one in self.list_datasets(name, limit=None).items]
        found = [
            (one.id, field, one.updated)
            for one in [*datasets, *jobs]
            for field in sorted(
                {other.field or "" for other in one.annotations.tags if other.name.lower() == tag.lower()}
            )
            if kind in (None, "column" if field else "job" if isinstance(one.id, JobId) else "dataset")
            if not field or not isinstance(one.id, JobId)
            if not field or not one.fields or field in self._fields_in(one.fields)
            if holds(text, one.id.namespace, one.id.name, field)
            if namespace in (None, one.id.namespace)
            if (after or "") <= one.updated < (before or "~")
        ]
        found.sort(key=lambda one: (one[0].name, one[0].namespace, isinstance(one[0], JobId), one[1]))
        if sort == "updated_at":
            found.sort(key=lambda one: one[2], reverse=True)
        return page(
            [
                ColumnHit(thing, tuple(field.split(".")), updated) if field else SearchHit(thing, updated)
                for thing, field, updated in found
            ],
            limit,
        )

    def _fields_in(self, fields):
        inner = [f"{one['name']}.{path}" for one in fields for path in self._fields_in(one.get("fields", []))]
        return [one["name"] for one in fields] + inner


def holds(typed, *texts):
    """True if each word that was typed is the beginning of a word of some text (names are in ASCII)."""
    return all(any(_begins_word(text, word) for text in texts) for word in re.findall("[a-z0-9]+", typed.lower()))


def _begins_word(text, typed):
    places = [one.start() for one in re.finditer(f"(?={typed})", text.lower())]
    return any(
        place == 0
        or not text[place - 1].isalnum()
        or (text[place - 1].islower() and text[place].isupper())
        or (text[place - 1].isalpha() and text[place].isdigit())
        for place in places
    )


def page(items, limit=None, offset=0):
    return ResultPage(tuple(items[offset:] if limit is None else items[offset : offset + limit]), len(items))
