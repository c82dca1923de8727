"""Reads in a plan that no name of the statement says, by plans as Spark 4.3 prints them."""

from __future__ import annotations

import pytest

from spark_client.capturing.connect.columns.frames import Nodes
from spark_client.capturing.connect.columns.texts import VARIABLE, Texts
from spark_client.capturing.connect.hidden_reads import calls_unknown, tables_in, variables_in
from spark_client.capturing.connect.literal_risks import risks_of
from spark_client.capturing.connect.plan_texts import PlanText, parse_analyzed_text, parse_plan_text
from spark_client.capturing.connect.reads import TableRead, UnknownRead, VariableRead

EXPLAINED = """== Parsed Logical Plan ==
'Project [unresolvedalias('seats_of('tailnum)), 'z AS far#1]
+- 'UnresolvedRelation [flights], [], false

== Analyzed Logical Plan ==
seats_of(tailnum): int, far: int
Project [seats_of(a#161) AS seats_of(tailnum)#160, variablereference(system.session.z=3) AS far#1]
:  +- Aggregate [max(seats#61) AS max(seats)#165]
:     +- Filter ((tailnum#60 = outer(a#161)) AND (seats#61 < variablereference(system.session.`a.b`=CAST(NULL AS INT))))
:        +- SubqueryAlias spark_catalog.default.planes
:           +- Relation spark_catalog.default.planes[tailnum#60,seats#61] parquet
:              +- Relation [id#7] parquet
+- Project [carrier#39, tailnum#43, cast(tailnum#43 as string) AS a#161]
   +- SubqueryAlias spark_catalog.default.flights
      :- Relation spark_catalog.default.flights[carrier#39,tailnum#43] parquet
      :- View (`spark_catalog`.`default`.`few`, [x#3])
      :  +- Relation spark_catalog.default.inside[x#3] parquet
      :- RelationV2[s#55, d#56] rows.counted rows.counted
      +- HiveTableRelation [`spark_catalog`.`default`.`old`, org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe]
"""


def _analyzed() -> PlanText:
    root = parse_analyzed_text(EXPLAINED)
    assert root is not None
    return root


def test_variables_of_a_plan_are_its_subqueries_too() -> None:
    assert set(variables_in(_analyzed())) == {VariableRead("z"), VariableRead("a.b")}


def test_tables_and_files_beside_those_that_are_known() -> None:
    assert set(tables_in(_analyzed(), {"spark_catalog.default.flights"}, files=1)) == {
        TableRead(("spark_catalog", "default", "planes")),
        TableRead(("spark_catalog", "default", "few")),
        TableRead(("spark_catalog", "default", "old")),
        TableRead(("rows", "counted")),
    }
    assert UnknownRead("SQL: files that a function reads") in tables_in(_analyzed(), set(), files=0)


@pytest.mark.parametrize(
    ("called", "is_unknown"),
    [("'seats_of('tailnum)", True), ("'max('seats)", False), ("'db.f(1)", True), ("cast('a as int)", False)],
)
def test_functions_that_are_not_sparks_may_read(called: str, is_unknown: bool) -> None:
    parsed = parse_plan_text(f"== Parsed Logical Plan ==\n'Project [unresolvedalias({called})]\n+- OneRowRelation")
    assert parsed is not None
    assert calls_unknown(parsed) is is_unknown


@pytest.mark.parametrize("value", ["3", "CAST(NULL AS INT)", "'it)'", r"'it\')'", "MAP('a(', 1)", "''"])
def test_a_variables_value_is_no_part_of_its_expression(value: str) -> None:
    texts = Texts(Nodes(), risks_of("SELECT v + 1 AS x FROM t"))
    marked = texts.marked(f"(variablereference(system.session.v={value}) + 1) AS x#9")
    assert marked == f"({VARIABLE}session0; + 1) AS x#9"
