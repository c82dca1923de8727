"""The schema of a dataset: of what exists; else of planned outputs; else of reads."""

from tests.runs_model.dataset_versions import branch_of
from tests.runs_model.facets import canonical, merged, when


def dataset_facets(statements, dataset):
    """Return the dataset's latest facets, with the schema that decides."""
    uses = statements.uses_of(dataset)
    measured = [
        (event, {"dataQualityMetrics": use.use_facets["dataQualityMetrics"]})
        for event, _, use in uses
        if "dataQualityMetrics" in use.use_facets
    ]
    facets = merged([*((event, use.facets) for event, _, use in uses), *measured])
    rest = {name: body for name, body in facets.items() if name != "schema"}
    return dict(sorted({**rest, **_schema(statements, dataset, uses)}.items()))


def given_schemas(statements, dataset):
    """Return the facets of all events that give the dataset a schema otherwise than as a reader."""
    uses = statements.uses_of(dataset)
    return [use.facets for _, direction, use in uses if direction != "in" and "schema" in use.facets]


def _schema(statements, dataset, uses):
    written, declared, read = [], [], []
    for event, direction, use in uses:
        sent = {name: body for name, body in use.facets.items() if name == "schema"}
        group = read if direction == "in" else written if direction == "out" and event.kind == "RUN" else declared
        group.append((event, sent))
    exist = [(when(event), sent) for event, sent in declared if sent] + _of_versions(statements, dataset)
    if exist:
        return _without_deleted(max(exist, key=lambda keyed: keyed[0])[1]) or merged(read)
    return merged(written) or merged(read)


def _of_versions(statements, dataset):
    """Return (position, latest schema) of the runs whose versions count."""
    names = statements.names_of(dataset) | {dataset}
    versions = []
    for run in statements.runs.values():
        sent = [
            (event, use.facets["schema"])
            for event, use in run.uses("out")
            if use.dataset in names and "schema" in use.facets
        ]
        if sent and run.made and not run.failed and branch_of(run, names) is None:
            last = max(sent, key=lambda report: (*when(report[0]), canonical(report[1])))[1]
            created = run.first_seen("out", names) if run.streaming else run.ended
            versions.append(((max(created, run.position[0]), str(run.key)), {"schema": last}))
    return versions


def _without_deleted(facets):
    return {name: body for name, body in facets.items() if body.get("_deleted") is not True}
