"""Events that mention columns, from their queue into the graph table: each facet once, each run by its start."""

from collections import Counter
from hashlib import sha256

from headwater.queries.results.columns import TimeRange
from headwater.queries.service import LineageQueries
from headwater_model.columns import Column
from headwater_model.operations import render_operations
from lambdas import wiring
from tests.builders_events import CALCULATE, CHECK, a_dataset, a_facet, a_run_event
from tests.builders_operations import ESTIMATED, FLIGHTS, a_calculation, a_read, a_write

DAY = TimeRange("2025-11-20T00:00:00.000000Z", "2025-11-21T00:00:00.000000Z")


def a_calculation_run(run, operations=None, **changes):
    """A run of the calculation that recorded its operations."""
    forms = render_operations(operations or a_calculation())
    facets = {"headwater_operations": a_facet("HeadwaterOperations", operations=forms)}
    returned = {"job": CALCULATE, "inputs": ["checked"], "outputs": ["estimated"]}
    return a_run_event(run=run, run_facets=facets, **{**returned, **changes})


def a_check_run(run, job=CHECK, width=1, **changes):
    """A run of the check that reported its columns by `columnLineage`."""
    columns = {
        f"carrier_{number}": {"inputFields": [{"namespace": "s3://flights", "name": "raw", "field": "line"}]}
        for number in range(width)
    }
    facets = {"columnLineage": a_facet("ColumnLineageDataset", "1-2-0", fields=columns)}
    return a_run_event(run=run, job=job, inputs=["raw"], outputs=[a_dataset("checked", facets=facets)], **changes)


def kinds(cloud):
    """Return the number of rows of each kind of partition, and their kinds."""
    rows = ((item["pk"]["S"].partition("#")[0], item["sk"]["S"].partition("#")[0]) for item in cloud.items("Graph"))
    return Counter(rows)


def requested(cloud):
    return LineageQueries(wiring.graph_table())


def test_equal_operations_are_stored_once_and_each_run_refers_to_them(cloud):
    backwards = a_calculation()[::-1]
    cloud.load_events(a_calculation_run("r-1"), a_calculation_run("r-2", backwards))

    counts = kinds(cloud)
    assert (counts["FACET", "BODY"], counts["FACET", "COLUMNS"], counts["FACET", "COMPLETE"]) == (1, 1, 1)
    # CDAP's rows: backward of the destination, forward of the source.
    assert (counts["DATASET", "BACKWARD"], counts["DATASET", "FORWARD"]) == (2, 2)


def test_two_runs_that_started_in_one_millisecond_both_stay(cloud):
    cloud.load_events(a_calculation_run("r-1"), a_calculation_run("r-2"))

    (way,) = requested(cloud).find_paths(ESTIMATED, ("co2",), DAY).items
    assert len(way.runs) == 2


def test_a_facet_that_no_row_holds_lies_in_the_bucket(cloud):
    # Names that hardly get smaller.
    names = [sha256(str(number).encode()).hexdigest() for number in range(6_000)]
    cloud.load_events(a_calculation_run("r-1", (a_read(*names), a_write(*(f"read.{name}" for name in names)))))

    assert [item["sk"]["S"] for item in cloud.items("Graph") if "s3" in item and item["pk"]["S"].startswith("FACET#")]
    detail = requested(cloud).find_detail(ESTIMATED, (names[7],), DAY, "up")
    assert [operation.name for operation in detail.operations] == ["read", "write"]


def test_columns_are_found_by_what_the_functions_wrote(cloud):
    cloud.load_events(a_check_run("r-1"), a_calculation_run("r-2"))

    (mapping,) = requested(cloud).find_mappings(ESTIMATED, DAY, level=1).items
    assert (mapping.source, mapping.destination) == (FLIGHTS, ESTIMATED)
    assert requested(cloud).find_field("datasetField:s3://flights:estimated:co2") == Column(ESTIMATED, ("co2",))
