"""Writes and reads of statements, by their parsed plans as Spark 4.3 prints them."""

from __future__ import annotations

import textwrap

import pytest

from spark_client.capturing.connect.plan_texts import parse_plan_text, reads_in
from spark_client.capturing.connect.printed_commands import command_node
from spark_client.capturing.connect.reads import SourceRead, TableRead, UnknownRead
from spark_client.capturing.connect.sql_statements import (
    Statement,
    View,
    find_database,
    find_immediate,
    find_statements,
    is_explainable,
    is_recursive,
)
from spark_client.capturing.datasets.statements import RULES
from tests.unit.spark_client.capturing.builders_nodes import CATALOGS


def a_plan(text: str):
    explained = f"== Parsed Logical Plan ==\n{textwrap.dedent(text).strip()}\n\n== Analyzed Logical Plan ==\nx: int\n"
    return parse_plan_text(explained)


def table(*name: str) -> TableRead:
    return TableRead(name)


def path(path: str, format_: str = "") -> SourceRead:
    return SourceRead(format_, (path,))


INSERT = "'InsertIntoStatement 'UnresolvedRelation [t], [__required_write_privileges__=INSERT]"
OVERWRITE = "'InsertIntoStatement 'UnresolvedRelation [db, t], [__required_write_privileges__=INSERT,DELETE]"
QUERY = """
+- 'Project [*]
   +- 'UnresolvedRelation [a], [], false"""
