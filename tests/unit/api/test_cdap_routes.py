"""CDAP's routes: the designs' samples to the letter, and what is refused."""

import orjson
import pytest

from headwater.queries.results.columns import (
    Connection,
    Detail,
    DetailNode,
    DetailOperation,
    FieldMapping,
    Mappings,
    TimeRange,
)
from headwater_model.ids import DatasetId
from tests.unit.api.canned_fields import LINK, HeldLinks, an_api
from tests.unit.api.graph_api import at
from tests.unit.api.proxy import get

# The range of the design's sample, and a day up to its end.
RANGE = {"start": 1442863938, "end": 1442881938}
WINDOW = TimeRange("2015-09-21T19:32:18.000000Z", "2015-09-22T00:32:18.000000Z")
DAY = TimeRange("2015-09-21T00:32:18.000000Z", "2015-09-22T00:32:18.000000Z")
PERSON, EMPLOYEE = DatasetId("ns", "Person"), DatasetId("ns", "Employee")
FILE, STORE = DatasetId("ns", "file"), DatasetId("myns", "mytableds")


def mappings_of(namespace, name):
    return f"/v3/namespaces{at(namespace)}/endpoints{at(name)}/fields/lineage"


def detail_of(namespace, name, field):
    return f"/v3/namespaces{at(namespace)}/endpoints{at(name)}/fields{at(field)}/lineage"


def paths_of(namespace, name, field):
    return f"/v3/namespaces{at(namespace)}/datasets{at(name)}/fields{at(field)}/lineage"


EVERY_ROUTE = [mappings_of("ns", "Employee"), detail_of("ns", "Employee", "id"), paths_of("ns", "Employee", "id")]


def a_mapping(**changes):
    """Return the example of the design: names of people, joined."""
    pairs = ((("first_name",), ("name",)), (("id",), ("id",)), (("last_name",), ("name",)))
    return FieldMapping(**{"source": PERSON, "destination": EMPLOYEE, "pairs": pairs, **changes})


def test_level_says_how_far_and_a_cut_is_in_a_header():
    api = an_api({(EMPLOYEE, DAY, 3): Mappings((), truncated=True)})
    query = {"start": "now-1d", "end": "now", "level": 3}

    response = get(api, mappings_of("ns", "Employee"), query)

    assert (response.form, response.headers["X-Truncated"]) == ([], "true")


def test_an_endpoint_of_any_name_is_one_segment_of_the_path():
    lake = DatasetId("arn:aws:glue:eu-west-1:1", "s3://lake/raw 50%/ü")
    nested = a_mapping(destination=lake, pairs=((("a/b", "c"), ("employees", "name")),))
    api = an_api({(lake, WINDOW, 10): Mappings((nested,))})

    response = get(api, mappings_of(lake.namespace, lake.name), RANGE)

    assert response.form[0]["fieldmap"] == [{"from": r"a\/b/c", "to": "employees/name"}]
    assert response.form[0]["destination"] == {"namespace": lake.namespace, "name": lake.name}


def a_detail(**changes):
    """The name of an employee, made of two fields of a file."""
    parts = {
        "nodes": (
            DetailNode("read.body", "body", source=FILE),
            DetailNode("parse.first_name", "first_name"),
            DetailNode("concat.name", "name", destination=EMPLOYEE),
        ),
        "operations": (DetailOperation("read", "reading"), DetailOperation("parse"), DetailOperation("concat")),
        "connections": (
            Connection("read.body", "parse.first_name", "parse"),
            Connection("parse.first_name", "concat.name", "concat"),
        ),
    }
    return Detail(**{**parts, **changes})


def test_a_field_that_is_written_as_it_was_read_has_both_endpoints():
    untouched = DetailNode("read.id", "id", source=PERSON, destination=EMPLOYEE)
    api = an_api({(EMPLOYEE, ("id",), WINDOW, "both"): Detail((untouched,), truncated=True)})

    response = get(api, detail_of("ns", "Employee", "id"), RANGE)

    (node,) = response.form["nodes"]
    assert (node["sourceEndPoint"]["name"], node["destinationEndPoint"]["name"]) == ("Person", "Employee")
    assert response.headers["X-Truncated"] == "true"


@pytest.mark.parametrize(
    ("word", "direction"),
    [
        ("backward", "up"),
        ("Incoming", "up"),
        ("forward", "down"),
        ("OUTGOING", "down"),
        ("both", "both"),
        ("BOTH", "both"),
    ],
)
def test_directions_are_the_designs_words_or_cdaps_in_any_case(word, direction):
    api = an_api({(EMPLOYEE, ("name",), WINDOW, direction): a_detail()})

    response = get(api, detail_of("ns", "Employee", "name"), {**RANGE, "direction": word})

    assert len(response.form["nodes"]) == 3


def test_fields_in_fields_are_paths_with_slashes():
    api = an_api({(EMPLOYEE, ("employees", "a/b"), WINDOW, "both"): a_detail()})

    assert get(api, detail_of("ns", "Employee", r"employees/a\/b"), RANGE).form["nodes"]


REQUESTED = {"fieldName": "uniqueId", "startTimeInSeconds": 1442863938, "endTimeInSeconds": 1442881938}


@pytest.mark.parametrize(
    ("path", "empty"),
    [
        (EVERY_ROUTE[0], []),
        (EVERY_ROUTE[1], {"nodes": [], "operations": [], "connections": []}),
        (EVERY_ROUTE[2], {**REQUESTED, "fieldName": "id", "paths": []}),
    ],
)
def test_what_is_not_known_is_empty(path, empty):
    response = get(an_api(), path, RANGE)

    assert (response.status, response.form) == (200, empty)


@pytest.mark.parametrize("path", EVERY_ROUTE)
@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ({}, "start: must be whole seconds"),
        ({"start": 1}, "end: must be whole seconds"),
        ({"end": 1}, "start: must be whole seconds"),
        ({"start": -100, "end": 1}, "start: must be whole seconds"),
        ({"start": "now-1x", "end": "now"}, "start: must be whole seconds"),
        ({"start": 1, "end": "NOW"}, "end: must be whole seconds"),
        ({"start": 1, "end": "9" * 12}, "end: must be within the years 1 to 9999"),
        ({"start": 2, "end": 1}, "end: must not be before start (2)"),
        ({"start": "now", "end": "now-1s"}, "end: must not be before start (now)"),
        ({"start": ["1", "2"], "end": 3}, "start: must be given once"),
    ],
)
def test_a_bad_range_is_400_and_says_why(path, query, fault):
    response = get(an_api(), path, query)

    assert (response.status, response.form["code"]) == (400, 400)
    assert response.form["message"].startswith(fault)


def test_a_plus_may_come_unencoded():
    api = an_api({(EMPLOYEE, DAY, 10): Mappings((a_mapping(),))})

    assert get(api, mappings_of("ns", "Employee"), {"start": "now-2d 1d", "end": "now"}).form


def test_a_response_above_4_mb_is_behind_a_link():
    links = HeldLinks()
    pairs = tuple(((f"{number:02000}",), (f"{number:02000}",)) for number in range(1_100))
    api = an_api({(EMPLOYEE, WINDOW, 10): Mappings((a_mapping(pairs=pairs),), truncated=True)}, links=links)

    response = get(api, mappings_of("ns", "Employee"), RANGE)

    assert (response.status, response.headers["Location"], response.headers["X-Truncated"]) == (303, LINK, "true")
    ((body, content_type),) = links.held
    assert (len(orjson.loads(body)[0]["fieldmap"]), content_type) == (1_100, "application/json")
