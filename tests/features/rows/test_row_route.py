"""The runs that made a row and changed it last, by the route: of commits by our runs, by others, and of an upgrade."""

import pytest

from tests.builders_events import a_dataset, a_facet, a_run_event
from tests.unit.api.teams import World

PATH = "/api/v1/namespaces/s3%3A%2F%2Fflights/datasets/checked/rows/{}"
OTHERS = "no captured run reported the commit that gave this id"
FIRST, SECOND = "f392de2d-0883-43ba-a221-6ff15b176f7e", "9e31a5c3-17e3-4f70-af9a-606e057e4e16"


def a_run_id(number):
    return f"00000000-0000-4000-8000-{number:012}"


def a_commit(number, sequence, first=None, then=None, *, table=FIRST, namespace="emissions", **more):
    """The COMPLETE of run `number` at minute `number`, whose commit gave the ids from `first` up to `then`."""
    ids = {"firstRow": first, "nextRow": then}
    rows = a_facet(
        table=table, sequence=sequence, **{name: id_ for name, id_ in ids.items() if id_ is not None}, **more
    )
    columns = {"co2": {"inputFields": [{"namespace": "s3://flights", "name": "raw", "field": "distance"}]}}
    output = a_dataset("checked", fields=["co2"], outputFacets={"headwater_rows": rows})
    output["facets"]["columnLineage"] = a_facet("ColumnLineageDataset", fields=columns)
    return a_run_event(
        run=a_run_id(number),
        job=f"write_{number}",
        namespace=namespace,
        run_facets={"headwater_records": a_facet(rootIds=["flights-2013"])},
        eventTime=f"2025-11-20T12:{number:02}:00Z",
        inputs=["raw"],
        outputs=[output],
    )


# Another writer's commit, of sequence 2 and the ids 4 and 5, stands between ours.
HISTORY = (a_commit(1, 1, 0, 4), a_commit(3, 3, 6, 9), a_commit(4, 4), a_commit(5, 5, 9, 9))


def steps_of(world, row_id, sequence=None, token=None):
    """The certainties, run numbers and reasons of a row's two steps."""
    query = {} if sequence is None else {"sequence": str(sequence)}
    row = world.get(token or world.token(), PATH.format(row_id), **query)
    return [step and shorten(step) for step in (row["made"], row["changed"])]


def shorten(step):
    commit = step["commit"]
    return step["known"], int(commit["run"]["id"][-4:]) if commit else step["reason"]


@pytest.mark.parametrize(
    ("row_id", "sequence", "creation", "change"),
    [
        (0, 1, ("exact", 1), ("exact", 1)),
        (3, 3, ("exact", 1), ("exact", 3)),
        (3, 4, ("exact", 1), ("exact", 4)),
        (3, None, ("exact", 1), None),
        (4, 4, ("unknown", OTHERS), ("exact", 4)),
        (6, 5, ("exact", 3), ("exact", 5)),
        (1, 2, ("exact", 1), ("unknown", "no captured run reported the commit with this sequence number")),
        (9, None, ("unknown", OTHERS), None),
        (2**63 - 1, None, ("unknown", OTHERS), None),
    ],
)
def test_a_row_is_of_the_commit_that_gave_its_id_and_of_the_commit_of_its_sequence_number(
    row_id, sequence, creation, change
):
    assert steps_of(World(*HISTORY), row_id, sequence) == [creation, change]


def test_a_sequence_number_before_the_commit_of_the_id_is_of_another_table():
    reason = "the sequence number is lower than that of the commit that gave this id"
    assert steps_of(World(*HISTORY), 6, 1) == [("unknown", reason)] * 2


def test_rows_older_than_an_upgrade_are_made_at_or_before_it():
    world = World(a_commit(1, 7, 0, 8, upgrades=True), a_commit(2, 8, 8, 9))
    before, upgraded = ("atOrBefore", 1), [("atOrBefore", 1), ("exact", 1)]
    assert [steps_of(world, 3, sequence) for sequence in (6, 7, 8)] == [
        [before, before],
        upgraded,
        [before, ("exact", 2)],
    ]


def test_a_commit_shows_what_it_was_made_of():
    world = World(a_run_event(outputs=["raw"], eventTime="2025-11-20T11:00:00Z"), *HISTORY)
    row = world.get(world.token(), PATH.format(0))
    commit = row["made"]["commit"]
    version = commit["version"]
    assert (row["table"], commit["sequence"], commit["branch"], commit["truncated"]) == (FIRST, 1, None, False)
    assert commit["run"]["job"] == {"namespace": "emissions", "name": "write_1"}
    [read] = commit["inputs"]
    assert (read["name"], read["resolvedBy"], read["producedByRunId"][:8]) == ("raw", "time", "01941f29")
    [column] = commit["columns"]
    assert (column["name"], [source["field"] for source in column["inputFields"]]) == ("co2", ["distance"])
    assert commit["roots"] == [{"rootId": "flights-2013", "href": "/api/v1/records/roots/flights-2013"}]
    assert world.get(world.token(), commit["links"]["version"])["version"] == version


def test_the_run_of_a_hidden_job_is_not_shown():
    world = World(a_commit(1, 1, 0, 4, namespace="secret"), strict=True)
    row = world.get(world.token("s3*"), PATH.format(0))["made"]
    commit = row["commit"]
    hidden = {name: commit[name] for name in ("run", "inputs", "columns", "roots", "rootsReportedBy")}
    assert (row["known"], hidden) == (
        "exact",
        {"run": None, "inputs": [], "columns": None, "roots": [], "rootsReportedBy": None},
    )


@pytest.mark.parametrize("text", ["x", "-1", "1.5", str(2**63), "٣"])
@pytest.mark.parametrize("name", ["row_id", "sequence"])
def test_a_bad_number_is_refused_by_name(name, text):
    world = World(*HISTORY)
    path, query = (PATH.format(text), {}) if name == "row_id" else (PATH.format(1), {"sequence": text})
    status, body = world.send(world.token(), path, query)
    assert (status, f"must be a whole number from 0 to {2**63 - 1}" in body, name in body) == (400, True, True)


@pytest.mark.parametrize("facet", [{"sequence": 1}, {"table": "t"}, {"table": "t", "sequence": True}, {"table": 7}])
def test_a_facet_that_breaks_the_rules_says_nothing(facet):
    output = a_dataset("checked", outputFacets={"headwater_rows": a_facet(**facet)})
    assert steps_of(World(a_run_event(outputs=[output])), 0)[0][0] == "unknown"


def test_a_request_costs_as_few_rounds_for_many_versions_as_for_few():
    costs = set()
    for commits in (3, 40):
        world = World(*(a_commit(number, number, 4 * number, 4 * number + 4) for number in range(1, commits)))
        token = world.token()
        before = world.table.rounds
        assert steps_of(world, 9, 2, token) == [("exact", 2), ("exact", 2)]
        costs.add(world.table.rounds - before)
    assert len(costs) == 1
    assert costs.pop() <= 20
