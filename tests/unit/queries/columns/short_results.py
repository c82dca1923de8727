"""Answers about columns in short, as tests write them: `checked.carrier`; and the pipeline that they are about."""

from tests.unit.facts.statements import an_event
from tests.unit.queries.columns.column_statements import (
    CALCULATE,
    CHECK,
    CHECKED,
    ESTIMATED,
    IDENTITY,
    LANDING,
    RAW,
    READ,
    SUM,
    column_lineage,
    taken,
)

# landing -> raw -> checked -> estimated
CHAIN = [
    an_event(
        1, "a1", READ, inputs=[LANDING], outputs=[(RAW, column_lineage(carrier=[taken(LANDING, "line", IDENTITY)]))]
    ),
    an_event(
        2, "b1", CHECK, inputs=[RAW], outputs=[(CHECKED, column_lineage(carrier=[taken(RAW, "carrier", IDENTITY)]))]
    ),
    an_event(
        3,
        "c1",
        CALCULATE,
        inputs=[CHECKED],
        outputs=[(ESTIMATED, column_lineage(co2=[taken(CHECKED, "carrier", SUM)]))],
    ),
]


# The same, until the check takes another column.
MOVED = [
    *CHAIN[:2],
    an_event(
        5, "b2", CHECK, inputs=[RAW], outputs=[(CHECKED, column_lineage(carrier=[taken(RAW, "airline", IDENTITY)]))]
    ),
]


def field(dataset, path):
    return f"datasetField:{dataset.namespace}:{dataset.name}:{path}"


def dotted(dataset, path):
    """A column as tests write it: `checked.carrier`."""
    return f"{dataset.name}.{'.'.join(path or ('?',))}"


def nodes(graph):
    return [dotted(column.dataset, column.field) for column in graph.columns]


def sources(columns):
    return [dotted(column.dataset, column.field) for column in columns]


def the_node(queries, dataset, path, **how):
    """Return the column itself, as results show it."""
    return queries.find_columns(field(dataset, path), depth=0, **how).columns[0]


def inputs(queries, dataset, path, **how):
    return sources(the_node(queries, dataset, path, **how).inputs)


def version_of(queries, dataset, path, time):
    return the_node(queries, dataset, path, at=time).version
