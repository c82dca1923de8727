"""The versions of a dataset, one example each: the model and the loaders' table must agree."""

from dataclasses import replace

import pytest

from headwater.events.event import DatasetUse, ParentRun
from headwater.queries.runs.dataset_versions import VERSIONS_MAX
from headwater.queries.service import LineageQueries
from headwater_model.ids import JobId, name_uuid
from tests.unit.facts.statements import (
    STREAM,
    A,
    B,
    C,
    X,
    a_dataset_event,
    an_event,
    at,
    letters,
    run_id,
    version_by,
)
from tests.unit.facts.strategies import stamped
from tests.unit.queries.every_query import loaded


def test_a_version_on_a_branch_is_current_when_another_run_publishes_it(queries_over):
    def written(facets, **branch):
        return (DatasetUse(X, {"version": {"datasetVersion": facets}}, branch),)

    audit = {"headwater_branch": {"branch": "audit"}}
    events = [
        replace(an_event(1, "a1", A), outputs=written("1")),
        replace(an_event(2, "a2", A), outputs=written("2", **audit)),
        an_event(3, "b1", B, inputs=[X]),
        replace(an_event(4, "b2", B), inputs=written("2")),
    ]
    queries = queries_over([stamped(event) for event in events])
    versions = queries.list_dataset_versions(X, limit=9, offset=0).items
    assert [(letters(version.created_by.id), version.branch) for version in versions] == [("a2", "audit"), ("a1", None)]
    assert queries.find_dataset(X).current_version == version_by(X, A, "a1")
    read = [queries.find_run(run_id(run)).inputs[0] for run in ("b1", "b2")]
    assert [(use.version, use.resolved_by) for use in read] == [
        (version_by(X, A, "a1"), "time"),
        (version_by(X, A, "a2"), "storage"),
    ]
    published = queries_over(
        [stamped(event) for event in [*events, replace(an_event(5, "c1", C), outputs=written("2"))]]
    )
    assert published.find_dataset(X).current_version == version_by(X, C, "c1")


@pytest.mark.parametrize("completed", [1, 2, 3])
def test_what_a_run_wrote_that_failed_is_never_current_whenever_it_also_completed(queries_over, completed):
    """Spark's listener sends FAIL of a run, and COMPLETE of the same run milliseconds later."""
    ends = [an_event(2, "a1", A, "FAIL", outputs=[X]), an_event(completed, "a1", A, outputs=[X])]
    queries = queries_over([an_event(0, "a1", A, "START"), *ends])
    (version,) = queries.list_dataset_versions(X, limit=9, offset=0).items
    assert (version.failed, version.created) == (True, at(2))
    assert queries.find_dataset(X).current_version is None


@pytest.mark.parametrize(
    ("stream", "current"),
    [
        pytest.param([], "b1", id="nothing since"),
        pytest.param([(4, "RUNNING")], "a1", id="it went on"),
        pytest.param([(4, "COMPLETE")], "a1", id="it ended later"),
        pytest.param([(4, "RUNNING"), (5, "FAIL")], "b1", id="it failed"),
        pytest.param([(2, "RUNNING"), (2, "COMPLETE")], "b1", id="it ended before"),
    ],
)
def test_a_stream_stands_among_the_versions_where_its_last_event_does(queries_over, stream, current):
    events = [an_event(1, "a1", A, "START", outputs=[X], job_facets=STREAM), an_event(3, "b1", B, outputs=[X])]
    events += [an_event(second, "a1", A, kind, job_facets=STREAM) for second, kind in stream]
    versions = {"a1": version_by(X, A, "a1"), "b1": version_by(X, B, "b1")}
    queries = queries_over(events)
    assert queries.find_dataset(X).current_version == versions[current]
    later = queries_over([*events, a_dataset_event(6, X, schema=a_schema("carrier"))]).find_dataset(X)
    assert later.current_version not in versions.values()


def test_a_stream_is_found_behind_as_many_batch_runs_as_versions_are_read():
    stream = [an_event(1, "a1", A, "START", outputs=[X], job_facets=STREAM)]
    batches = [an_event(second, f"{second:02}", B, outputs=[X]) for second in range(10, 30)]
    queries = LineageQueries(loaded([*stream, *batches, an_event(40, "a1", A, "RUNNING", job_facets=STREAM)]))
    assert queries.find_dataset(X).current_version == version_by(X, A, "a1")


STORED = {"version": {"datasetVersion": "7"}}


@pytest.mark.parametrize(
    ("reader", "version", "resolved_by"),
    [
        pytest.param({"inputs": [X]}, "a2", "time", id="the last that was there when it started"),
        pytest.param(
            {"inputs": [X], "parent": ParentRun(run_id("dd"), C)}, "a3", "parentRun", id="its sibling's, later too"
        ),
        pytest.param({"inputs": [(X, STORED)]}, "a1", "storage", id="the one that the storage names"),
    ],
)
def test_which_version_a_run_read(queries_over, reader, version, resolved_by):
    events = [
        an_event(1, "a1", A, outputs=[(X, STORED)]),
        an_event(2, "a2", A, outputs=[X]),
        an_event(4, "a3", A, outputs=[X], parent=ParentRun(run_id("dd"), C)),
        an_event(2, "a4", A, "FAIL", outputs=[X]),
        an_event(3, "b1", B, "START"),
        an_event(5, "b1", B, **reader),
    ]
    (read,) = queries_over(events).find_run(run_id("b1")).inputs
    assert (read.version, read.resolved_by) == (version_by(X, A, version), resolved_by)


