"""Causes of alerts, kind by kind: each with what makes it one, and what does not."""

from dataclasses import replace

import pytest

from headwater.events.event import ParentRun, Tagging
from headwater.features.alerts.alerter import AGE_MAX_S
from headwater.features.alerts.rules import parse_alert_rules
from headwater_model.ids import DatasetId
from tests.features.alerts.conftest import NOW_S, checks, later, seconds
from tests.unit.facts.statements import A, B, C, X, Y, a_dataset_event, an_event, at, run_id
from tests.unit.facts.strategies import stamped


def schema(*fields):
    return {"schema": {"fields": [dict(zip(("name", "type"), field.split(":"), strict=False)) for field in fields]}}


def wrote(second, run, *fields, job=A, dataset=X, **more):
    return an_event(second, run, job, outputs=[(dataset, schema(*fields))], **more)


def lineage(dataset, **columns):
    """Return the facet that makes columns of others: `a=(X, "b")`, or with a mask."""
    return {
        "columnLineage": {
            "fields": {
                name: {
                    "inputFields": [
                        {
                            "namespace": source.namespace,
                            "name": source.name,
                            "field": field,
                            "transformations": [{"type": "DIRECT", "subtype": "IDENTITY", "masking": any(masked)}],
                        }
                    ]
                }
                for name, (source, field, *masked) in columns.items()
            }
        }
    }


def test_a_job_that_fails_again_and_again_is_one_cause(watched):
    graph = watched()
    assert graph.load(an_event(1, "r1", A)) == []
    assert graph.load(an_event(2, "r2", A, "FAIL")) == [("RunFailed", "A")]
    assert graph.load(an_event(3, "r3", A, "FAIL")) == []
    assert graph.load(an_event(4, "r4", A)) == []
    assert graph.load(an_event(5, "r5", A, "FAIL")) == [("RunFailed", "A")]


def test_a_run_that_starts_again_and_completes_is_well_and_its_next_failure_another_cause(watched):
    graph = watched()
    failed = [an_event(second, "r2", A, kind) for second, kind in ((1, "START"), (2, "FAIL"))]
    assert graph.load(*failed) == [("RunFailed", "A")]
    assert graph.load(an_event(3, "r2", A, "START"), an_event(4, "r2", A)) == []
    assert graph.load(an_event(5, "r2", A, "START"), an_event(6, "r2", A, "FAIL")) == [("RunFailed", "A")]
    assert graph.load(an_event(7, "r2", A, "START"), an_event(8, "r2", A, "FAIL")) == []


def test_an_alert_of_a_failure_names_the_run_and_the_last_good_one(watched):
    graph = watched()
    graph.load(an_event(1, "r1", A), an_event(2, "r2", A, "FAIL"), an_event(3, "r3", A, "FAIL"))
    ((kind, detail),) = graph.bus.sent
    (cause,) = detail["causes"]
    assert (kind, cause["run"], cause["failedRuns"], cause["since"]) == ("RunFailed", run_id("r3"), 2, at(2))
    assert cause["lastGoodRun"] == {"run": run_id("r1"), "ended": at(1)}
    assert detail["summary"] == (
        f"emissions A: 2 runs failed since its good run of {at(1)}. 0 jobs and datasets are downstream. Nobody owns it."
    )


def test_a_run_that_somebody_stopped_is_no_failure(watched):
    assert watched().load(an_event(1, "r1", A, "ABORT")) == []


