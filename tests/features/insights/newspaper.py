"""The feed, from the whole set of statements: what was new, dropped, changed, and what fails since."""

from headwater.facts.result_page import ResultPage
from headwater.features.insights.feed import News
from headwater.queries.results.reports import SchemaChange
from headwater_model.ids import RunKey
from tests.runs_model import Model
from tests.runs_model.facets import canonical, text_in, when


class Newspaper(Model):
    """The model with the query of the feed."""

    def list_feed(self, days, *, kind=None, namespace=None, limit=100, offset=0):
        news = [*self._news_of_datasets(), *self._news_of_jobs()]
        listed = [
            entry
            for entry in news
            if entry.time[:10] in days and kind in (None, entry.kind) and namespace in (None, entry.of.namespace)
        ]
        listed.sort(key=lambda entry: (entry.time, entry.event, entry.kind, entry.of.node_id), reverse=True)
        return ResultPage(tuple(listed[offset : offset + limit]), len(listed))

    def _news_of_datasets(self):
        for dataset in self.listed_datasets():
            owners = tuple(owner.name for owner in self.dataset(dataset).annotations.owners)
            uses = self.statements.uses_of(dataset)
            yield self._news_of_first(dataset, uses, owners)
            for kind, event, change in [*self._drops(dataset, uses), *_schema_changes(uses)]:
                yield News(
                    kind=kind,
                    of=dataset,
                    time=event.time,
                    event=event.hash,
                    owners=owners,
                    job=event.job,
                    run=event.run,
                    run_state=self.run(RunKey.of(event.job, event.run)).state if event.run else None,
                    change=change,
                )

    def _news_of_first(self, dataset, uses, owners):
        first = min(event.time for event, *_ in uses)
        for direction in ("out", "in"):
            jobs = [event.job for event, of, _ in uses if event.time == first and of == direction and event.job]
            if jobs:
                return News(kind="DATASET_NEW", of=dataset, time=first, owners=owners, job=min(jobs))
        return News(kind="DATASET_NEW", of=dataset, time=first, owners=owners)

    def _drops(self, dataset, uses):
        if self._is_dropped(dataset):
            drops = [
                event
                for event, _, use in uses
                if text_in(use.facets, "lifecycleStateChange", "lifecycleStateChange") == "DROP"
            ]
            yield "DATASET_DROPPED", max(drops, key=when), None

    def _news_of_jobs(self):
        for job in self.visible_jobs():
            runs = self.runs_of(job)
            states = [run.state for run in runs]
            since_good = runs[: states.index("COMPLETED")] if "COMPLETED" in states else runs
            failed = [run for run in since_good if run.state == "FAILED"]
            own = [run for run in failed if not self._has_failed_child(run)]
            if own:
                yield News(
                    kind="JOB_FAILS",
                    of=job,
                    time=failed[-1].ended,
                    owners=tuple(owner.name for owner in self.job(job).annotations.owners),
                    job=job,
                    run=own[0].id,
                    run_state="FAILED",
                    failed_runs=len(failed),
                )

    def _has_failed_child(self, run):
        return any(
            child.state == "FAILED"
            for child in self.statements.runs.values()
            if child.parent and child.parent.key == run.key != child.key
        )


def _schema_changes(uses):
    """Yield the event that first stated a schema, with its difference from the schema stated before it.

    Facts have the first and the last statement of a schema: one stated before and since counts as stated in between.
    """
    stated = {}
    for event, direction, use in sorted(uses, key=lambda use: when(use[0])):
        schema = use.facets.get("schema")
        if direction != "in" and schema is not None and "_deleted" not in schema:
            stated.setdefault(canonical(schema), (schema, []))[1].append(event)
    for schema, events in stated.values():
        event = events[0]
        earlier = [
            (min(when(others[-1]), when(event)), when(others[0]), text, before)
            for text, (before, others) in stated.items()
            if when(others[0]) < when(event)
        ]
        if earlier:
            *_, before = max(earlier, key=lambda schema_before: schema_before[:3])
            change = _difference(before, schema)
            if change is not None:
                yield "SCHEMA_CHANGED", event, change


def _difference(before, after):
    """Return the change of the schemas, whose names have no dots."""
    old, new = (dict(_types(schema["fields"])) for schema in (before, after))
    change = SchemaChange(
        added=[(".".join(path), new[path]) for path in sorted(new.keys() - old.keys())],
        dropped=[(".".join(path), old[path]) for path in sorted(old.keys() - new.keys())],
        retyped=[
            (".".join(path), old[path], new[path])
            for path in sorted(old.keys() & new.keys())
            if old[path] and new[path] and old[path].lower() != new[path].lower()
        ],
    )
    return change if change.added or change.dropped or change.retyped else None


def _types(fields, above=()):
    """Yield the type of each field by its path from the outside in."""
    for field in fields:
        path = (*above, field["name"])
        yield path, field.get("type")
        yield from _types(field.get("fields", ()), path)
