"""Searches by words, against a plain look at all names; their cost; and their hits for limited callers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.events.event import DatasetUse, Event
from headwater.facts.apply import apply_statements
from headwater.facts.facts import JobFacts, text_of, to_json
from headwater.facts.keys import facts_key
from headwater.facts.table import Row
from headwater.facts.visibility import Visibility
from headwater.facts.words import ROWS_MAX, name_rows
from headwater.queries.lists.name_search import CHECKED_MAX
from headwater.queries.service import LineageQueries
from headwater_model.ids import DatasetId, JobId
from tests.examples import examples
from tests.fakes.memory_dynamodb import Calls
from tests.fakes.memory_table import MemoryTable
from tests.runs_model.catalogues import holds
from tests.unit.facts.strategies import TIMES, stamped

NAMESPACES = ("silver/shop", "s3://gold-2", "teamA")
OWN = ("orders", "Orders", "ordersDaily", "gold.orders", "order_items", "v2", "shop", "a.b-c", "...", "tblOrders2025")
FIELDS = ("customer_id", "customerId", "id", "address.zip", "orders", "v2")
# Further columns without a typed word. Columns of a wide schema share rows: by two letters, by one, by none.
FURTHER = (
    (),
    tuple(f"k{letter}{number}" for letter in "lmnp" for number in range(12)),
    tuple(f"{first}{second}" for first in "klmnpqtuw" for second in "klmnpqtuw"),
    tuple(chr(0x4E00 + number) for number in range(60)),
)
TYPED = (
    "orders",
    "ORD",
    "daily orders",
    "orders.customer_id",
    "id",
    "2",
    "2025 ord",
    "shop",
    "silver or",
    "b a",
    "-",
    "rders",
)


def an_event(namespace, job, dataset, fields, time=TIMES[0]):
    schema = {"fields": [{"name": name} for name in fields]}
    output = DatasetUse(DatasetId(namespace, dataset), facets={"schema": schema} if fields else {})
    return stamped(Event(kind="JOB", time=time, hash="", job=JobId(namespace, job), outputs=(output,)))


events = st.builds(
    an_event,
    st.sampled_from(NAMESPACES),
    st.sampled_from(OWN),
    st.sampled_from(OWN),
    st.builds(
        lambda fields, further: (*fields, *further),
        st.lists(st.sampled_from(FIELDS), max_size=3, unique=True),
        st.sampled_from(FURTHER),
    ),
    st.sampled_from(TIMES),
)


@examples(100)
@given(st.lists(events, max_size=8), st.sampled_from(TYPED), st.sampled_from((None, *NAMESPACES)), st.data())
def test_a_search_finds_what_a_look_at_every_name_finds_and_nothing_that_its_caller_may_not_see(
    sent, typed, namespace, data
):
    covered = data.draw(st.sets(st.sampled_from(NAMESPACES)))
    named = data.draw(st.sampled_from((tuple(covered), ("*",))))
    table = MemoryTable()
    for event in data.draw(st.permutations([*sent, *sent[:2]])):
        apply_statements([event], table, changes_max=1)
    queries = LineageQueries(table, Visibility(covered.__contains__, named))

    hits = queries.search(typed, kind=None, sort="relevance", limit=100, namespace=namespace)
    columns = queries.search_columns(typed, sort="name", limit=100, namespace=namespace)

    namespaces = {name for name in covered if namespace in (None, name)}
    names = {name for event in sent for name in (event.job, event.outputs[0].dataset) if name.namespace in namespaces}
    assert {hit.id for hit in hits.items} == {
        name for name in names if holds(typed, name.namespace, name.name) and holds_own(typed, name.name)
    }
    fields = {
        (event.outputs[0].dataset, field["name"])
        for event in sent
        if event.outputs[0].dataset.namespace in namespaces
        for field in event.outputs[0].facets.get("schema", {"fields": ()})["fields"]
    }
    expected = {
        (dataset, field)
        for dataset, field in fields
        if holds(typed, dataset.namespace, dataset.name, field) and holds_own(typed, field)
    }
    columns_hit = {(hit.dataset, ".".join(hit.field)) for hit in columns.items}
    # A column missing from a later schema is gone.
    assert columns_hit <= expected
    assert {column for column in expected if column[1] in columns_now(queries, column[0])} <= columns_hit
    assert (hits.total, columns.total) == (len(hits.items), len(columns.items))
    assert not hits.truncated
    assert not columns.truncated


def holds_own(typed, own):
    """True if any typed word is in the name itself."""
    return any(holds(word, own) for word in typed.replace(".", " ").replace("_", " ").split() if word.isalnum())


def columns_now(queries, dataset):
    return {field["name"] for field in queries.find_dataset(dataset).fields}


def a_table_of(number):
    """A table of `number` jobs with the word `job`, and of the needle."""
    table = MemoryTable()
    apply_statements([an_event("teamA", "needle_job", "d", ("wanted",))], table)
    for place in range(number):
        job = JobId(f"team-{place % 7}", f"job-{place:05}.load")
        facts = {"id": text_of(job), "facts": to_json(JobFacts(first=TIMES[0], last=TIMES[0]))}
        table.put((*name_rows(job), Row(*facts_key(job), facts)))
    return table


@pytest.fixture(scope="module")
def tables():
    return {number: a_table_of(number) for number in (100, 10_000)}


def cost_of(table, query):
    table.dynamo.calls = calls = Calls()
    table.calls.clear()
    result = query(LineageQueries(table))
    return result, (sum(calls.requests.values()), table.rounds), calls.read_units


@pytest.mark.large
@pytest.mark.parametrize(
    "query",
    [
        lambda queries: queries.search("needle", kind=None, sort="relevance", limit=10),
        lambda queries: queries.search("00042", kind="job", sort="name", limit=10),
        lambda queries: queries.search("job", kind="job", sort="name", limit=10, namespace="teamA"),
        lambda queries: queries.search_columns("wanted", sort="name", limit=10),
    ],
)
def test_a_search_costs_the_same_at_a_hundred_names_as_at_ten_thousand(tables, query):
    (few, *cost_of_few), (many, *cost_of_many) = (cost_of(table, query) for table in tables.values())

    assert cost_of_few == cost_of_many
    assert (few, few.total, few.truncated) == (many, 1, False)


@pytest.mark.large
def test_a_word_that_every_name_has_reads_so_many_rows_and_says_that_there_are_more(tables):
    query = lambda queries: queries.search("job", kind="job", sort="relevance", limit=10)  # noqa: E731 - a question
    (few, requests_of_few, _), (many, requests_of_many, units) = (cost_of(table, query) for table in tables.values())

    assert requests_of_few == requests_of_many
    assert (few.total, few.truncated, many.total, many.truncated) == (101, False, ROWS_MAX, True)
    # A row of the index is about 200 bytes; a page of ten is read by ten facts.
    assert units <= ROWS_MAX * 200 / 4096 + 20
    assert many.items[0].id.name == "needle_job"


@pytest.mark.large
def test_a_row_whose_loader_died_before_the_facts_is_on_no_page():
    table = MemoryTable()
    table.put(row for place in range(CHECKED_MAX + 5) for row in name_rows(JobId("n", f"ghost-{place:03}")))
    apply_statements([an_event("n", "ghost-x", "d", ())], table)

    hits = LineageQueries(table).search("ghost", kind=None, sort="name", limit=10)

    assert ([hit.id.name for hit in hits.items], hits.total) == (["ghost-x"], 1)