def test_a_failed_task_is_the_cause_and_not_the_run_that_started_it(watched):
    parent = ParentRun(run_id("b1"), B)
    task = an_event(2, "r2", A, "FAIL", parent=parent)
    assert watched().load(task, an_event(3, "b1", B, "FAIL")) == [("RunFailed", "A")]
    good_task = an_event(2, "r2", A, parent=parent)
    assert watched().load(good_task, an_event(3, "b1", B, "FAIL")) == [("RunFailed", "B")]


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (("a", "b"), ("a",), "ColumnDropped"),
        (("a:int",), ("a:string",), "ColumnRetyped"),
        (("a",), ("a", "b"), "SchemaChanged"),
        (("a:int", "b"), ("a:string", "c"), "ColumnDropped"),
        (("a", "b"), ("b", "a"), None),
        (("a:INT",), ("a:int",), None),
        (("a",), ("a:int",), None),
    ],
)
def test_a_change_of_a_schema_is_named_by_its_worst_part(watched, before, after, kind):
    graph = watched()
    assert graph.load(wrote(1, "r1", *before)) == []
    assert graph.load(wrote(2, "r2", *after)) == ([(kind, "X")] if kind else [])


def test_a_change_of_a_schema_has_all_its_parts_and_its_run(watched):
    graph = watched()
    graph.load(wrote(1, "r1", "a:int", "b"), wrote(2, "r2", "a:string", "c"))
    (cause,) = graph.bus.sent[0][1]["causes"]
    assert (cause["dropped"], cause["added"], cause["run"]) == (["b"], ["c"], run_id("r2"))
    assert cause["retyped"] == [{"name": "a", "from": "int", "to": "string"}]


def test_a_failed_run_changes_no_schema_and_a_declared_one_does(watched):
    graph = watched()
    graph.load(wrote(1, "r1", "a", "b"))
    assert graph.load(wrote(2, "r2", "a", type="FAIL")) == [("RunFailed", "A")]
    assert graph.load(a_dataset_event(3, X, **schema("a"))) == [("ColumnDropped", "X")]


def test_a_dropped_column_names_what_was_made_of_it_before(watched):
    graph = watched()
    event = an_event(2, "r2", B, inputs=[X], outputs=[(Y, {**schema("c", "d"), **lineage(Y, c=(X, "a"), d=(X, "b"))})])
    graph.load(wrote(1, "r1", "a", "b"), event)
    graph.load(wrote(3, "r3", "b"))
    downstream = graph.bus.sent[0][1]["downstream"]
    assert downstream["columns"] == ["datasetField:s3://flights:Y:c"]
    assert [node["node"] for node in downstream["nodes"]] == ["job:emissions:B", "dataset:s3://flights:Y"]


def test_owners_of_the_dataset_and_of_what_is_downstream_are_in_the_alert(watched):
    graph = watched()
    owned = {"ownership": {"owners": [{"name": "team:a"}]}}
    reader = an_event(2, "r2", B, inputs=[X], outputs=[Y], job_facets={"ownership": {"owners": [{"name": "team:b"}]}})
    graph.load(an_event(1, "r1", A, outputs=[(X, {**schema("a", "b"), **owned})]), reader, wrote(3, "r3", "a"))
    detail = graph.bus.sent[0][1]
    assert (detail["owners"], detail["downstream"]["owners"]) == (["team:a"], ["team:b"])


def test_a_test_that_fails_again_and_again_is_one_cause(watched):
    graph = watched()
    assert graph.load(checks(1, "r1", True)) == []
    assert graph.load(checks(2, "r2", False)) == [("TestFailed", "X")]
    assert graph.load(checks(3, "r3", False)) == []
    assert graph.load(checks(4, "r4", True)) == []
    assert graph.load(checks(5, "r5", False)) == [("TestFailed", "X")]


def test_a_failure_that_only_warns_is_not_sent(watched):
    assert watched().load(checks(1, "r1", False, severity="warn")) == []


def test_tests_of_one_dataset_that_fail_together_are_one_alert(watched):
    graph = watched()
    assert graph.load(checks(1, "r1", False, name="one"), checks(1, "r2", False, name="two")) == [("TestFailed", "X")]
    assert sorted(cause["test"]["name"] for cause in graph.bus.sent[0][1]["causes"]) == ["one", "two"]


