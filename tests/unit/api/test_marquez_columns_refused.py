"""Refusals of Marquez's routes of columns; every request gets a response."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders_events import CHECK, NAMESPACE, STORE
from tests.unit.api.columns_pipeline import LATER_RUN, PIPELINE, RUNS, field
from tests.unit.api.graph_api import GraphApi


@pytest.fixture(scope="module")
def loaded():
    """The pipeline, for questions alone."""
    return GraphApi(*PIPELINE)


@pytest.mark.parametrize(
    ("route", "node_id", "query"),
    [
        ("", f"dataset:{STORE}:nothing", {}),
        ("", f"job:{NAMESPACE}:nothing", {}),
        ("", field("nothing", "seats"), {}),
        ("", field("checked", "nothing"), {}),
        ("", f"{field('checked', 'seats')}#{LATER_RUN}", {}),
        ("", field("checked", "seats"), {"datasetVersion": LATER_RUN}),
        ("", field("checked", "seats"), {"lineageAt": "2025-11-20"}),
        ("/origins", field("checked", "nothing"), {}),
    ],
)
def test_what_is_unknown_is_404(loaded, route, node_id, query):
    message = f"Node '{node_id}' not found."
    assert loaded.get(f"/column-lineage{route}", nodeId=node_id, **query) == (404, {"code": 404, "message": message})


SEATS = field("checked", "seats")


@pytest.mark.parametrize(
    ("route", "query", "message"),
    [
        ("", {}, "nodeId: must be given, and not blank, got None"),
        ("", {"nodeId": "datasetField:x:y"}, "nodeId: must be datasetField:<namespace>:<name>:<field>"),
        (
            "",
            {"nodeId": "run:x"},
            "nodeId: must be dataset:<namespace>:<name>, datasetField:<namespace>:",
        ),
        ("", {"nodeId": SEATS, "withDownstream": "yes"}, "withDownstream: must be one of true, false, got 'yes'"),
        ("", {"nodeId": f"{SEATS}#{LATER_RUN}", "withDownstream": "true"}, "withDownstream: "),
        ("", {"nodeId": SEATS, "datasetVersion": LATER_RUN, "withDownstream": "true"}, "withDownstream: "),
        ("", {"nodeId": f"{SEATS}#{LATER_RUN}", "datasetVersion": RUNS[CHECK]}, "datasetVersion: must be the version"),
        ("", {"nodeId": SEATS, "datasetVersion": LATER_RUN, "lineageAt": "1763683200"}, "lineageAt: must be left out"),
        ("", {"nodeId": f"job:{NAMESPACE}:{CHECK}", "datasetVersion": LATER_RUN}, "datasetVersion: must be left out"),
        ("/origins", {}, "nodeId: must be given, and not blank, got None"),
        ("/origins", {"nodeId": f"dataset:{STORE}:checked"}, "nodeId: must be datasetField:"),
    ],
)
def test_what_breaks_a_rule_is_400_and_says_which(loaded, route, query, message):
    status, form = loaded.get(f"/column-lineage{route}", **query)

    assert (status, form["code"]) == (400, 400)
    assert form["message"].startswith(message)


PIECES = st.sampled_from(
    [
        *("datasetField", "dataset_field", "dataset", "job", STORE, "s3", "checked", "raw", "seats", NAMESPACE, CHECK),
        *("", "`", "a.b", "#", f"#{LATER_RUN}", "//flights", "\ud800", "é", "0"),
    ]
)
NODE_IDS = st.one_of(
    st.lists(PIECES, max_size=6).map(":".join),
    st.sampled_from([SEATS, field("raw", "seats"), f"dataset:{STORE}:raw", f"job:{NAMESPACE}:{CHECK}"]),
)
SELECTORS = st.fixed_dictionaries(
    {"nodeId": NODE_IDS},
    optional={
        "depth": st.sampled_from(["0", "3", "1000000", "x"]),
        "withDownstream": st.sampled_from(["true", "false", ""]),
        "lineageAt": st.sampled_from(["0", "1763683200", "9999-12-31", "2025-11-20T09:00:00Z", "x"]),
        "datasetVersion": st.sampled_from([LATER_RUN, "x", "", "\ud800"]),
    },
)


@given(route=st.sampled_from(["", "/origins"]), query=SELECTORS)
def test_every_query_is_served_or_refused(loaded, route, query):
    status, _ = loaded.get(f"/column-lineage{route}", **query)

    assert status in {200, 400, 404}
