"""Contents of histories, stored once: what an event writes, and that a reader gets what was written."""

import random
import zlib

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.events.event import DatasetUse, Event
from headwater.facts.apply import apply_statements
from headwater.facts.contents import HISTORY_BYTES_MAX
from headwater.facts.facts import DatasetFacts, JobFacts, RunFacts, join, to_json
from headwater.facts.keys import facts_key
from headwater.facts.lattice import history_of
from headwater.facts.table import Row, Swap
from headwater.queries.service import LineageQueries
from headwater_model.errors import Unavailable
from headwater_model.ids import DatasetId, JobId
from local_stack.aws.item_sizes import item_bytes
from tests.fakes.memory_dynamodb import Calls
from tests.fakes.memory_table import MemoryTable
from tests.unit.facts.loaders import Killed
from tests.unit.facts.strategies import RUNS, stamped

JOB, TABLE = JobId("lake", "write"), DatasetId("s3://lake", "wide")
KEY = facts_key(TABLE)


def a_schema(number, columns=1_500):
    """Return a schema with descriptions that no other number has: 1,500 columns have 105 KB, packed a third."""
    dice = random.Random(number)
    return {"fields": [{"name": f"c{n}", "description": f"{dice.getrandbits(160):040x}"} for n in range(columns)]}


def an_event(number, schema, *, run=RUNS[0], kind="RUNNING"):
    use = DatasetUse(TABLE, facets={"schema": schema})
    return stamped(
        Event(
            kind="RUN",
            time=f"2025-11-20T12:{number // 60:02}:{number % 60:02}.000000Z",
            hash="",
            type=kind,
            run=run,
            job=JOB,
            outputs=(use,),
        )
    )


def written(table, *events):
    """Load the events; return the bytes that are new in the table and bucket, and the units that writes cost."""
    before = {item_key(item): item for item in table.dynamo.items()}
    table.dynamo.calls = calls = Calls()
    apply_statements(events, table)
    changed = [item for item in table.dynamo.items() if before.get(item_key(item)) != item]
    return sum(item_bytes(item) for item in changed), calls.write_units


def item_key(item):
    return item["pk"]["S"], item["sk"]["S"]


def contents(table):
    return [item for item in table.dynamo.items() if item["sk"]["S"] == "CONTENT"]


def test_an_event_writes_a_large_content_once_however_many_came_before():
    table, content_bytes = MemoryTable(), len(zlib.compress(orjson.dumps(a_schema(0))))
    spent = [written(table, an_event(number, a_schema(number)))[0] for number in range(12)]
    assert max(spent[1:]) < 1.2 * content_bytes
    assert len(contents(table)) == 12


def test_a_steady_schema_is_written_once_whatever_runs_report_it():
    table, schema = MemoryTable(), a_schema(1, columns=500)
    first, _ = written(table, an_event(0, schema, run=RUNS[0], kind="COMPLETE"))
    again, units = written(table, an_event(1, schema, run=RUNS[1], kind="COMPLETE"))
    assert len(contents(table)) == 1
    assert again < first / 3
    assert units < 60


def test_a_reader_gets_the_contents_that_were_set_apart():
    table, schema = MemoryTable(), a_schema(1)
    apply_statements([an_event(0, schema, kind="COMPLETE")], table)
    assert LineageQueries(table).find_dataset(TABLE).fields == schema["fields"]
    [version] = LineageQueries(table).list_dataset_versions(TABLE, limit=10, offset=0).items
    assert version.fields == schema["fields"]


def test_a_content_is_stored_before_the_facts_that_refer_to_it():
    """A loader that dies before the facts leaves a content; the same event, again, completes the work."""
    table, event = MemoryTable(), an_event(0, a_schema(1), kind="COMPLETE")
    write, table.dynamo.transact_write_items = table.dynamo.transact_write_items, die
    with pytest.raises(Killed):
        apply_statements([event], table)
    assert contents(table)
    assert table.get([KEY]) == {}
    table.dynamo.transact_write_items = write
    apply_statements([event], table)
    assert len(LineageQueries(table).find_dataset(TABLE).fields) == 1_500


def die(**_):
    raise Killed


def test_a_content_that_is_missing_fails_the_read():
    table = MemoryTable()
    apply_statements([an_event(0, a_schema(1))], table)
    [item] = contents(table)
    del table.dynamo._partitions[item["pk"]["S"]]
    with pytest.raises(Unavailable, match="1 contents"):
        table.get([KEY])


bodies = st.builds(
    lambda text, times: {"text": text * times}, st.text("ab", min_size=1, max_size=3), st.sampled_from([1, 90, 999])
)
stamps = st.integers(0, 5).map(lambda second: f"2025-11-20T12:00:0{second}.000000Z#a")
facets = st.dictionaries(st.sampled_from(["schema", "tags", "mine"]), st.builds(history_of, bodies, stamps), max_size=2)
by_dataset = st.dictionaries(st.sampled_from(["ns\0a", "ns\0b"]), facets, max_size=2)
FACTS = {
    "run": st.builds(
        RunFacts, run_facets=facets, job_facets=facets, written_facets=by_dataset, input_facets=by_dataset
    ),
    "job": st.builds(JobFacts, facets=facets),
    "dataset": st.builds(DatasetFacts, facets=facets, read_schemas=facets, written_schemas=facets),
}


@pytest.mark.parametrize("kind", FACTS)
@given(data=st.data())
def test_facts_are_read_as_they_were_joined_wherever_their_contents_lie(kind, data):
    """Each facts are swapped over the facts read before, as loaders do."""
    table, whole = MemoryTable(), None
    for number, facts in enumerate(data.draw(st.lists(FACTS[kind], min_size=1, max_size=6))):
        stored = type(facts)(**table.get([KEY])[KEY].data["facts"]) if number else type(facts)()
        whole = join(stored, facts)
        assert table.swap([Swap(Row(*KEY, {"id": "x", "facts": to_json(whole)}, number))]) == [True]
        assert table.get([KEY])[KEY].data == {"id": "x", "facts": to_json(whole)}
    row = next(item for item in table.dynamo.items() if item_key(item) == KEY)
    assert len(row.get("json", row.get("body"))) < 40 * HISTORY_BYTES_MAX
