"""Graphs as Mermaid flowcharts: the same text for the same graph, from which no name can break out."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from headwater.cli.column_graph import ColumnGraph, parse_columns
from headwater.cli.job_graph import Dataset, Job, JobGraph
from headwater.cli.service import printable
from headwater.cli.text.mermaid import render_columns, render_jobs
from tests.unit.cli.column_responses import CO2, RESPONSE, a_column, a_source, id_of

# Every line that a flowchart may have. A label is letters, digits, a few signs, line breaks, and characters by number.
_LABEL = r'"(?:[\w ./-]|<br/>|\#\d+;)+"'
_LINE = re.compile(
    rf"""flowchart\ LR
    | \ {{4}}accTitle:\ [\w ]+ | \ {{4}}accDescr:\ [\w ]+\.
    | \ {{4}}n\d+(?:\(\[{_LABEL}\]\)|\[\({_LABEL}\)\])
    | \ {{4}}n\d+\ -->\ n\d+
    | \ {{4}}subgraph\ d\d+\[{_LABEL}\] | \ {{4}}end
    | \ {{8}}c\d+(?:\[{_LABEL}\]|\(\[{_LABEL}\]\))
    | \ {{4}}c\d+\ (?:-->|-\.->)\|{_LABEL}\|\ c\d+
    | \ {{4}}classDef\ \w+\ [\w:#, -]+ | \ {{4}}class\ [nc]\d+(?:,[nc]\d+)*\ \w+
    """,
    re.VERBOSE,
)
HOSTILE = (
    '"] --> x["',
    "end",
    "subgraph",
    'a\nend\n  click n0 href "javascript:alert(1)"',
    "[brackets] (round) {curly} |bars| <i>angles</i>",
    "%%{init: {'securityLevel': 'loose'}}%%",
    "%% no comment",
    "#quot; &quot; #35; #34",
    "style:a#35;",
    "`**bold**` _under_ 1. list",
    "- item",
    "fa:fa-car $$x^2$$",
    "\ufb02\u00b0\u00b034\u00b6\u00df",
    "\u2028\u202e\x00\ud800",
    "caf\u00e9 \u98db\u884c\u6a5f \U0001f6eb e\u0301",
    "---\ntitle: x\n---",
    ":::stale",
    "A --> B; C",
    "\\",
    "-",
    " ",
)
NAMES = st.one_of(st.sampled_from(HOSTILE), st.text(min_size=1, max_size=40))


def labels_of(text):
    """The lines of each label, as a reader sees them; fails on a line that is not one of ours."""
    for line in text.removesuffix("\n").split("\n"):
        assert _LINE.fullmatch(line), line
    return [
        [re.sub(r"#(\d+);", lambda match: chr(int(match[1])), part) for part in label.split("<br/>")]
        for label in re.findall(r'"([^"]*)"', text)
    ]


def a_job(name, state="COMPLETED"):
    return Job(f"job:n:{name}", "n", printable(name), state)


def a_dataset(name, **changes):
    return Dataset(f"dataset:n:{name}", "n", printable(name), **changes)


def a_graph(*edges, truncated=False):
    nodes = {node.id: node for edge in edges for node in edge}
    return JobGraph(nodes, tuple((origin.id, destination.id) for origin, destination in edges), truncated)


def test_jobs_are_rounded_and_datasets_are_drums_in_the_direction_of_the_data():
    old, table = Dataset("dataset:s3://a:b/old", "s3://a", "b/old", stale=True, last_writer="copy"), a_dataset("table")
    graph = a_graph((old, a_job("load", "FAILED")), (a_job("load", "FAILED"), table), truncated=True)

    assert render_jobs(graph).splitlines() == [
        "flowchart LR",
        "    accTitle: Jobs and the datasets that they read and write",
        "    accDescr: More is connected than is shown.",
        '    n0[("table<br/>n")]',
        '    n1[("old<br/>s3#58;//a#58;b<br/>stale#44; last written by copy")]',
        '    n2(["load<br/>n<br/>FAILED"])',
        "    n1 --> n2",
        "    n2 --> n0",
        "    classDef failed stroke:#b3261e,stroke-width:2px",
        "    class n2 failed",
        "    classDef stale stroke:#b58a2a,stroke-dasharray:5 3",
        "    class n1 stale",
    ]


def test_datasets_are_subgraphs_of_their_columns_and_edges_are_labelled_with_operations():
    graph = parse_columns(RESPONSE)

    assert render_columns(graph, CO2).splitlines() == [
        "flowchart LR",
        "    accTitle: Columns and their sources",
        "    accDescr: All of it.",
        '    subgraph d0["checked<br/>s3#58;//flights"]',
        '        c0(["all of it"])',
        '        c1["distance"]',
        "    end",
        '    subgraph d1["estimated<br/>s3#58;//flights"]',
        '        c2["co2_kg"]',
        "    end",
        '    subgraph d2["landing<br/>s3#58;//flights"]',
        '        c3["air_time"]',
        '        c4["dep_time"]',
        '        c5["distance"]',
        "    end",
        '    subgraph d3["planes<br/>s3#58;//flights"]',
        '        c6["seats"]',
        "    end",
        '    subgraph d4["totals<br/>s3#58;//flights"]',
        '        c7["co2_kg"]',
        "    end",
        '    c1 -->|"estimate fuel#44; estimate CO2"| c2',
        '    c2 -->|"aggregation#58; sum"| c7',
        '    c3 -.->|"filter"| c0',
        '    c4 -.->|"filter"| c0',
        '    c5 -->|"identity"| c1',
        '    c6 -->|"find seats#44; estimate fuel#44; estimate CO2"| c2',
        "    classDef requested stroke:#b58a2a,stroke-width:2px",
        "    class c2 requested",
    ]


@given(st.lists(NAMES, min_size=2, max_size=5, unique=True))
def test_every_name_of_a_job_or_dataset_is_a_label_from_which_it_is_read_back(names):
    first, *others = names
    graph = a_graph(*((a_dataset(first), a_job(name)) for name in others))

    labels = labels_of(render_jobs(graph))

    short = printable(first).rstrip("/").rpartition("/")[2] or printable(first)
    assert sorted(label[0] for label in labels) == sorted([short, *map(printable, others)])


@given(dataset=NAMES, column=NAMES, operation=NAMES)
def test_every_name_of_a_column_or_operation_is_a_label_from_which_it_is_read_back(dataset, column, operation):
    source = a_source(f"{dataset}x", f"{column}y", ("DIRECT", "TRANSFORMATION", operation))
    graph = parse_columns({"graph": [a_column(f"{dataset}x", column, source)]})

    labels = [label[0] for label in labels_of(render_columns(graph, CO2))]

    assert labels == [printable(f"{dataset}x").rpartition("/")[2], *_in_order(dataset, column), printable(operation)]


def _in_order(dataset, column):
    return [printable(name) for name in sorted((column, f"{column}y"), key=lambda name: id_of(f"{dataset}x", name))]


def test_a_graph_without_nodes_and_a_name_without_characters_can_be_drawn():
    assert labels_of(render_jobs(JobGraph({}, ()))) == labels_of(render_columns(ColumnGraph({}, ()), CO2)) == []
    assert labels_of(render_jobs(a_graph((Job("job::", "", "", ""), a_dataset("a"))))) == [["a", "n"], [" "]]
