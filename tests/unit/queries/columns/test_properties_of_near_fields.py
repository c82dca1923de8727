"""The results that CDAP itself has are the model's, for all statements in any order."""

from hypothesis import given
from hypothesis import strategies as st

from headwater.queries.service import LineageQueries
from tests.examples import examples
from tests.fields_model import FieldModel
from tests.fields_model.relations import recorded_operations
from tests.runs_model.results import rendered
from tests.unit.facts.strategies import DATASETS, arrivals
from tests.unit.queries.columns.every_column_query import WINDOWS
from tests.unit.queries.columns.strategies import COLUMNS, streams
from tests.unit.queries.every_query import differences, loaded

DIRECTIONS = ("up", "down", "both")
PATHS = [tuple(path.split(".")) for path in (*COLUMNS, "co2")]
# The names that the strategies give to operations; those derived of other facets have others.
_RECORDED = {"read0", "read1", "wash", "hash", "join", "write0", "write1"}


def every_result(queries):
    """Return the results as JSON text by query."""
    results = {}
    for dataset in DATASETS:
        for time_range in WINDOWS:
            about = f"{dataset} {time_range}"
            for current in (False, True):
                results[f"list_fields {about} {current}"] = queries.list_fields(dataset, time_range, current=current)
            for way in DIRECTIONS:
                results[f"summarize_dataset {about} {way}"] = queries.summarize_dataset(dataset, time_range, way)
                for path in PATHS:
                    summary = queries.summarize_field(dataset, path, time_range, way)
                    results[f"summarize_field {about} {path} {way}"] = summary
            for levels in (1, 2, 9):
                for rolled_up in (False, True):
                    accesses = queries.find_accesses(dataset, time_range, levels=levels, rolled_up=rolled_up)
                    results[f"find_accesses {about} {levels} {rolled_up}"] = accesses
    return {query: rendered(result) for query, result in results.items()}


@examples(40)
@given(st.data())
def test_every_result_is_that_of_the_model(data):
    statements = data.draw(streams())
    table = loaded(*data.draw(arrivals(statements)))
    assert differences(every_result(LineageQueries(table)), every_result(FieldModel(statements))) == {}


@examples(40)
@given(streams())
def test_recorded_operations_are_whole_each_set_once_with_the_last_run_of_each_job(statements):
    queries, world = LineageQueries(loaded(statements)), FieldModel(statements).world
    for dataset in DATASETS:
        for path in PATHS:
            for time_range in WINDOWS:
                operations = queries.find_operations(dataset, path, time_range, "both")
                for way, side in (("up", operations.incoming), ("down", operations.outgoing)):
                    assert _recorded(side) == recorded_operations(world, dataset, path, time_range, way)


def _recorded(side):
    named = [
        (sorted(operation.name for operation in operation_set.operations), sorted(operation_set.jobs, key=repr))
        for operation_set in side
    ]
    return sorted(((names, jobs) for names, jobs in named if _RECORDED.issuperset(names)), key=repr)


@examples(40)
@given(streams())
def test_operations_come_in_the_order_of_execution_newest_set_first(statements):
    queries = LineageQueries(loaded(statements))
    for dataset in DATASETS:
        for path in PATHS:
            operations = queries.find_operations(dataset, path, WINDOWS[0], "both")
            for operation_set in (*operations.incoming, *operations.outgoing):
                places = {operation.name: place for place, operation in enumerate(operation_set.operations)}
                origins = [
                    (taken.origin, operation.name)
                    for operation in operation_set.operations
                    for taken in getattr(operation, "inputs", ())
                ]
                assert all(places[origin] < places[name] for origin, name in origins if origin in places)
            for side in (operations.incoming, operations.outgoing):
                lasts = [operation_set.jobs[0].started for operation_set in side if operation_set.jobs]
                assert lasts == sorted(lasts, reverse=True)
