"""Targets of statements without a query."""

from dataclasses import replace
from pathlib import Path

import pytest

from headwater_model.ids import DatasetId
from spark_client.capturing.datasets.statement_texts import find_in_text
from spark_client.capturing.datasets.statements import STATEMENTS
from spark_client.capturing.datasets.targets import find_targets
from spark_client.capturing.model import Dataset
from tests.unit.spark_client.capturing.builders_nodes import BY_NAME, CATALOGS, ICE, ICE_NAME, SCHEMA, a_node

_PAGE = Path(__file__).parents[4] / "docs" / "capture.md"


def a_procedure(name):
    return {"class": f"{name}Procedure", "tableCatalog.name": "ice"}


LIFE = [
    (a_node("DropTable", child=ICE_NAME), "DROP", False),
    (a_node("DropTable", child=ICE_NAME, ifExists=True), "DROP", True),
    (a_node("TruncateTable", table=ICE_NAME), "TRUNCATE", False),
]


@pytest.mark.parametrize(("command", "change", "if_met"), LIFE)
def test_a_table_that_is_dropped_or_emptied_is_a_target(command, change, if_met):
    [target] = find_targets(command, CATALOGS)

    assert target.output == Dataset(ICE)
    assert (target.change, target.if_met) == (change, if_met)


def a_call(procedure, *arguments):
    return a_node("Call", procedure=a_procedure(procedure), arguments=[list(pair) for pair in arguments])


NAMELESS = [
    (a_node("Call", procedure=a_procedure("AddFiles")), "CALL add_files: a table that nobody can name"),
    (a_node("Call", procedure=a_procedure("RegisterTable")), "CALL RegisterTable: a procedure that nobody knows"),
    (a_node("Call"), "CALL of a procedure: a procedure that nobody knows"),
]


@pytest.mark.parametrize(("command", "why"), NAMELESS)
def test_a_call_that_nobody_can_name_says_so(command, why):
    [target] = find_targets(command, CATALOGS)

    assert (target.output, target.query, target.unknown) == (None, None, why)


# Statements that their text alone shows, and what each does to which table, made of which others; None: nothing.
TEXTS = {
    '/* x */ call `ice`.system.migrate(table => "web.flights");': ("migrate", "web.flights", ["web.flights"]),
    "CALL ice.system.add_files(source_table => '`orc`.`s3://lake/it''s), b`', table => 'web.t', check => true)": (
        ("add_files", "web.t", ["it's), b"])
    ),
    "CALL ice.system.snapshot('spark_catalog.default.flights', 'web.copy', map('a', 'b'))": (
        ("CREATE", "web.copy", ["default.flights"])
    ),
    "CALL system.fast_forward('web.flights', 'main', 'later')": ("fast_forward", "web.flights", ["web.flights"]),
    "CALL ice.system.expire_snapshots('web.flights')": None,
    "CALL ice.system.migrate(concat('web', '.flights'))": "CALL migrate: a table that nobody can name",
    "CALL ice.system.register_table('a', 'b')": "CALL register_table: a procedure that nobody knows",
    "RESTORE TABLE flights TO VERSION AS OF 3": ("OVERWRITE", "default.flights", ["default.flights 3"]),
    "restore delta.`s3://lake/t` timestamp as of '2024-05-01'": ("OVERWRITE", "t", ["t"]),
    "CREATE TABLE IF NOT EXISTS shop.copy SHALLOW CLONE flights VERSION AS OF 1": (
        ("CREATE", "shop.copy", ["default.flights"])
    ),
    "CREATE OR REPLACE TABLE copy CLONE delta.`s3://lake/t`": ("OVERWRITE", "default.copy", ["t"]),
    "CONVERT TO DELTA parquet.`s3://lake/t` PARTITIONED BY (day DATE)": ("convert", "t", ["t"]),
}


@pytest.mark.parametrize("text", TEXTS)
def test_a_statement_is_what_its_text_says(text):
    is_such, target = find_in_text(text, CATALOGS, lambda: ("spark_catalog", "default"))

    assert is_such
    assert (target and (_effect(target) if target.output else target.unknown)) == TEXTS[text]


