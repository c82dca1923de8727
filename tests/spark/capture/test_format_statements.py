"""Statements of Delta and Iceberg that change what a table holds without a query: each is reported, made of its source.

`make test-formats` runs them: `HEADWATER_TABLE_FORMATS` names the packages (`tests.spark.table_formats`).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark_client.capturing.connect.plan_texts import parse_plan_text
from spark_client.capturing.connect.printed_commands import command_node
from spark_client.capturing.connect.sql_statements import find_statements, is_kept, keeps_rows
from spark_client.capturing.datasets.catalogs import read_catalogs
from spark_client.capturing.datasets.session_conf import SessionConf
from spark_client.capturing.datasets.statement_texts import find_in_text
from spark_client.capturing.datasets.statements import RULES
from tests.spark import table_formats
from tests.spark.capture.conftest import Watch
from tests.spark.capture.specification import expected, lines_of
from tests.spark.capture.test_lifecycle import effects

pytestmark = pytest.mark.skipif(not table_formats.chosen(), reason=f"{table_formats.VARIABLE} names no package")

_ROWS = "SELECT carrier, flight FROM flights"
# The statement, its effect, and its lineage; `{out}` is a folder.
_DELTA = (
    ("RESTORE TABLE held TO VERSION AS OF 0", "OVERWRITE held of held", "inputs: held"),
    (
        "CREATE TABLE delta.`{out}/shallow` SHALLOW CLONE held",
        "CREATE shallow of held",
        "carrier <- held.carrier IDENTITY; flight <- held.flight IDENTITY",
    ),
    (
        "CREATE OR REPLACE TABLE cloned SHALLOW CLONE held VERSION AS OF 0",
        "OVERWRITE cloned of held",
        "carrier <- held.carrier IDENTITY; flight <- held.flight IDENTITY",
    ),
    ("CONVERT TO DELTA parquet.`{out}/files`", "convert files of files", "inputs: files"),
    ("ALTER TABLE held ADD COLUMNS (day INT)", "ALTER held", "inputs: none"),
    ("OPTIMIZE held", None, None),
    ("VACUUM held", None, None),
    ("DESCRIBE HISTORY held", None, None),
    ("ALTER TABLE held SET TBLPROPERTIES ('a' = 'b')", None, None),
)
_ICEBERG = (
    (
        "CALL ice.system.add_files(table => 'db.held', source_table => '`parquet`.`{out}/files`')",
        "add_files held of files",
        "inputs: files",
    ),
    ("CALL ice.system.rollback_to_snapshot('db.held', {first})", "rollback_to_snapshot held of held", "inputs: held"),
    ("CALL ice.system.set_current_snapshot('db.held', {first})", "set_current_snapshot held of held", "inputs: held"),
    ("CALL ice.system.cherrypick_snapshot('db.held', {staged})", "cherrypick_snapshot held of held", "inputs: held"),
    ("CALL ice.system.fast_forward('db.held', 'main', 'later')", "fast_forward held of held", "inputs: held"),
    ("ALTER TABLE ice.db.held ADD COLUMNS (day INT)", "ALTER held", "inputs: none"),
    ("ALTER TABLE ice.db.held DROP COLUMN flight", "ALTER held", "inputs: none"),
    ("CALL ice.system.expire_snapshots('db.held')", None, None),
    ("CALL ice.system.ancestors_of('db.held')", None, None),
    ("ALTER TABLE ice.db.held CREATE TAG early", None, None),
    ("ALTER TABLE ice.db.held ADD PARTITION FIELD carrier", None, None),
)
CASES = [
    (form, *case)
    for form, cases in {"delta": _DELTA, "iceberg": _ICEBERG}.items()
    if form in table_formats.chosen()
    for case in cases
]


def make_table(spark: SparkSession, form: str) -> tuple[str, str]:
    """Make the table `held` in two versions; return ids of Iceberg's first snapshot and of a staged one."""
    of = "ice.db." if form == "iceberg" else ""
    if of:
        spark.sql("CREATE NAMESPACE IF NOT EXISTS ice.db")
    spark.sql(f"DROP TABLE IF EXISTS {of}held")
    spark.sql(f"CREATE TABLE {of}held USING {form} AS {_ROWS}")
    if not of:
        spark.sql(f"INSERT INTO held {_ROWS}")
        return "", ""
    first = spark.sql(f"SELECT snapshot_id FROM {of}held.snapshots").first()[0]
    spark.sql(f"ALTER TABLE {of}held SET TBLPROPERTIES ('write.wap.enabled' = 'true')")
    spark.conf.set("spark.wap.id", "audit")
    spark.sql(f"INSERT INTO {of}held {_ROWS}")
    spark.conf.unset("spark.wap.id")
    staged = spark.sql(f"SELECT max_by(snapshot_id, committed_at) FROM {of}held.snapshots").first()[0]
    spark.sql(f"ALTER TABLE {of}held CREATE BRANCH later")
    spark.sql(f"INSERT INTO {of}held.branch_later {_ROWS}")
    return str(first), str(staged)


