"""Each cause is sent once: in any order of events, however often they come, and whatever dies in between."""

import json
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.facts.apply import apply_statements
from headwater.features.alerts.alerter import Alerter
from headwater.features.alerts.diagnosis import diagnose
from headwater.features.alerts.ledger import CLAIM_S, AlertLedger, Hour
from headwater.features.alerts.looked_at import nodes_of, parse_look
from headwater.features.alerts.rules import AlertRules, parse_alert_rules
from headwater.queries.view import GraphView
from headwater.times import from_seconds
from headwater_model.errors import Invalid
from headwater_model.ids import JobId
from tests.examples import examples
from tests.fakes.memory_table import MemoryTable
from tests.features.alerts.conftest import NOW_S, Bus, Watched, checks, seconds
from tests.unit.facts.statements import A, B, X, an_event
from tests.unit.facts.strategies import DATASETS, JOBS, arrivals, checked_streams, stamped, streams
from tests.unit.queries.columns import strategies as columns

_NODES = (*JOBS, *DATASETS)
_histories = st.one_of(streams(), checked_streams(), columns.streams())
_RULES = parse_alert_rules('{"tags": {"pii": ["*"]}}')


def causes_of(table):
    """Diagnose all nodes: id -> the kind, node, time and detail of its alert."""
    view = GraphView(table)
    diagnoses = (diagnose(node, view, _RULES, from_seconds(NOW_S)) for node in _NODES)
    return {
        cause.id: (cause.kind, cause.node, cause.time, cause.detail)
        for diagnosis in diagnoses
        for cause in diagnosis.causes
    }


@examples(400)
@given(st.data())
def test_causes_are_a_function_of_the_set_of_events(data):
    statements = data.draw(_histories)
    first, second = MemoryTable(), MemoryTable()
    apply_statements(statements, first)
    for batch in data.draw(arrivals(statements)):
        apply_statements(batch, second)
    assert causes_of(first) == causes_of(second)


@examples(400)
@given(st.data())
def test_every_cause_is_sent_or_counted_once_in_any_order_and_through_failing_sends(data):
    statements = data.draw(_histories)
    bus = Bus(failing=data.draw(st.sets(st.integers(1, 8))))
    graph, now_s = Watched(_RULES, bus=bus, alerts_max=data.draw(st.sampled_from([0, 1, 2, 20]))), NOW_S
    for batch in data.draw(arrivals(statements)):
        apply_statements(batch, graph.table)
        nodes = list(nodes_of(batch))
        while nodes:
            # A failed look comes again, after its claims have ended.
            failed = graph.alerter.look(nodes, now_s=now_s).failed
            nodes = [node for node in failed if not isinstance(node, Hour)]
            now_s += CLAIM_S + 1 if nodes else 0
    bus.failing = set()
    graph.due(now_s + 2 * 3600)
    held = graph.held
    sent = Counter(graph.causes) + Counter(cause for causes in held.values() for cause in causes)
    assert set(sent.values()) <= {1}
    young = {id_ for id_, (_, _, time, _) in causes_of(graph.table).items() if time >= from_seconds(now_s - 86_400)}
    assert young <= sent.keys()
    # The last message of an hour counts all causes held in it.
    counted = {(detail["namespace"], detail["hour"]): detail["number"] for _, detail in bus.sent if "number" in detail}
    assert sorted(counted.values()) == sorted(map(len, held.values()))


def test_a_flood_is_one_message_with_a_number(watched):
    graph = watched()
    jobs = [JobId("emissions", f"fresh-{number}") for number in range(300)]
    events = [an_event(1, f"run-{number}", job, "FAIL") for number, job in enumerate(jobs)]
    assert graph.load(*events, an_event(1, "r2", JobId("other", "B"), "FAIL")) == [
        ("RunFailed", "B"),
        ("ManyAlerts", 300),
    ]
    (_, many) = (detail for _, detail in graph.bus.sent)
    assert (many["namespace"], many["numbers"], len(many["nodes"])) == ("emissions", {"RunFailed": 300}, 100)
    assert many["summary"].startswith(
        "emissions: 300 causes in the hour from 2025-11-20T12:00:00.000000Z have no alert"
    )
    assert graph.load(*events) == []
    assert graph.due(NOW_S + 2 * 3600) == [], "the number has not grown"


