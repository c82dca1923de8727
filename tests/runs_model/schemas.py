"""The schema of a dataset: that of what exists; else of what was to be written; else of what was read."""

from __future__ import annotations

from tests.runs_model.facets import canonical, merged, when


def dataset_facets(said, dataset):
    """Its facets as last said, with the schema that decides."""
    uses = said.uses_of(dataset)
    facets = merged((event, use.facets) for event, _, use in uses)
    rest = {name: body for name, body in facets.items() if name != "schema"}
    return dict(sorted({**rest, **_schema(said, dataset, uses)}.items()))


def _schema(said, dataset, uses):
    written, declared, read = [], [], []
    for event, way, use in uses:
        sent = {name: body for name, body in use.facets.items() if name == "schema"}
        place = read if way == "in" else written if way == "out" and event.kind == "RUN" else declared
        place.append((event, sent))
    exist = [(when(event), sent) for event, sent in declared if sent] + _of_versions(said, dataset)
    if exist:
        return _without_deleted(max(exist, key=lambda one: one[0])[1]) or merged(read)
    return merged(written) or merged(read)


def _of_versions(said, dataset):
    """(position, schema as last sent) of the runs whose versions count."""
    names = said.names_of(dataset) | {dataset}
    found = []
    for run in said.runs.values():
        sent = [
            (event, use.facets["schema"])
            for event, use in run.uses("out")
            if use.dataset in names and "schema" in use.facets
        ]
        if sent and run.made and not run.failed:
            last = max(sent, key=lambda one: (*when(one[0]), canonical(one[1])))[1]
            created = run.first_seen("out", names) if run.streaming else run.ended
            found.append(((max(created, run.position[0]), run.id), {"schema": last}))
    return found


def _without_deleted(facets):
    return {name: body for name, body in facets.items() if body.get("_deleted") is not True}
