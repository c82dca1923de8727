"""Requests of no sense at all: each is answered, none makes the function fail."""

import json
import re
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from headwater.api.app import all_routes
from lambdas import wiring
from tests.aws.api.searching import Search
from tests.builders_events import a_run_event
from tests.examples import examples

# Lone surrogates, too: an event may hold what no HTTP client sends.
TEXT = st.text(st.characters(), max_size=30)
SEGMENTS = st.one_of(TEXT, TEXT.map(lambda text: quote(text, safe="", errors="surrogatepass")), st.just("flights"))
BODIES = st.one_of(
    TEXT,
    st.binary(max_size=50),
    st.sampled_from(["{}", "[]", "null", "1e999", '{"records":[{}]}', "[{}, 1]", json.dumps(a_run_event())]),
)
NAMES = st.one_of(
    st.sampled_from(["action", "limit", "cursor", "after", "before", "offset", "x"]),
    st.sampled_from(["nodeId", "depth", "lineageAt", "datasetVersion", "runId", "type"]),
    st.sampled_from(["lastRunStates", "sortDirection", "q", "filter", "sort", "namespace"]),
    st.sampled_from(["start", "end", "level", "direction", "view", "format", "withDownstream"]),
)
VALUES = st.one_of(
    TEXT,
    st.sampled_from(["0", "1", "now", "now-1d", "both", "simple", "csv", "dataset:a:b", "datasetField:a:b:c", "true"]),
)
# Questions about a time range are nothing without one.
RANGES = st.sampled_from([{}, {"start": ["0"], "end": ["now"]}])
HEADERS = st.sampled_from(["Content-Encoding", "Content-Type", "Accept"])


@st.composite
def paths(draw):
    if draw(st.booleans()):
        return f"/{draw(SEGMENTS)}/{draw(SEGMENTS)}"
    path = draw(st.sampled_from(all_routes())).path
    return re.sub("<.*?>", lambda _: draw(SEGMENTS), path)


@pytest.fixture
def searching(api, monkeypatch):
    """The API, where records can be searched, too."""
    monkeypatch.setattr(wiring, "searcher", Search(api).searcher)
    return api


@examples(300, HealthCheck.function_scoped_fixture)
@given(
    method=st.sampled_from(["GET", "POST", "PUT", "HEAD", "DELETE"]),
    path=paths(),
    query=st.dictionaries(NAMES, st.lists(VALUES, min_size=1, max_size=2), max_size=3),
    span=RANGES,
    body=BODIES,
    headers=st.dictionaries(HEADERS, st.sampled_from(["gzip", "GZIP ", "br", "", "x"])),
)
def test_every_request_is_served(searching, method, path, query, span, body, headers):
    response = searching.send(method, path, {**span, **query}, body=body, headers=headers)

    assert response.status in {200, 201, 202, 204, 400, 404, 405, 413, 422}