def test_what_a_flood_brings_later_is_in_one_more_message_when_the_hour_has_ended(watched):
    graph = watched(alerts_max=3)
    jobs = [JobId("emissions", f"fresh-{number}") for number in range(12)]
    loads = [graph.load(an_event(1, f"run-{number}", job, "FAIL")) for number, job in enumerate(jobs)]
    assert loads == [
        [("RunFailed", "fresh-0")],
        [("RunFailed", "fresh-1")],
        [("RunFailed", "fresh-2")],
        [("ManyAlerts", 1)],
        *[[]] * 8,
    ]
    assert graph.due(NOW_S + 3600) == []
    assert graph.due(NOW_S + 3600 + 600) == [("ManyAlerts", 9)]
    assert graph.due(NOW_S + 9 * 3600) == []
    late = an_event(2, "late", JobId("emissions", "late"), "FAIL")
    assert graph.load(late, now_s=NOW_S + 3600) == [("RunFailed", "late")], "the next hour has alerts of its own"


def test_the_message_of_a_flood_waits_for_quiet_hours_and_is_tried_again(watched):
    graph = watched(parse_alert_rules('{"quiet": "13:05-14:00"}'), alerts_max=0)
    graph.bus.failing = {"ManyAlerts"}
    apply_statements([an_event(1, "r1", A, "FAIL")], graph.table)
    assert list(graph.alerter.look([A], now_s=NOW_S).failed) == [Hour.at("emissions", NOW_S)]
    graph.bus.failing = set()
    assert graph.due(NOW_S + 60) == [("ManyAlerts", 1)]
    assert graph.load(an_event(2, "r2", B, "FAIL")) == []
    assert graph.due(NOW_S + 3600 + 900) == []
    assert graph.due(NOW_S + 2 * 3600) == [("ManyAlerts", 2)]


BROKEN = [
    an_event(1, "r1", A, outputs=[(X, {"schema": {"fields": [{"name": "a"}, {"name": "b"}]}})]),
    an_event(2, "r2", A, outputs=[(X, {"schema": {"fields": [{"name": "a"}]}})]),
    checks(3, "r3", False),
]


@pytest.mark.parametrize(("kind", "rest"), [("ColumnDropped", "TestFailed"), ("TestFailed", "ColumnDropped")])
def test_a_kind_that_is_not_sent_holds_no_other_back(watched, kind, rest):
    graph = watched()
    graph.bus.failing = {kind}
    apply_statements(BROKEN, graph.table)
    assert list(graph.alerter.look([X], now_s=NOW_S).failed) == [X]
    assert graph.new() == [(rest, "X")]
    graph.bus.failing = set()
    assert graph.look([X], now_s=NOW_S + CLAIM_S + 1) == [(kind, "X")]


def test_a_read_that_fails_keeps_only_what_needs_it_back(watched):
    graph = watched()
    apply_statements(BROKEN, graph.table)
    left, sent = [], set()

    def refuse_one(method):
        if method in ("get", "query", "read"):
            left[0] -= 1
            if left[0] == 0:
                raise ConnectionError("the read failed")

    for number in range(1, 40):
        table, bus = MemoryTable(graph.table.dynamo, before=refuse_one), Bus()
        left[:] = [number]
        alerter = Alerter(table, AlertLedger(MemoryTable()), bus, AlertRules())
        failed = alerter.look([X], now_s=NOW_S).failed
        kinds = tuple(kind for kind, _ in bus.sent)
        assert bool(failed) == (len(kinds) < 2), "what is not sent comes again"
        sent.add(kinds)
    assert {("ColumnDropped",), ("TestFailed",), ("ColumnDropped", "TestFailed")} <= sent


def test_muted_causes_are_counted_and_not_sent(watched):
    for mute in ("namespace:emissions", "namespace:em*", "tag:Quiet", "RunFailed"):
        graph = watched(parse_alert_rules(json.dumps({"mute": [mute]})))
        tags = {"tags": {"tags": [{"key": "quiet"}]}}
        apply_statements([an_event(1, "r1", A, "FAIL", job_facets=tags)], graph.table)
        assert graph.alerter.look([A], now_s=NOW_S).muted == 1
        assert graph.bus.sent == []
    for mute in ("namespace:emission", "tag:loud", "DatasetLate"):
        graph = watched(parse_alert_rules(json.dumps({"mute": [mute]})))
        assert graph.load(an_event(1, "r1", A, "FAIL")) == [("RunFailed", "A")]