def stored(version):
    return {"version": {"datasetVersion": version}}


@pytest.mark.parametrize("version", ["1", "2", "3"])
@pytest.mark.parametrize("state", ["COMPLETE", "FAIL", "RUNNING"])
def test_each_version_of_the_storage_that_a_stream_made_names_it(queries_over, version, state):
    events = [
        *(
            an_event(second, "a1", A, kind, outputs=[(X, stored(storage_version))], job_facets=STREAM)
            for second, kind, storage_version in ((1, "START", "1"), (2, "RUNNING", "2"), (3, state, "3"))
        ),
        an_event(4, "b1", B, outputs=[X]),
        an_event(5, "c1", C, inputs=[(X, stored(version))]),
    ]
    (read,) = queries_over(events).find_run(run_id("c1")).inputs
    assert (read.version, read.resolved_by) == (version_by(X, A, "a1"), "storage")


@pytest.mark.parametrize(
    ("reported", "written", "version", "resolved_by"),
    [
        pytest.param(("1", "2"), "2", "a1", "storage", id="the one before the one that it made"),
        pytest.param(("1", "1"), "2", "a1", "storage", id="the one read"),
        pytest.param(("2", "2"), "2", "a2", "time", id="none but its own: what was there"),
    ],
)
def test_the_version_that_a_run_made_is_not_what_it_read(queries_over, reported, written, version, resolved_by):
    """Iceberg's MERGE names the new snapshot as read when it completes."""
    start, end = ([(X, stored(name))] for name in reported)
    events = [
        an_event(1, "a1", A, outputs=[(X, stored("1"))]),
        an_event(2, "a2", A, outputs=[X]),
        an_event(3, "b1", B, "START", inputs=start),
        an_event(4, "b1", B, inputs=end, outputs=[(X, stored(written))]),
    ]
    (read,) = queries_over(events).find_run(run_id("b1")).inputs
    assert (read.version, read.resolved_by) == (version_by(X, A, version), resolved_by)


@pytest.mark.parametrize(
    ("events_of_stream", "last"),
    [
        pytest.param([10, 40], "a1", id="its last event is later than the batch run"),
        pytest.param([10, 40, 55], "a1", id="it goes on after the reader began"),
        pytest.param([10, 55], "b1", id="the batch run is later, when the reader begins"),
    ],
)
@pytest.mark.parametrize("parent", [None, ParentRun(run_id("dd"), JobId("emissions", "night"))])
def test_a_reader_reads_the_stream_or_the_batch_run_whichever_was_last(queries_over, events_of_stream, last, parent):
    of_all = {"parent": parent} if parent else {}
    events = [
        *(
            an_event(second, "a1", A, "RUNNING", outputs=[X], job_facets=STREAM, **of_all)
            for second in events_of_stream
        ),
        an_event(30, "b1", B, outputs=[X], **of_all),
        an_event(50, "c1", C, inputs=[X], **of_all),
    ]
    queries = queries_over(events)
    (read,) = queries.find_run(run_id("c1")).inputs
    (up, *_) = queries.find_upstream_runs(run_id("c1"), depth=0).items
    assert (read.version, letters(up.inputs[0].produced_by)) == (version_by(X, {"a1": A, "b1": B}[last], last), last)
    down = LineageQueries(loaded(events)).find_downstream_runs(run_id(last), depth=1).items
    assert [letters(reader.run.id) for reader in down] == [last, "c1"]


def a_schema(*names):
    return {"fields": [{"name": name} for name in names]}


# Dataset events of one instant count in the order of their hashes, which is that of their tags here or is not.
TIED = [a_dataset_event(1, X, tags={"tag": tag}) for tag in "abcdefghijklmnop"]


def test_of_dataset_events_at_one_instant_all_are_read(queries_over):
    described = a_dataset_event(1, X, schema=a_schema("carrier"))
    events = [an_event(1, "a1", A, outputs=[X]), described, *TIED]
    assert any(event.hash > described.hash for event in TIED)
    assert queries_over(events).find_dataset(X).current_version == name_uuid(f"s3://flights:X:{described.hash}")


def test_a_schema_sent_more_often_than_versions_are_read_is_taken_to_be_unchanged():
    first = a_dataset_event(1, X, schema=a_schema("carrier"))
    events = [stamped(replace(first, time=f"2025-11-20T12:00:01.{number:06}Z")) for number in range(VERSIONS_MAX + 2)]
    queries = LineageQueries(loaded(events))
    (version,) = queries.list_dataset_versions(X, limit=9, offset=0).items
    assert (version.version, version.created) == (name_uuid("s3://flights:X:"), at(1))
    assert version.fields == a_schema("carrier")["fields"]
    assert queries.find_dataset(X).current_version == version.version
