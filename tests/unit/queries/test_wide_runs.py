"""Runs of thousands of datasets: the cost of loads and queries, and the progress of a load that dies."""

import hashlib
import random
from collections import Counter
from functools import cache

import pytest

from headwater.events.event import DatasetUse, Event
from headwater.facts.apply import apply_statements
from headwater.queries.service import LineageQueries
from headwater_model.ids import DatasetId, JobId
from headwater_model.operation_checks import NAME_MAX_BYTES
from tests.fakes.memory_dynamodb import Calls
from tests.fakes.memory_table import MemoryTable
from tests.unit.facts.loaders import Killed, SteppedTable
from tests.unit.facts.strategies import RUNS, TIMES, stamped

pytestmark = pytest.mark.large

READER, WRITER = JobId("lake", "read_all"), JobId("lake", "write_all")
LATER = "2025-11-21T00:00:00.000000Z"


def parts(count):
    return tuple(DatasetUse(DatasetId("s3://lake", f"part-{number:05}")) for number in range(count))


def a_run(run, job, time=TIMES[2], **sides):
    return stamped(Event(kind="RUN", time=time, hash="", type="COMPLETE", run=run, job=job, **sides))


class World:
    """A table over a DynamoDB in memory, with a count of requests."""

    def __init__(self):
        self.table = MemoryTable()
        self.dynamo = self.table.dynamo
        self.queries = LineageQueries(self.table)

    def load(self, *events):
        """Load the events; count the requests by operation."""
        self.dynamo.calls = calls = Calls()
        apply_statements(events, self.table)
        return calls.requests

    def measure(self, query, *about, **how):
        """Run a query; return its result and the number of its requests."""
        self.dynamo.calls = calls = Calls()
        return query(*about, **how), calls.reads


@cache
def a_world_that_read(count):
    """Make a world, only for queries: a run with `count` inputs."""
    world = World()
    world.load(a_run(RUNS[0], READER, inputs=parts(count)))
    return world


@pytest.mark.parametrize("count", [500, 2_000])
def test_loading_a_run_costs_a_transaction_for_twelve_datasets_and_little_else(count):
    world = World()
    spent = world.load(a_run(RUNS[0], READER, inputs=parts(count)))
    # A transaction for twelve new names, and for each hundred of them on the move into the catalogue.
    assert spent["TransactWriteItems"] <= count / 12 + count / 80 + 15
    # Seven rows a dataset: three of its own, a row of its day, two of the words of its name, and a row of the namespace
    # for the new word. Its name moves into the catalogue unwritten.
    assert spent["BatchWriteItem"] <= 7 * count / 25 + 10
    # Three for a hundred new names, among them the words of namespaces, read before they are put.
    assert spent["Query"] + spent["BatchGetItem"] <= count / 30 + 20


def a_long_name(number):
    """Make a dataset of the longest name, without patterns for compression."""
    digits = "".join(hashlib.sha256(f"{number} {part}".encode()).hexdigest() for part in range(32))
    return DatasetId("s3://lake", digits[:NAME_MAX_BYTES])


@pytest.mark.parametrize("count", [22, 23, 99, 300])
def test_no_run_is_too_wide_for_a_transaction_whatever_its_names(count):
    """The table in memory refuses transactions of more than 4 MB, as DynamoDB does."""
    world = World()
    uses = [DatasetUse(a_long_name(number)) for number in range(2 * count)]
    world.load(a_run(RUNS[0], READER, inputs=tuple(uses[:count]), outputs=tuple(uses[count:])))
    job = world.queries.find_job(READER)
    assert (len(job.inputs), len(job.outputs)) == (count, count)


def test_a_run_that_leaves_a_thousand_datasets_takes_its_edges_along():
    world = World()
    world.load(a_run(RUNS[0], READER, inputs=parts(1_000)))
    world.load(a_run(RUNS[1], READER, time=TIMES[3], inputs=parts(2)))
    assert len(world.queries.find_job(READER).inputs) == 2
    left = [item for item in world.dynamo.items() if item["sk"]["S"].startswith("NOW#READER#")]
    assert len(left) == 2


def test_loading_a_wide_run_gets_on_from_one_attempt_to_the_next():
    """A function runs into its time-out each time, after nine tenths of all its rows.

    The index rows of the run come before all else, and are written anew until its facts are: with the rows of words,
    they are three in four.
    """
    dice, event = random.Random(1), a_run(RUNS[0], READER, inputs=parts(300))
    whole = Counter()
    apply_statements([event], SteppedTable(MemoryTable().dynamo, lambda _=None: whole.update("s"), dice))
    table, attempts = MemoryTable(), 0
    while attempts < 5:
        attempts += 1
        if applied(event, table, whole["s"] * 9 // 10, dice):
            break
    assert attempts > 1
    assert len(LineageQueries(table).find_job(READER).inputs) == 300
    assert len(LineageQueries(table).find_graph(READER.node_id, depth=0).datasets) == 300


def applied(event, table, steps, dice):
    """True if the event was loaded before so many rows were read or written."""
    left = [steps]

    def step(_late=None):
        left[0] -= 1
        if left[0] < 0:
            raise Killed

    try:
        apply_statements([event], SteppedTable(table.dynamo, step, dice))
    except Killed:
        return False
    return True


@pytest.mark.parametrize("at", [None, LATER])
@pytest.mark.parametrize("depth", [0, 20])
def test_a_graph_costs_what_it_shows_and_little_where_nobody_wrote_the_datasets(at, depth):
    world = a_world_that_read(1_000)
    graph, spent = world.measure(world.queries.find_graph, READER.node_id, depth=depth, at=at)
    assert len(graph.datasets) == 1_000
    # A query for each dataset looks for further readers.
    assert spent <= (1_000 if depth else 0) + 40


def test_a_run_costs_nothing_for_inputs_that_nobody_wrote_or_described():
    world = a_world_that_read(1_000)
    run, spent = world.measure(world.queries.find_run, RUNS[0])
    assert {read.resolved_by for read in run.inputs} == {"initial"}
    assert spent <= 30