def _effect(target):
    read = [" ".join(filter(None, (each.id.name, each.version))) for each in target.inputs]
    return target.change or target.effect, target.output.id.name, read


@pytest.mark.parametrize("text", ["CALL", "CREATE TABLE clone AS SELECT 1", "SELECT 'RESTORE TABLE t VERSION AS OF 1'"])
def test_another_statement_is_not_read_by_its_text(text):
    assert find_in_text(text, CATALOGS, tuple) == (False, None)


SPEC = {"day": "2024-05-01"}
BUCKET = Dataset(DatasetId("s3://bucket", "day9"))
ICE_TABLE = Dataset(ICE)
# Statements, and what each does to which table, made of which others.
EFFECTS = [
    (a_node("TruncateTable", table=ICE_NAME, partitionSpec=SPEC), ("truncate_partition", None, ())),
    (a_node("DropPartitions", table=ICE_NAME), ("drop_partition", None, ())),
    (a_node("RenamePartitions", table=ICE_NAME), ("rename_partition", None, ())),
    (
        a_node("AddPartitions", table=ICE_NAME, parts=[{"location": "s3a://bucket/day9"}]),
        ("add_partition", None, (BUCKET,)),
    ),
    (
        a_node("SetTableLocation", table=ICE_NAME, location="s3a://bucket/day9", partitionSpec=SPEC),
        ("set_location", None, (BUCKET,)),
    ),
    (a_call("RollbackToSnapshot", ("table", "web.flights")), ("rollback_to_snapshot", None, (ICE_TABLE,))),
    (a_call("FastForwardBranch", ("table", "ice.web.flights")), ("fast_forward", None, (ICE_TABLE,))),
    (
        a_call("AddFiles", ("table", "`web`.flights"), ("source_table", "`parquet`.`s3a://bucket/day9`")),
        ("add_files", None, (BUCKET,)),
    ),
    (
        a_call("SnapshotTable", ("table", "web.flights"), ("source_table", "spark_catalog.default.flights")),
        ("snapshot", "CREATE", (Dataset(BY_NAME),)),
    ),
]


@pytest.mark.parametrize(("command", "effect"), EFFECTS)
def test_a_statement_without_a_query_changes_its_table(command, effect):
    [target] = find_targets(command, CATALOGS)

    assert target.output == ICE_TABLE
    assert (target.effect, target.change, target.inputs) == effect


def test_a_statement_without_a_query_names_partitions_where_these_are_not_trimmed():
    location, catalogs = "s3a://bucket/day=9", replace(CATALOGS, trims_partitions=False)
    statements = [
        a_node("AddPartitions", table=ICE_NAME, parts=[{"location": location}]),
        a_node("SetTableLocation", table=ICE_NAME, location=location, partitionSpec=SPEC),
        a_call("AddFiles", ("table", "web.flights"), ("source_table", f"`parquet`.`{location}`")),
        a_node("ConvertToDeltaCommand", deltaPath=location),
        a_node("CreateDeltaTableCommand", query=a_node("Clone", sourceTable={"dataPath": location})),
    ]
    read = [each.id.name for statement in statements for each in find_targets(statement, catalogs)[0].inputs]

    assert read == ["day=9"] * len(statements)


def test_the_page_about_capture_lists_the_statements():
    rows = [line.strip("| ").split(" | ") for line in _PAGE.read_text("utf-8").splitlines() if line.startswith("|")]
    start = rows.index(["statement", "reported is"]) + 2

    assert rows[start : start + len(STATEMENTS)] == [[each.sql, each.report] for each in STATEMENTS]


@pytest.mark.parametrize("folder", [None, "s3a://lake/warehouse/flights/day=2024-05-01"])
def test_a_partition_of_a_tables_own_folder_was_written_by_another(folder):
    place = {"class": "Acme", "properties": {"location": "s3a://lake/warehouse/flights"}}
    table = a_node("ResolvedTable", table=place, schema=SCHEMA)

    assert find_targets(a_node("AddPartitions", table=table, parts=[{"location": folder}]), CATALOGS) == ()