DAILY = [f"2025-11-{day:02}T06:00:00.000000Z" for day in range(10, 17)]


def nightly(times, dataset=X):
    return [
        stamped(replace(an_event(1, f"{number:02}", A, outputs=[dataset]), time=time))
        for number, time in enumerate(times)
    ]


def test_a_dataset_is_late_a_tenth_of_its_longest_interval_after_the_next_version_was_due(watched):
    graph = watched()
    assert graph.load(*nightly(DAILY), now_s=seconds(DAILY[-1])) == []
    last = seconds(DAILY[-1])
    late = last + 24 * 3_600 + 24 * 360
    assert graph.due(late - 1) == []
    assert graph.due(late + 1) == [("DatasetLate", "X")]
    assert graph.due(late + 3_600) == []
    assert graph.bus.sent[0][1]["causes"][0]["lastWritten"] == DAILY[-1]


@pytest.mark.parametrize(("days", "rest", "late"), [(26, 48, False), (26, 80, True), (23, 24, False), (23, 27, True)])
def test_a_dataset_that_rests_at_weekends_is_late_on_a_tuesday_and_not_on_a_sunday(watched, days, rest, late):
    """26 days end on a Friday, 23 on a Tuesday."""
    graph = watched()
    weekdays = [time for time in (later(DAILY[0], days=day) for day in range(days)) if day_of_week(time) < 5]
    last = seconds(weekdays[-1])
    graph.load(*nightly(weekdays), now_s=last)
    assert graph.due(last + rest * 3_600) == ([("DatasetLate", "X")] if late else [])


def day_of_week(time):
    return (seconds(time) // 86_400 + 3) % 7


def test_a_dataset_is_due_once_however_often_it_is_written(watched):
    graph = watched()
    times = [later(DAILY[0], days=day, minutes=day * 7 % 40) for day in range(40)]
    for number, time in enumerate(times):
        graph.load(*nightly(times[: number + 1]), now_s=seconds(time))
    assert len(graph.ledger.list_due("~")) == 1


def test_a_new_version_ends_the_wait(watched):
    graph = watched()
    graph.load(*nightly(DAILY), now_s=seconds(DAILY[-1]))
    new = later(DAILY[-1], hours=29)
    graph.load(*nightly([*DAILY, new]), now_s=seconds(new))
    assert graph.due(seconds(DAILY[-1]) + 31 * 3_600) == []


@pytest.mark.parametrize("times", [DAILY[:5], []])
def test_a_dataset_with_a_short_history_is_never_late(watched, times):
    graph = watched()
    graph.load(*nightly(times), now_s=seconds(DAILY[-1]))
    assert graph.due(seconds(DAILY[-1]) + 90 * 86_400) == []


PUBLIC = DatasetId("public", "P")
PII = parse_alert_rules('{"tags": {"pii": ["public*"]}}')


def tagged(second, field="a", dataset=X):
    return stamped(Tagging(time=at(second), hash="", tag="PII", dataset=dataset, field=field, present=True))


def through(second, masked=False):
    """Return the events that carry the column X.a by way of Y.b to P.c."""
    first = an_event(second, "r2", B, inputs=[X], outputs=[(Y, {**schema("b"), **lineage(Y, b=(X, "a"))})])
    last = {**schema("c"), **lineage(PUBLIC, c=(Y, "b", masked))}
    return first, an_event(second + 1, "r3", C, inputs=[Y], outputs=[(PUBLIC, last)])


def test_a_tagged_column_that_reaches_a_guarded_namespace_is_sent(watched):
    graph = watched(PII)
    assert graph.load(wrote(1, "r1", "a"), tagged(2), *through(3)) == [("TaggedColumnReached", "P")]
    (cause,) = graph.bus.sent[0][1]["causes"]
    assert (cause["column"], cause["reached"], cause["tag"]) == ("datasetField:s3://flights:X:a", ["c"], "pii")


def test_a_tag_that_is_set_after_the_flow_is_sent_too(watched):
    graph = watched(PII)
    assert graph.load(wrote(1, "r1", "a"), *through(3)) == []
    assert graph.load(tagged(6)) == [("TaggedColumnReached", "P")]


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (0, 1, 3, 2), (1, 2, 3, 0), (2, 3, 0, 1)])
def test_a_tagged_column_is_sent_in_whatever_order_its_way_becomes_known(watched, order):
    graph, events = watched(PII), [wrote(1, "r1", "a"), tagged(2), *through(3)]
    assert [alert for number in order for alert in graph.load(events[number])] == [("TaggedColumnReached", "P")]


