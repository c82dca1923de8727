"""The feed of news: a bounded function of the set of events, within the namespaces visible to the caller."""

import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from headwater.events.event import DatasetUse
from headwater.facts.visibility import Visibility
from headwater.features.insights import feed
from headwater.queries.service import LineageQueries
from headwater_model.ids import DatasetId, JobId
from tests.examples import examples
from tests.features.insights.newspaper import Newspaper
from tests.runs_model.results import rendered
from tests.unit.facts.loaders import Simulation
from tests.unit.facts.statements import A, B, X, an_event
from tests.unit.facts.strategies import DATASETS, JOBS, arrivals, news_streams, stamped
from tests.unit.facts.test_simulation import in_messages
from tests.unit.queries.every_query import as_parsed, loaded

# Most generated statements are of the first day.
DAYS = tuple(f"2025-11-{day}" for day in range(20, 26))
MONDAY, TUESDAY, WEDNESDAY = DAYS[:3]
THIN = {"schema": {"fields": [{"name": "flight", "type": "INT"}, {"name": "carrier"}]}}
WIDE = {"schema": {"fields": [{"name": "flight", "type": "bigint"}, {"name": "co2", "type": "double"}]}}


@examples(300)
@given(st.data())
def test_the_feed_is_the_models_in_any_order_of_arrival(data):
    statements = data.draw(news_streams())
    queries, model = LineageQueries(loaded(*data.draw(arrivals(statements)))), Newspaper(statements)
    # Each day alone: its news must not depend on a row of another day.
    for days in (DAYS, *([day] for day in DAYS)):
        assert listed(queries, days) == listed(model, days)
    for chosen in ({"kind": data.draw(st.sampled_from(feed.KINDS))}, {"namespace": data.draw(NAMESPACES)}):
        assert listed(queries, DAYS, **chosen) == listed(model, DAYS, **chosen)


@examples(60)
@given(news_streams(), st.integers(0, 2**32))
def test_loaders_that_meet_and_die_leave_the_feed_of_the_model(statements, seed):
    dice = random.Random(seed)
    table = Simulation(in_messages(list(map(as_parsed, statements)), dice), dice).run()
    assert listed(LineageQueries(table), DAYS) == listed(Newspaper(statements), DAYS)


NAMESPACES = st.sampled_from(sorted({thing.namespace for thing in (*JOBS, *DATASETS)}))


def feed_of(queries, days, **chosen):
    """List the feed of the model, or of a table."""
    if isinstance(queries, Newspaper):
        return queries.list_feed(days, **chosen)
    return feed.list_feed(days, queries.view(), **{"limit": 100, "offset": 0, **chosen})


def listed(queries, days, **chosen):
    return rendered(feed_of(queries, days, **chosen))


def on(day, event):
    """Move the event to the same time of another day."""
    return stamped(replace(event, time=f"{day}{event.time[10:]}"))


CHANGED = [
    on(MONDAY, an_event(1, "a1", A, outputs=[DatasetUse(X, THIN)])),
    on(TUESDAY, an_event(1, "a2", A, outputs=[DatasetUse(X, THIN)])),
    on(WEDNESDAY, an_event(1, "b1", B, outputs=[DatasetUse(X, WIDE)])),
]


def test_a_caller_sees_the_news_of_its_namespaces_and_no_other_sender():
    queries = LineageQueries(loaded(CHANGED))
    caller = Visibility(covers=X.namespace.__eq__, namespaces=[X.namespace], strict=True)
    page = feed_of(queries.seen_by(caller), DAYS)
    assert [(entry.kind, entry.job, entry.run) for entry in page.items] == [
        ("SCHEMA_CHANGED", None, None),
        ("DATASET_NEW", None, None),
    ]
    other = Visibility(covers=A.namespace.__eq__, namespaces=[A.namespace])
    assert feed_of(queries.seen_by(other), DAYS).total == 0


def test_steady_events_write_no_row_of_the_feed():
    table = loaded([CHANGED[0]])
    before = feed_rows(table)
    for day in (TUESDAY, WEDNESDAY):
        other = loaded([CHANGED[0]], [on(day, an_event(1, f"a{day[-1]}", A, outputs=[DatasetUse(X, THIN)]))])
        assert feed_rows(other) == before
    assert len(before) == 1


def feed_rows(table):
    return {(item["pk"]["S"], item["sk"]["S"]) for item in table.dynamo.items() if item["pk"]["S"].startswith("FEED#")}


def test_the_rounds_of_a_feed_do_not_grow_with_the_estate():
    rounds = {rounds_of(things) for things in (10, 100, 300)}
    assert len(rounds) == 1
    assert rounds.pop() <= 8


def rounds_of(things):
    """Count the rounds of a feed of `things` new datasets, each written by a failing job of its own."""
    events = [
        on(
            MONDAY,
            an_event(
                1, f"a{number}", JobId("emissions", f"job-{number}"), "FAIL", outputs=[DatasetId("lake", f"{number}")]
            ),
        )
        for number in range(things)
    ]
    table = loaded(events)
    table.calls.clear()
    page = feed_of(LineageQueries(table), DAYS)
    assert page.total == things + min(things, feed.JOBS_MAX)
    return table.rounds


def test_rows_of_the_feed_expire():
    table = loaded([CHANGED[0]])
    (item,) = [item for item in table.dynamo.items() if item["pk"]["S"].startswith("FEED#")]
    assert item["expires_at"] == {"N": str(1_763_596_800 + 33 * 86_400)}
