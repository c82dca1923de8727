"""Odd reports that other systems took wrong: rings of names, shared topics, names of any letters, fields with dots."""

from unicodedata import normalize
from urllib.parse import quote

import pytest

from headwater_model.field_paths import print_slashed
from tests.builders_events import a_run_event
from tests.unit.api.graph_api import GraphApi, at, skeleton
from tests.unit.api.proxy import get

LAKE = "s3://lake"
EARLIER = "2025-11-20T11:00:00Z"
ODD_NAMES = (
    "a b",
    "blanks  inside",
    "100%",
    "%2F",
    "a/b",
    "..",
    "../etc",
    "a+b&c=d?e#f",
    'it\'s "quoted" `and` [so]',
    "\N{AIRPLANE}\N{VARIATION SELECTOR-16} flug",
    "日本語",
    "back\\slash",
    "{a: 1}",
    "x" * 1500,
)


def of(name, *others, **facets):
    """A dataset, and the other names that its `symlinks` facet declares."""
    links = [{"namespace": LAKE, "name": other, "type": "TABLE"} for other in others]
    linked = {"symlinks": {"identifiers": links}} if links else {}
    return {"namespace": LAKE, "name": name, "facets": {**linked, **facets}}


def ran(job, inputs=(), outputs=(), **changes):
    number = sum(job.encode()) % 10**12
    run = f"00000000-0000-4000-8000-{number:012}"
    return a_run_event(run=run, job=job, namespace="etl", inputs=list(inputs), outputs=list(outputs), **changes)


def node(name):
    return f"dataset:{LAKE}:{name}"


def jobs(*names):
    return [f"job:etl:{name}" for name in names]


GRAPHS = {
    "a symlink to itself": (
        [ran("load", [of("raw")], [of("t", "t")])],
        {"t": {node("t"): (jobs("load"), [])}},
    ),
    "a ring of three symlinks": (
        [
            ran("load", [], [of("t", "u")]),
            ran("read", [of("u", "v")], [of("out")]),
            ran("again", [of("v", "t")], [of("more")]),
        ],
        {name: {node("t"): (jobs("load"), jobs("again", "read"))} for name in ("t", "u", "v")},
    ),
    "a table made of itself": (
        [ran("merge", [of("t")], [of("t")])],
        {"t": {node("t"): (jobs("merge"), jobs("merge"))}},
    ),
    "a topic with three writers and readers": (
        [
            *(ran(f"write{number}", [], [of("topic")]) for number in range(3)),
            *(ran(f"read{number}", [of("topic")], [of(f"out{number}")]) for number in range(3)),
        ],
        {"topic": {node("topic"): (jobs("write0", "write1", "write2"), jobs("read0", "read1", "read2"))}},
    ),
}


@pytest.mark.parametrize("case", GRAPHS)
def test_each_job_is_drawn_once_at_the_dataset_whatever_its_names(case):
    events, expected = GRAPHS[case]
    api = GraphApi(*events)
    for name, edges in expected.items():
        drawn = {id_: tuple(map(sorted, sides)) for id_, sides in skeleton(api.graph(node(name))).items()}
        assert {id_: drawn[id_] for id_ in edges} == edges


@pytest.mark.parametrize("name", ODD_NAMES, ids=lambda name: name[:12])
def test_a_name_of_any_letters_is_found_by_every_route_as_it_was_sent(name):
    source = {"namespace": LAKE, "name": "source", "field": name}
    facets = {
        "schema": {"fields": [{"name": name, "type": "int"}]},
        "columnLineage": {"fields": {name: {"inputFields": [source]}}},
    }
    api = GraphApi(ran(name, [], [of(name, **facets)], eventTime=EARLIER))

    dataset = api.found(f"/namespaces{at(LAKE)}/datasets{at(name)}")
    columns = api.found("/column-lineage", nodeId=f"datasetField:{LAKE}:{name}:{name}")
    cdap = get(
        api.api,
        f"/v3/namespaces{at(LAKE)}/datasets{at(name)}/fields/{quote(print_slashed((name,)), safe='')}/lineage",
        {"start": "now-1d", "end": "now"},
    )
    assert (dataset["name"], [field["name"] for field in dataset["fields"]]) == (name, [name])
    assert api.found(f"/namespaces/etl/jobs{at(name)}")["name"] == name
    assert skeleton(api.graph(node(name)))[node(name)] == (jobs(name), [])
    assert [each["nodeId"] for each in api.found("/reports/impact", nodeId=node("source"))["impacted"]] == [
        *jobs(name),
        node(name),
    ]
    assert [each["id"] for each in columns["graph"]] == [f"datasetField:{LAKE}:{name}:{name}"]
    assert [operation["source"]["name"] for operation in cdap.form["paths"][0]["operations"][:1]] == ["source"]


@pytest.mark.parametrize("name", ["  blanks around ", "cafe\N{COMBINING ACUTE ACCENT}"])
def test_a_name_that_is_kept_in_another_form_is_found_as_it_was_sent(name):
    api = GraphApi(ran("job", [], [of(name)], eventTime=EARLIER))
    assert api.found(f"/namespaces{at(LAKE)}/datasets{at(name)}")["name"] == normalize("NFC", name).strip()