def test_a_masked_column_is_not_sent_nor_one_in_another_namespace(watched):
    assert watched(PII).load(wrote(1, "r1", "a"), tagged(2), *through(3, masked=True)) == []
    elsewhere = parse_alert_rules('{"tags": {"pii": ["private"]}}')
    assert watched(elsewhere).load(wrote(1, "r1", "a"), tagged(2), *through(3)) == []


def test_a_cause_older_than_a_day_is_not_sent(watched):
    graph = watched()
    failed = an_event(1, "r1", A, "FAIL")
    assert graph.load(failed, now_s=NOW_S + AGE_MAX_S) == []
    assert graph.look([A]) == [("RunFailed", "A")]


def late_versions(*columns):
    return [wrote(second, f"r{second}", *names) for second, names in columns]


ALSO_X = {"symlinks": {"identifiers": [{"namespace": X.namespace, "name": X.name}]}}
DAG = ParentRun(run_id("b1"), B)
# What comes first, what comes late, and the alerts after each, and of both at once.
ORDERS = {
    "a good run before a failure": (
        [an_event(3, "r3", A, "FAIL")],
        [an_event(2, "r2", A)],
        [("RunFailed", "A")],
        [("RunFailed", "A")],
        [("RunFailed", "A")],
    ),
    "a good run between two failures": (
        [an_event(1, "r1", A), an_event(2, "r2", A, "FAIL"), an_event(4, "r4", A, "FAIL")],
        [an_event(3, "r3", A)],
        [("RunFailed", "A")],
        [("RunFailed", "A")],
        [("RunFailed", "A")],
    ),
    "the failure of a task, of which the DAG's run failed": (
        [an_event(3, "b1", B, "FAIL")],
        [an_event(2, "r2", A, "FAIL", parent=DAG)],
        [("RunFailed", "B")],
        [("RunFailed", "A")],
        [("RunFailed", "A")],
    ),
    "a test that passed before it failed": (
        [checks(3, "r3", False)],
        [checks(2, "r2", True)],
        [("TestFailed", "X")],
        [("TestFailed", "X")],
        [("TestFailed", "X")],
    ),
    "a version between two": (
        late_versions((1, ("a", "b", "c")), (3, ("a",))),
        late_versions((2, ("a", "b"))),
        [("ColumnDropped", "X")],
        [("ColumnDropped", "X")],
        [("ColumnDropped", "X")],
    ),
    "another name of the dataset": (
        late_versions((1, ("a", "b")), (2, ("a",))),
        [an_event(3, "r3", A, outputs=[(Y, ALSO_X)])],
        [("ColumnDropped", "X")],
        [("ColumnDropped", "Y")],
        [("ColumnDropped", "Y")],
    ),
}


@pytest.mark.parametrize("order", ORDERS)
def test_what_comes_late_may_make_two_of_a_cause(watched, order):
    """These are the orders that `headwater.features.alerts.cause` names; at once, or in order, each is one alert."""
    first, late, sent, sent_late, at_once = ORDERS[order]
    graph = watched()
    assert graph.load(*first) == sent
    assert graph.load(*late) == sent_late
    assert watched().load(*first, *late) == at_once
    assert graph.load(*first, *late) == []
