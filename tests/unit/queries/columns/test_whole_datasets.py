"""Sources of a dataset as a whole are held once: readers take no longer for more columns."""

import pytest

from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater.facts.apply import apply_statements
from headwater.queries.service import LineageQueries
from headwater_model.ids import DatasetId
from tests.builders_events import AT_NOON, a_run_event
from tests.fakes.memory_table import MemoryTable
from tests.work import calls_of

LAKE = "s3://lake"


def a_table_of(number):
    """A dataset of so many columns, each made of one of its own and, as all of them, of as many others."""
    named = {"namespace": LAKE, "name": "raw"}
    fields = {f"c{place}": {"inputFields": [{**named, "field": f"own{place}"}]} for place in range(number)}
    facet = {"fields": fields, "dataset": [{**named, "field": f"key{place}"} for place in range(number)]}
    output = {"namespace": LAKE, "name": "checked", "facets": {"columnLineage": facet}}
    table = MemoryTable()
    apply_statements([parse_event(a_run_event(inputs=[], outputs=[output]), NamingRules(), now=None)], table)
    return table


TABLES = {number: a_table_of(number) for number in (100, 400)}


@pytest.mark.parametrize(
    "read",
    [
        lambda queries: queries.columns_of([DatasetId(LAKE, "checked")]),
        lambda queries: queries.find_columns(f"dataset:{LAKE}:checked", depth=1),
        lambda queries: queries.find_columns(f"dataset:{LAKE}:raw", depth=1, downstream=True),
        lambda queries: queries.find_columns(f"dataset:{LAKE}:checked", depth=1, at=f"{AT_NOON[:-1]}.000001Z"),
        lambda queries: queries.report_column_impact(f"datasetField:{LAKE}:raw:key7", depth=1),
    ],
    ids=["resource", "upstream", "downstream", "point in time", "impact"],
)
def test_readers_take_as_long_as_there_are_columns(read):
    few, many = (calls_of(lambda table=table: read(LineageQueries(table))) for table in TABLES.values())
    assert many <= 5 * few
