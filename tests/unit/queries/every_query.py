"""Every query of the few names of `strategies`, over the model and over the loaders' table."""

from headwater.events.event import Event
from headwater.events.naming import AS_SENT
from headwater.events.parse import with_sources
from headwater.facts.apply import apply_statements
from headwater.queries.service import LineageQueries
from headwater.settings import GRAPH_PARTITIONS
from tests.fakes.memory_table import MemoryTable
from tests.runs_model import Model
from tests.runs_model.results import every_result
from tests.unit.facts.strategies import DATASETS, JOBS, RUNS, TIMES

_OF_MANY = ("list_datasets", "list_failures", "search", "search_owned", "search_tagged")
# Two pasts are enough: in the middle, and near the end.
_TIMES = TIMES[2::2]


def loaded(*batches, changes_max=1):
    """Make a table of these batches of statements, its catalogue compacted often."""
    table = MemoryTable()
    for batch in batches:
        apply_statements(list(map(as_parsed, batch)), table, changes_max=changes_max)
    outside = {pk for pk in table.dynamo.partitions if not pk.startswith(GRAPH_PARTITIONS)}
    assert outside == set(), "the events function may write to these partitions alone"
    return table


def as_parsed(statement):
    """Make a statement as parsed: an event's sources of columns are among its inputs."""
    return with_sources(statement, AS_SENT) if isinstance(statement, Event) else statement


def results_of(table, times=_TIMES):
    return every_result(LineageQueries(table), jobs=JOBS, datasets=DATASETS, runs=RUNS, times=times)


def right_results(statements, times=_TIMES):
    """Compute the model's results of all queries with exact results for these statements.

    A known limit: lists and search heed the facts of a dataset's aliases (temporary, deleted), but not of aliases of
    aliases.
    """
    model = Model(statements)
    right = every_result(model, jobs=JOBS, datasets=DATASETS, runs=RUNS, times=times)
    if any(name in model.statements.aliases for name in model.statements.aliases.values()):
        right = {query: result for query, result in right.items() if not query.startswith(_OF_MANY)}
    return right


def differences(results, right):
    """List three differences by query at most: a wrong fact makes many wrong results."""
    wrong = [query for query in right if results.get(query) != right[query]]
    return {query: (results.get(query), right[query]) for query in wrong[:3]}