@pytest.mark.parametrize(("form", "statement", "effect", "lineage"), CASES)
def test_a_statement_changes_its_table(
    form: str, statement: str, effect: str | None, lineage: str, spark: SparkSession, watch: Watch, tmp_path: Path
) -> None:
    spark.sql(_ROWS).write.parquet(f"{tmp_path}/files")
    spark.sql("DROP TABLE IF EXISTS cloned")
    snapshots: list[tuple[str, str]] = []
    watch.writes_of(lambda: snapshots.append(make_table(spark, form)))  # so its place is known
    sql = statement.format(out=tmp_path, first=snapshots[0][0], staged=snapshots[0][1])
    seen = seen_by_a_client(spark, sql)
    writes = watch.writes_of(lambda: spark.sql(sql).collect())
    assert effects(writes) == ([] if effect is None else [effect])
    if effect is not None:
        assert lines_of(writes) == expected(f"{effect.split()[1]}:\n{lineage}")
    assert seen == [(write.change, write.effect, len(write.inputs)) for write in writes]


def seen_by_a_client(spark: SparkSession, sql: str) -> list[tuple[str | None, str | None, int]]:
    """Return what a client of Spark Connect makes of a statement: change, effect, and the number of inputs."""
    catalogs = read_catalogs(SessionConf(spark), {})
    is_such, target = find_in_text(sql, catalogs, lambda: ("spark_catalog", "default"))
    if not is_such and not keeps_rows(sql):
        [command] = find_statements(parse_plan_text(spark.sql(f"EXPLAIN EXTENDED {sql}").first()[0]))
        name = command.below[0].name
        node = command_node(command, name if len(name) > 1 else ("spark_catalog", "default", *name))
        target = None if is_kept(command, None, sql) else RULES[command.kind](node, catalogs)
    assert target is None or target.output is not None
    return [(target.change, target.effect, len(target.inputs))] if target else []


@pytest.mark.skipif("delta" not in table_formats.chosen(), reason="of Delta alone")
def test_a_restore_reads_and_makes_a_version(spark: SparkSession, watch: Watch) -> None:
    make_table(spark, "delta")
    (write,) = watch.writes_of(lambda: spark.sql("RESTORE TABLE held TO VERSION AS OF 0").collect())
    assert (write.inputs[0].version, write.output.version) == ("0", "2")


@pytest.mark.skipif("delta" not in table_formats.chosen(), reason="of Delta alone")
def test_a_clone_of_a_path_has_no_other_name(spark: SparkSession, watch: Watch, tmp_path: Path) -> None:
    make_table(spark, "delta")
    (write,) = watch.writes_of(lambda: spark.sql(f"CREATE TABLE delta.`{tmp_path}/c` SHALLOW CLONE held").collect())
    assert (write.output.id.name, write.output.symlinks) == (f"{tmp_path}/c", ())
