"""Self-test of a capture: plans of this Spark give the known lineage.

Another version of Spark may rename the parameters of its plan nodes; a write would lose its filters or joins. So the
names are compared, which takes milliseconds. If a name is missing, or the release is untested, small queries are
analyzed, never run, and their plans read. The first use of Spark's analyzer takes a second.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from headwater_model.columns import ColumnSource
from headwater_model.ids import DatasetId
from spark_client.capturing.jvm.executions import Executions
from spark_client.capturing.plans.operators import RowsLineage
from spark_client.capturing.plans.plan import Node
from spark_client.capturing.plans.values import IDENTITY, Dependency, TooLarge, Value
from spark_client.capturing.plans.walk import PlanWalk

_TABLES = {"t": "VALUES (1, 2) AS t(a, b)", "u": "VALUES (1, 3) AS u(d, e)"}
_TESTED = DatasetId("headwater", "self-test")


@dataclass(frozen=True, slots=True)
class Check:
    """Query of the tables `t` and `u`, and its lineage: sources of each column and of all rows, as in `a IDENTITY`."""

    name: str
    sql: str
    columns: tuple[str, ...]
    rows: str = ""


CHECKS = (
    Check("projection", "SELECT a, a + b AS c FROM {t}", ("a IDENTITY", "a TRANSFORMATION, b TRANSFORMATION")),
    Check("filter", "SELECT a FROM {t} WHERE b > 1", ("a IDENTITY",), "b FILTER"),
    Check("join", "SELECT a, e FROM {t} JOIN {u} ON a = d", ("a IDENTITY", "e IDENTITY"), "a JOIN, d JOIN"),
    Check("aggregate", "SELECT a, sum(b) FROM {t} GROUP BY a", ("a IDENTITY", "b AGGREGATION"), "a GROUP_BY"),
    Check("window", "SELECT row_number() OVER (PARTITION BY a ORDER BY b) FROM {t}", ("a WINDOW, b WINDOW",)),
    Check("condition", "SELECT CASE WHEN a > 1 THEN b ELSE 0 END FROM {t}", ("a CONDITIONAL, b TRANSFORMATION",)),
    Check("union", "SELECT a FROM {t} UNION ALL SELECT d FROM {u}", ("a IDENTITY, d IDENTITY",)),
    Check("distinct", "SELECT DISTINCT a FROM {t}", ("a IDENTITY",), "a GROUP_BY"),
    Check("sort", "SELECT a FROM {t} ORDER BY b", ("a IDENTITY",), "b SORT"),
    Check("subquery", "SELECT a FROM {t} WHERE b IN (SELECT d FROM {u})", ("a IDENTITY",), "b FILTER, d FILTER"),
    Check(
        "generator",
        "SELECT c FROM {t} LATERAL VIEW explode(array(a, b)) AS c",
        ("a TRANSFORMATION, b TRANSFORMATION",),
    ),
    Check("field", "SELECT s.p FROM (SELECT named_struct('p', a, 'q', b) AS s FROM {t})", ("a IDENTITY",)),
    Check(
        "common table",
        "WITH w AS (SELECT a, b FROM {t}) SELECT l.a FROM w l JOIN w r ON l.a = r.b",
        ("a IDENTITY",),
        "a JOIN, b JOIN",
    ),
)


def find_failures(spark: Executions) -> tuple[str, ...]:
    """List missing parameters and failed checks: `("Filter.condition", "filter")`."""
    lacking = spark.lacking()
    return lacking if spark.is_tried and not lacking else (*lacking, *find_misread(spark.analyze))


def find_misread(read: Callable[[str], Node]) -> tuple[str, ...]:
    """List the checks with another lineage than known: `("filter",)`; `read` analyzes a query."""
    return tuple(check.name for check in CHECKS if not _is_right(check, read))


def _is_right(check: Check, read: Callable[[str], Node]) -> bool:
    try:
        relation = PlanWalk(_leaf).relation(read(check.sql.format_map(_TABLES)))
    except TooLarge:
        return True  # the machine is busy: nothing is known
    except (AttributeError, LookupError, TypeError, ValueError):  # a plan with an unknown shape
        return False
    return tuple(_sources(value.made_of) for value in relation.values) == check.columns and (
        _sources(relation.rows) == check.rows
    )


def _leaf(node: Node) -> RowsLineage:
    """Make a table of the queries: each column is its own source."""
    return RowsLineage(tuple((column.text("exprId") or "", _column(column)) for column in node.nodes("output")))


def _column(column: Node) -> Value:
    return Value(frozenset({Dependency(ColumnSource(_TESTED, (column.text("name") or "",)), IDENTITY)}))


def _sources(dependencies: frozenset[Dependency]) -> str:
    return ", ".join(sorted(f"{'.'.join(each.source.field or ())} {each.how.subtype}" for each in dependencies))
