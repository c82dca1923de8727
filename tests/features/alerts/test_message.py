"""The texts of alerts: plain for their readers whatever a producer wrote, and never too large for the event bus."""

import html
import json
import re

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.events.event import DatasetUse
from headwater.features.alerts.cause import Cause
from headwater.features.alerts.message import BYTES_MAX, cut_to_fit, mrkdwn, plain, render_many, summarize
from headwater_model.ids import DatasetId
from tests.unit.facts.statements import A, B, X, an_event

HOSTILE = (
    "<!channel>",
    "<!here|here>",
    "<@U024BE7LH>",
    "<https://evil.example|log in>",
    "&lt;!channel&gt;",
    "[log in](https://evil.example)",
    "*bold* _italic_ ~gone~",
    "`code` and ```more```",
    "a\nOwners: nobody",
    "a\r\u2028b",
    "a\u202egnp.exe\u2066",
    "a\x1b[2J\x07",
    "a\x00b\x9b",
    '"}, {"description": "b\\u0000"',
    "\u200b",
    "",
)
_names = st.one_of(
    st.sampled_from(HOSTILE), st.text(max_size=300), st.sampled_from('&<`"').map(lambda sign: sign * 300)
)
_lists = st.lists(_names, max_size=8)
_changes = st.fixed_dictionaries(
    {
        "dropped": _lists,
        "added": _lists,
        "retyped": st.lists(st.fixed_dictionaries({"name": _names, "from": _names, "to": _names}), max_size=8),
    }
)
_tests = st.fixed_dictionaries({"name": _names, "type": _names, "column": st.none() | _names})
_details = st.one_of(
    st.tuples(st.just("TestFailed"), _tests.map(lambda test: {"test": test})),
    st.tuples(
        st.just("TaggedColumnReached"),
        st.fixed_dictionaries({"column": _names, "tag": _names, "reached": _lists}),
    ),
    st.tuples(st.sampled_from(["ColumnDropped", "ColumnRetyped", "SchemaChanged"]), _changes),
)


@given(_names, st.lists(_details, min_size=1, max_size=5), _lists)
def test_no_name_is_more_than_text_to_its_reader(name, details, owners):
    node = DatasetId(name or "a", name or "a")
    causes = [Cause(kind=kind, node=node, identity=[], time="", detail=detail) for kind, detail in details]
    summary, in_slack = (summarize(causes, 3, owners, show) for show in (plain, mrkdwn))
    assert summary.isprintable()
    # Outside of code spans are our own words alone, and nothing that Slack or a template decodes is anywhere.
    assert re.fullmatch(r"[\w ,;:.()]*", re.sub("`[^`]+`", "", in_slack))
    assert not set('<>"\\') & set(in_slack)
    assert in_slack.isprintable()
    assert max(len(summary), len(in_slack)) < 4_500


@pytest.mark.parametrize("name", HOSTILE)
def test_slack_shows_a_name_as_it_is_but_for_what_cannot_be_shown(name):
    shown = html.unescape(mrkdwn(name)[1:-1])
    assert shown == plain(name).translate({ord('"'): "'", ord("`"): "'", ord("\\"): "/"}) or (name, shown) == ("", " ")


def changed(before, after):
    """Return two runs that give a dataset these columns, each a name with a type."""
    schemas = [
        {"schema": {"fields": [{"name": name, "type": kind} for name, kind in fields]}} for fields in (before, after)
    ]
    return [an_event(second, f"r{second}", A, outputs=[(X, facet)]) for second, facet in enumerate(schemas)]


@pytest.mark.parametrize("name", HOSTILE[:-1])
def test_a_column_and_an_owner_may_have_any_name(watched, name):
    graph, owned = watched(), {"ownership": {"owners": [{"name": name}]}}
    graph.load(*changed([("a", "int"), (name, "int")], [("a", "int")]), an_event(2, "r2", B, outputs=[(X, owned)]))
    ((_, detail),) = graph.bus.sent
    assert detail["causes"][0]["dropped"] == [name]
    assert f": lost {mrkdwn(name)}. " in detail["mrkdwn"]
    assert f": lost {plain(name)}. " in detail["summary"]
    assert f"Owners: {mrkdwn(detail['owners'][0])}." in detail["mrkdwn"]


def test_what_a_test_expected_and_got_is_not_in_its_alert(watched):
    graph = watched()
    facet = {"assertion": "accepted_values", "success": False, "expected": "the-secret", "actual": "another-secret"}
    graph.load(an_event(1, "r1", A, inputs=[DatasetUse(X, {}, {"dataQualityAssertions": {"assertions": [facet]}})]))
    assert len(graph.bus.sent) == 1
    assert "secret" not in json.dumps(graph.bus.sent)


_texts = st.builds(lambda text, times: text * times, st.sampled_from(["a", "ü", "\U0001f600"]), st.integers(0, 90_000))
_json = st.recursive(
    _texts, lambda inner: st.lists(inner, max_size=200) | st.dictionaries(st.sampled_from("abc"), inner), max_leaves=8
)


@given(st.dictionaries(st.sampled_from("uvwxyz"), _json))
def test_a_message_of_any_size_fits_an_event_and_says_that_it_was_cut(parts):
    message = {"id": "0", "node": "n" * 6_000, "link": "l" * 20_000, **parts}
    sent = cut_to_fit(message)
    assert len(orjson.dumps(sent)) < BYTES_MAX + 100
    assert {name: sent[name] for name in ("id", "node", "link")} == {
        name: message[name] for name in ("id", "node", "link")
    }
    assert sent["cut"] == ({**sent, "cut": None} != {**message, "cut": None})


@pytest.mark.parametrize(("number", "length", "cut"), [(3, 9, False), (101, 9, True), (60, 4_000, True)])
def test_the_message_of_a_flood_fits_an_event_and_says_that_nodes_are_missing(number, length, cut):
    held = [("RunFailed", f"job:a:{n:05}{'j' * length}") for n in range(number)]
    sent = render_many("<!here>", "2025-11-20T12:00:00.000000Z", held, "")
    assert len(orjson.dumps(sent)) < BYTES_MAX
    assert (sent["number"], sent["cut"]) == (number, cut)
    assert sent["mrkdwn"].startswith(f"`&lt;!here&gt;`: {number} causes in the hour from 2025-11-20T12:00:00.000000Z")
    assert sent["summary"].endswith(f"Among them {', '.join(plain(node) for _, node in held[:5])}.")


def test_a_text_above_what_the_bus_takes_is_cut(watched):
    graph = watched()
    graph.load(*changed([("a", "int")], [("a", "t" * 300_000)]))
    ((_, detail),) = graph.bus.sent
    assert detail["cut"]
    assert len(detail["causes"][0]["retyped"][0]["to"]) == 10_000