STATEMENTS = {
    "INSERT INTO t SELECT * FROM a": (
        f"{INSERT}, false, false, false, false, false{QUERY}",
        Statement("InsertIntoStatement", table("t"), (table("a"),)),
    ),
    "INSERT OVERWRITE db.t SELECT * FROM a": (
        f"{OVERWRITE}, false, true, false, false, false{QUERY}",
        Statement("InsertIntoStatement", table("db", "t"), (table("a"),), "OVERWRITE", by_partition=True),
    ),
    "INSERT OVERWRITE db.t PARTITION (d = 'x') SELECT * FROM a": (
        f"{OVERWRITE}, false, [d=Some(x)], true, false, false, false{QUERY}",
        Statement("InsertIntoStatement", table("db", "t"), (table("a"),), None, by_partition=True),
    ),
    "INSERT INTO t REPLACE WHERE d = 'x' SELECT * FROM a": (
        f"{OVERWRITE}, false, true, false, false, insertreplacewhere(('d = x)), false{QUERY}",
        Statement("InsertIntoStatement", table("db", "t"), (table("a"),), None, by_partition=True),
    ),
    "INSERT of Spark 3.5, with columns": (
        f"'InsertIntoStatement 'UnresolvedRelation [t], [], false, [x, y], true, false, false{QUERY}",
        Statement("InsertIntoStatement", table("t"), (table("a"),), "OVERWRITE", by_partition=True),
    ),
    "CREATE TABLE t USING parquet AS SELECT * FROM a": (
        """
        'CreateTableAsSelect unresolvedtablespec(Some(parquet), optionlist(), None, None), false, false
        :- 'UnresolvedIdentifier [c, db, t], false
        +- 'Project [*]
           +- 'UnresolvedRelation [a], [], false
        """,
        Statement("CreateTableAsSelect", table("c", "db", "t"), (table("a"),), "CREATE"),
    ),
    "CREATE OR REPLACE TABLE t AS SELECT * FROM a": (
        """
        'ReplaceTableAsSelect unresolvedtablespec(None, optionlist(), None, None, None, None, false), true, false
        :- 'UnresolvedIdentifier [t], false
        +- 'UnresolvedRelation [a], [], false
        """,
        Statement("ReplaceTableAsSelect", table("t"), (table("a"),), "OVERWRITE"),
    ),
    "INSERT OVERWRITE DIRECTORY": (
        f"'InsertIntoDir false, Storage(Location: s3a://lake/out, a), parquet, true{QUERY}",
        Statement("InsertIntoDir", path("s3a://lake/out, a"), (table("a"),), "OVERWRITE"),
    ),
    "INSERT OVERWRITE DIRECTORY of Hive": (
        "'InsertIntoDir false, Storage(Location: /out, Serde Library: x.Y, InputFormat: x.Z), hive, true" + QUERY,
        Statement("InsertIntoDir", path("/out"), (table("a"),), "OVERWRITE"),
    ),
    "MERGE INTO t USING a": (
        """
        'MergeIntoTable ('t.k = 'a.k), [updateaction(None, assignment('v, 'a.v))], [], [], false
        :- 'SubqueryAlias x
        :  +- 'UnresolvedRelation [t], [__required_write_privileges__=UPDATE], false
        +- 'UnresolvedRelation [a], [], false
        """,
        Statement("MergeIntoTable", table("t"), (table("t"), table("a"))),
    ),
    "DELETE FROM t WHERE k IN (SELECT k FROM a)": (
        """
        'DeleteFromTable 'k IN (list#1 [])
        :  +- 'Project ['k]
        :     +- 'UnresolvedRelation [a], [], false
        +- 'UnresolvedRelation [t], [__required_write_privileges__=DELETE], false
        """,
        Statement("DeleteFromTable", table("t"), (table("a"), table("t"))),
    ),
    "LOAD DATA LOCAL INPATH": (
        """
        'LoadData /in, here, true, true, Map(d -> e)
        +- 'UnresolvedTable [t], LOAD DATA, false
        """,
        Statement("LoadData", table("t"), (path("file:/in, here"),), "OVERWRITE"),
    ),
    "WITH q AS (SELECT * FROM a) INSERT INTO t SELECT * FROM q": (
        f"""
CTE [q]
:  +- 'SubqueryAlias q
:     +- 'UnresolvedRelation [a], [], false
+- {INSERT}, false, false, false, false, false
   +- 'UnresolvedRelation [q], [], false
""",
        Statement("InsertIntoStatement", table("t"), (table("a"),)),
    ),
    "CREATE TEMP VIEW v AS SELECT * FROM a": (
        f"'CreateViewCommand `v`, SELECT * FROM a, false, true, LocalTempView, UNSUPPORTED, false{QUERY}",
        View(("v",), (table("a"),)),
    ),
    "CREATE GLOBAL TEMP VIEW v AS SELECT * FROM a": (
        f"'CreateViewCommand `v`, SELECT * FROM a, false, true, GlobalTempView, UNSUPPORTED, false{QUERY}",
        View(("global_temp", "v"), (table("a"),)),
    ),
    "CREATE TEMP VIEW v USING csv OPTIONS (...)": (
        "CreateTempViewUsing [tableIdent:`v` replace:false provider:csv Map(path -> /in, header -> true)",
        View(("v",), (SourceRead("csv", ("/in",), {"path": "/in", "header": "true"}),)),
    ),
    "CACHE TABLE v AS SELECT * FROM a": (
        f"'CacheTableAsSelect v, SELECT * FROM a, false, false{QUERY}",
        View(("v",), (table("a"),)),
    ),
    "CREATE VIEW v (x) AS SELECT * FROM a": (
        f"'CreateView [(x,None)], SELECT * FROM a, false, false\n:- 'UnresolvedIdentifier [v], false{QUERY}",
        Statement("CreateView", table("v"), (table("a"),)),
    ),
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_is_what_its_parsed_plan_says(name: str) -> None:
    text, statement = STATEMENTS[name]
    assert list(find_statements(a_plan(text))) == [statement]


def _of(kind: str, name: str, node: str = "UnresolvedTable", rest: str = "") -> str:
    return f"'{kind}\n+- '{node} [{name}], {rest or 'x'}"


# Commands as parsed, and what each does: to which table, made of which others.
COMMANDS = {
    "ALTER TABLE ice.web.t RENAME TO ice.web.u": (
        _of("RenameTable [ice, web, u], false", "ice, web, t"),
        ("RENAME", "web.u", ["web.t"]),
    ),
    "ALTER TABLE t ADD PARTITION (d = 1) LOCATION '/a, (b)' PARTITION (d = 2) PARTITION (d = 3) LOCATION '/c'": (
        _of(
            "AddPartitions [unresolvedpartitionspec((d,1), Some(/a, (b))), unresolvedpartitionspec((d,2), None), "
            "unresolvedpartitionspec((d,3), Some(/c))], false",
            "t",
        ),
        ("add_partition", "default.t", ["/a, (b)", "/c"]),
    ),
    "ALTER TABLE t PARTITION (d = 1) SET LOCATION '/a'": (
        _of("SetTableLocation Map(d -> 1), /a", "t"),
        ("set_location", "default.t", ["/a"]),
    ),
    "ALTER TABLE t ADD COLUMNS (b INT), of Spark 3.5": (
        _of("AddColumns [QualifiedColType(None,b,IntegerType,true,None,None,None)]", "t"),
        ("ALTER", "default.t", []),
    ),
    "REPLACE TABLE ice.web.t (a INT)": (
        _of("ReplaceTable [StructField(a,IntegerType,true)], x, true", "ice, web, t", "UnresolvedIdentifier"),
        ("OVERWRITE", "web.t", []),
    ),
    "DROP DATABASE web": (_of("DropNamespace false, false", "web", "UnresolvedNamespace"), None),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_without_a_query_is_what_the_rule_of_a_driver_says(name: str) -> None:
    text, effect = COMMANDS[name]
    [command] = find_statements(a_plan(text))
    name_parts = command.below[0].name
    full = {1: ("spark_catalog", "default"), 2: ("spark_catalog",)}.get(len(name_parts), ()) + name_parts
    target = RULES[command.kind](command_node(command, full), CATALOGS)
    written = target and (
        target.change or target.effect,
        target.output.id.name,
        [each.id.name for each in target.inputs],
    )
    assert written == effect


READS = {
    "tables and subqueries, in their order": (
        """
        'Project [unresolvedalias(scalar-subquery#1 [])]
        :  +- 'UnresolvedRelation [b], [], false
        +- 'Join Inner
           :- 'UnresolvedRelation [a], [], false
           +- 'UnresolvedRelation [db, c], [], false
        """,
        [table("b"), table("a"), table("db", "c")],
    ),
    "a path behind its format": ("'UnresolvedRelation [parquet, /in/a, b], [], false", [path("/in/a, b", "parquet")]),
    "a CTE reads the table whose name it takes, and those after it read the CTE": (
        """
        CTE [A, b]
        :  :- 'SubqueryAlias A
        :  :  +- 'UnresolvedRelation [a], [], false
        :  +- 'SubqueryAlias b
        :     +- 'UnresolvedRelation [a], [], false
        +- 'Join Inner
           :- 'UnresolvedRelation [a], [], false
           +- 'UnresolvedRelation [B], [], false
        """,
        [table("a")],
    ),
    "outside of it a CTE's name is a table's": (
        """
        'Union false, false
        :- CTE [a]
        :  :  +- 'SubqueryAlias a
        :  :     +- OneRowRelation
        :  +- 'UnresolvedRelation [a], [], false
        +- 'UnresolvedRelation [a], [], false
        """,
        [table("a")],
    ),
    "text that looks like a plan": (
        """
        'Project [one
        two: 'UnresolvedRelation [x], [], false AS y#1]
        +- 'UnresolvedRelation [a], [], false
        """,
        [table("a")],
    ),
    "changes of a table": (
        "'Project [*]\n+- 'RelationChanges 'UnresolvedRelation [a], [], false, ChangelogContext{range=...}",
        [table("a")],
    ),
    "a name that is computed": (
        "'PlanWithUnresolvedIdentifier concat(x, y)",
        [UnknownRead("IDENTIFIER: a name that is computed")],
    ),
    "no tables": ("'Project [unresolvedalias(1)]\n+- OneRowRelation", []),
}


@pytest.mark.parametrize("name", READS)
def test_a_plan_reads(name: str) -> None:
    text, reads = READS[name]
    assert list(reads_in(a_plan(text))) == reads


def test_a_recursive_cte_reads_itself() -> None:
    text = """
    CTE [r]
    :  +- 'SubqueryAlias r
    :     +- 'UnresolvedRelation [r], [], false
    +- 'UnresolvedRelation [r], [], false
    """
    assert list(reads_in(a_plan(text), recursive=True)) == []
    assert is_recursive("with  recursive r AS (SELECT 1) TABLE r")


def test_an_output_without_a_parsed_plan_has_no_plan() -> None:
    assert parse_plan_text("Error occurred during query planning: \n") is None


@pytest.mark.large
def test_a_plan_may_be_as_deep_as_it_likes() -> None:
    deep = "\n".join(f"{'   ' * number}+- 'Filter ('a = {number})" for number in range(5_000))
    plan = parse_plan_text(
        f"== Parsed Logical Plan ==\n'Project [*]\n{deep}\n{'   ' * 5_000}+- 'UnresolvedRelation [a], []"
    )
    assert list(reads_in(plan)) == [table("a")]


@pytest.mark.parametrize(
    ("text", "explainable_texts"),
    [
        ("INSERT INTO t SELECT 1", True),
        ("  -- why\n/* and\nhow */ with q AS (SELECT 1) INSERT INTO t TABLE q", True),
        ("((SELECT 1))", True),
        ("EXECUTE IMMEDIATE 'INSERT INTO t SELECT 1'", False),
        ("-- INSERT\nEXECUTE IMMEDIATE 'INSERT INTO t SELECT 1'", False),
        ("BEGIN INSERT INTO t SELECT 1; END", False),
        ("EXPLAIN INSERT INTO t SELECT 1", False),
        ("SHOW TABLES", False),
        ("SET VAR v = (SELECT 1)", True),
        ("SET VARIABLE (v, w) = (SELECT 1, 2)", True),
        ("SET spark.sql.variable=1", False),
        ("DECLARE v INT", True),
        ("TRUNCATE TABLE t", True),
        ("SELECTED", False),
        ("", False),
    ],
)
def test_only_statements_that_explain_does_not_run_are_explained(text: str, explainable_texts: bool) -> None:
    assert is_explainable(text) == explainable_texts


@pytest.mark.parametrize(
    ("text", "immediate"),
    [
        ("EXECUTE IMMEDIATE 'INSERT INTO t VALUES (''a'')'", ("INSERT INTO t VALUES ('a')", ())),
        ('execute immediate "SELECT 1, 2" into x, `y`;', ("SELECT 1, 2", ("x", "`y`"))),
        ("EXECUTE IMMEDIATE 'SELECT ?' INTO x USING 3", None),
        ("EXECUTE IMMEDIATE 'SELECT ?' USING 3", None),
        (r"EXECUTE IMMEDIATE 'SELECT \'a\''", None),
        ("EXECUTE IMMEDIATE 'SELECT 1' || 'x'", None),
        ("EXECUTE IMMEDIATE stmt", None),
        ("SELECT 'EXECUTE IMMEDIATE'", None),
    ],
)
def test_a_statement_in_a_text_is_read_where_all_of_it_is_there(
    text: str, immediate: tuple[str, tuple[str, ...]] | None
) -> None:
    assert find_immediate(text) == immediate


@pytest.mark.parametrize(
    ("text", "database"),
    [
        ("USE shop", ("shop",)),
        ("use namespace lake.`my shop`;", ("lake", "my shop")),
        ("USE IDENTIFIER(:name)", ()),
        ("USER", None),
        ("SELECT 1", None),
    ],
)
def test_use_names_the_database(text: str, database: tuple[str, ...] | None) -> None:
    assert find_database(text) == database
