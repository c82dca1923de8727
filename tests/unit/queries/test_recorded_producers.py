"""Events as real producers sent them, recorded, with the answers to their columns; their graph: tests/e2e/aws_week.

`producers/trino_476.jsonl`: Trino 476 with its OpenLineage event listener, over its memory and TPC-H connectors: a
table made of two, an INSERT that joins three, a view, and a table made of the view. What the listener says of the query
(its plan, statistics and user) is left out.
"""

from pathlib import Path

import orjson

from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater.queries.service import LineageQueries
from tests.unit.queries.every_query import loaded

TRINO = "trino://trino.example:443"


def queries_over(name):
    lines = (Path(__file__).parent / "producers" / name).read_bytes().splitlines()
    return LineageQueries(loaded([parse_event(orjson.loads(line), NamingRules(), now=None) for line in lines]))


def test_trinos_columns_lead_through_the_view_to_the_first_table():
    columns = queries_over("trino_476.jsonl").find_columns(f"datasetField:{TRINO}:memory.default.top:nation", depth=20)
    named = [node for node in columns.columns if node.field == ("nation",)]
    sources = {node.dataset.name: {source.dataset.name for source in node.inputs} for node in named}

    assert sources["memory.default.top"] == {"memory.default.europe"}
    assert sources["memory.default.europe"] == {"memory.default.sales"}
    assert sources["memory.default.sales"] == {"memory.default.nations"}
    assert sources["memory.default.nations"] == {"tpch.tiny.nation"}