@pytest.mark.parametrize(
    ("quiet", "now", "end"),
    [
        ("22:00-06:00", "2025-11-20T21:59:59.000000Z", None),
        ("22:00-06:00", "2025-11-20T22:00:00.000000Z", "2025-11-21T06:00:00.000000Z"),
        ("22:00-06:00", "2025-11-21T05:59:59.000000Z", "2025-11-21T06:00:00.000000Z"),
        ("22:00-06:00", "2025-11-21T06:00:00.000000Z", None),
        ("00:00-23:59", "2025-11-21T23:58:00.000000Z", "2025-11-21T23:59:00.000000Z"),
        # The hour from 2 to 3 comes twice, and half an hour of each time is quiet.
        ("22:00-02:30 Europe/Berlin", "2025-10-26T00:10:00.000000Z", "2025-10-26T00:30:00.000000Z"),
        ("22:00-02:30 Europe/Berlin", "2025-10-26T00:40:00.000000Z", None),
        ("22:00-02:30 Europe/Berlin", "2025-10-26T01:10:00.000000Z", "2025-10-26T01:30:00.000000Z"),
        # Half past two does not come.
        ("22:00-02:30 Europe/Berlin", "2025-03-30T00:10:00.000000Z", "2025-03-30T01:30:00.000000Z"),
    ],
)
def test_quiet_hours_go_over_midnight_and_end_by_the_clock(quiet, now, end):
    assert parse_alert_rules(json.dumps({"quiet": quiet})).quiet.end_after(now) == end


_HOURS = ["00:00-23:59", "22:00-02:30", "02:15-02:45", "02:45-02:15", "23:30-00:30", "01:00-03:00"]
_ZONES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC"]
# Around the changes of clocks in autumn and spring, north and south, and within a year.
_DAYS = ["2025-10-26", "2025-11-02", "2025-04-06", "2025-03-30", "2025-03-09", "2025-10-05", "2025-07-01"]


@examples(200)
@given(
    st.sampled_from(_HOURS),
    st.sampled_from(_ZONES),
    st.sampled_from(_DAYS),
    st.integers(-1440, 2880),
    st.integers(0, 23),
)
def test_what_waits_for_quiet_hours_is_sent_when_they_end_and_no_later(hours, zone, day, minutes, age):
    """The schedule looks every quarter of an hour, so it mostly comes when hours without a pause have begun again."""
    now_s = (seconds(f"{day}T00:00:00.000000Z") // 60 + minutes) * 60
    graph = Watched(parse_alert_rules(json.dumps({"quiet": f"{hours} {zone}"})))
    failed = stamped(replace(an_event(1, "r1", A, "FAIL"), time=from_seconds(now_s - age * 3600)))
    if graph.load(failed, now_s=now_s) == []:
        end = seconds(graph.rules.quiet.end_after(from_seconds(now_s)))
        assert now_s < end <= now_s + 25 * 3600
        assert graph.due(end - 60) == []
        assert graph.due((end // 900 + 1) * 900) == [("RunFailed", "A")]
    assert graph.due(now_s + 30 * 3600) == []


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("{", "alert_rules"),
        ("[]", "alert_rules"),
        ('{"mutes": []}', "alert_rules.mutes"),
        ('{"mute": ["dev"]}', "alert_rules.mute"),
        ('{"mute": ["namespace:"]}', "alert_rules.mute"),
        ('{"mute": "tag:x"}', "alert_rules.mute"),
        ('{"quiet": "22-6"}', "alert_rules.quiet"),
        ('{"quiet": "22:00-22:00"}', "alert_rules.quiet"),
        ('{"quiet": "22:00-06:00 Europe/Atlantis"}', "alert_rules.quiet"),
        ('{"tags": {"pii": "public"}}', "alert_rules.tags.pii"),
        ('{"tags": {"pii": ["a*b"]}}', "alert_rules.tags.pii"),
        ('{"explorer": "ftp://x"}', "alert_rules.explorer"),
    ],
)
def test_rules_that_cannot_be_read_are_refused_by_name(text, field):
    with pytest.raises(Invalid) as refused:
        parse_alert_rules(text)
    assert [fault.field for fault in refused.value.faults] == [field]


@pytest.mark.parametrize("body", ["", "{}", '{"look": [["run", "a", "b"]]}', '{"look": [["job", "a"]]}'])
def test_a_message_that_is_no_look_is_refused(body):
    with pytest.raises(Invalid):
        parse_look(body)


def test_a_cause_is_sent_again_after_it_was_forgotten(watched):
    graph = watched()
    assert graph.ledger.claim(["cause"], now_s=NOW_S) == {"cause": "claimed"}
    graph.ledger.mark_sent(["cause"], now_s=NOW_S)
    assert graph.ledger.claim(["cause"], now_s=NOW_S + 29 * 86_400) == {"cause": "sent"}
    assert graph.ledger.claim(["cause"], now_s=NOW_S + 31 * 86_400) == {"cause": "claimed"}
