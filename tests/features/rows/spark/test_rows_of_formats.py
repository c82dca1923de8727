"""The run behind each row, beside an oracle: the tables' own row ids before and after each of many statements.

`make test-formats` runs the tests: `HEADWATER_TABLE_FORMATS` names the packages (`tests.spark.table_formats`).
"""

from __future__ import annotations

import json
from collections import Counter

import pytest
from pyspark.sql import functions as sf

from headwater.events.event import DatasetUse, Event
from headwater.facts.apply import apply_statements
from headwater.features.rows.row_commits import find_row
from headwater.queries.view import GraphView
from headwater.queries.view.rows import ReadAhead
from headwater_model.ids import DatasetId, JobId
from headwater_model.times import parse_time
from spark_client import LineageClient, emit_records
from spark_client.capturing.events.run_events import Application, write_events
from spark_client.capturing.model import Write
from spark_client.current_run import JobRun, RunContext
from tests.fakes.memory_table import MemoryTable
from tests.spark import table_formats
from tests.spark.capture.test_table_versions import at_once, waiting

IS_DELTA = "delta" in table_formats.chosen()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not {"delta", "iceberg"} & set(table_formats.chosen()), reason=f"{table_formats.VARIABLE} names neither of them"
    ),
]
ROWS = 9_000
NO_KEY, OTHERS = 10**9, 910_000
APPLICATION = Application(RunContext(JobRun("emissions", "emissions", "0176a8c2-fe01-7439-87e6-56a1a1b4029e")))
_ID, _SEQUENCE = (
    ("_metadata.row_id", "_metadata.row_commit_version") if IS_DELTA else ("_row_id", "_last_updated_sequence_number")
)
_DATABASE = "" if IS_DELTA else "ice.rows."
_MERGE = """
    MERGE INTO {table} t USING (SELECT * FROM range({low}, {high})) s ON t.key = s.id
    WHEN MATCHED AND s.id % 10 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET value = value + 1
    WHEN NOT MATCHED THEN INSERT (key, value) VALUES (s.id, 0)
"""
Rows = dict[tuple[str, int], tuple[int, int]]


class History:
    """A table with its captured commits in a graph, and the oracle: the step of each row's creation and last change.

    A row is known by its branch and business key; `observed` are its id and its sequence number after the last step.
    """

    def __init__(self, session, watch, table):
        self.session, self.watch, self.table, self.graph = session, watch, table, MemoryTable()
        self.writes: dict[int, Write] = {}
        self.observed: Rows = {}
        self.created: dict[int, int] = {}
        self.changed: dict[tuple[int, int], int] = {}
        self.upgrade: int | None = None
        self.step = self.rows_observed = 0
        self.checked: set[tuple[int, int]] = set()
        self.counts: Counter[str] = Counter()

    def run(
        self,
        act,
        *,
        captured=True,
        branches=("",),
        others=NO_KEY,
    ):
        """Run a statement as a step, and compare every row with the service; keys from `others` on are uncaptured."""
        self.step += 1
        do = (lambda: self.session.sql(act.format(table=self.table)).collect()) if isinstance(act, str) else act
        for write in self.watch.writes_of(do) if captured else [do()][:0]:
            if write.output.version is not None:
                self.writes[self.step] = write
                self._load(write)
        self._observe(branches, others)
        self._check()

    def _load(self, write):
        """Load the end of a write's run; the parser of events needs a package that is not beside each Spark."""
        end = write_events(write, APPLICATION, f"step_{self.step}")[-1]
        uses = {
            side: tuple(
                DatasetUse(DatasetId(each["namespace"], each["name"]), each["facets"], each.get("outputFacets", {}))
                for each in end[side]
            )
            for side in ("inputs", "outputs")
        }
        job = JobId(end["job"]["namespace"], end["job"]["name"])
        time, run = parse_time(end["eventTime"]), end["run"]["runId"]
        event = Event(kind="RUN", time=time, hash=f"{self.step:064}", type="COMPLETE", run=run, job=job, **uses)
        apply_statements([event], self.graph)

    def _observe(self, branches, others):
        first_ids = not self.created
        self.observed = {name: ids for name, ids in self._rows(branches) if ids[0] is not None}
        self.rows_observed += len(self.observed)
        for name, (row_id, sequence) in self.observed.items():
            step = self.step if name[1] < others else -self.step
            if row_id not in self.created:
                self.created[row_id] = step
                if first_ids and self.step > 1:
                    self.upgrade = self.step
            self.changed.setdefault((row_id, sequence), step)

    def _rows(self, branches):
        for branch in branches:
            place = f"{self.table}.branch_{branch}" if branch else self.table
            for key, row_id, sequence in self.session.sql(f"SELECT key, {_ID}, {_SEQUENCE} FROM {place}").collect():
                yield (branch, key), (row_id, sequence)

    def _check(self):
        if not self.writes:
            return
        view, dataset = GraphView(ReadAhead.of(self.graph)), self.dataset

        def compare(step, number):
            is_old = self.upgrade is not None and number == self.upgrade
            expected = ("atOrBefore" if is_old else "exact") if number in self.writes else "unknown"
            job = step.commit.origin.run.job.name if step.commit and step.commit.origin.run else None
            assert (step.known, job) == (expected, f"step_{number}" if number in self.writes else None), (
                self.step,
                number,
            )
            self.counts[step.known] += 1

        # Each new pair of an id and a sequence number is looked up by a single view: 1.5 ms of CPU.
        new = [pair for pair in dict.fromkeys(self.observed.values()) if pair not in self.checked]
        for row_id, sequence in new:
            history = find_row(dataset, row_id, sequence, view)
            assert history is not None
            assert history.changed is not None
            compare(history.made, self.created[row_id])
            number = self.changed[row_id, sequence]
            if number == self.upgrade:
                # The upgrade's own rows have its sequence number, older rows theirs.
                assert history.changed.known in ("exact", "atOrBefore")
                assert history.changed.commit == history.made.commit
            else:
                compare(history.changed, number)
        self.checked.update(new)

    @property
    def dataset(self):
        return next(iter(self.writes.values())).output.id

    def listed(self, step):
        """Count the rows listed by the SQL of a run's page."""
        write = self.writes[step]
        assert write.output.rows is not None
        select = f"SELECT count(*) FROM {self.table} VERSION AS OF {write.output.version}"
        [[count]] = self.session.sql(f"{select} WHERE {_SEQUENCE} = {write.output.rows.sequence}").collect()
        return int(count)


def insert(low, high):
    return f"INSERT INTO {{table}} SELECT id, 0 FROM range({low}, {high})"


def properties(mode):
    if IS_DELTA:
        return f"'delta.enableRowTracking' = 'true', 'delta.enableDeletionVectors' = '{mode == 'merge-on-read'}'"
    return ", ".join(f"'write.{verb}.mode' = '{mode}'" for verb in ("update", "delete", "merge"))


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
@pytest.mark.parametrize("upgraded", [False, True])
def test_no_row_has_a_wrong_run(mode, upgraded, spark, watch, tmp_path):
    if IS_DELTA and upgraded:
        pytest.skip("Delta gives ids to older rows in a commit of its own")
    table = f"{_DATABASE}rows_{mode.replace('-', '_')}_{upgraded}".lower()
    if not IS_DELTA:
        spark.sql("CREATE NAMESPACE IF NOT EXISTS ice.rows")
    form = "delta" if IS_DELTA else "iceberg"
    version = "" if IS_DELTA else f", 'format-version' = '{2 if upgraded else 3}'"
    history = History(spark, watch, table)
    history.run(
        f"CREATE TABLE {{table}} USING {form} TBLPROPERTIES ({properties(mode)}{version}) "
        f"AS SELECT id AS key, 0 AS value FROM range({ROWS})"
    )
    if upgraded:
        history.run(insert(ROWS, ROWS + 500))
        history.writes.clear()
        spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('format-version' = '3')")
    history.run(insert(2 * ROWS, 2 * ROWS + 1_000))
    history.run("UPDATE {table} SET value = 7 WHERE key % 7 = 0")
    assert history.listed(history.step) == sum(key % 7 == 0 for _, key in history.observed)
    history.run(insert(3 * ROWS, 3 * ROWS + 500), captured=False)
    history.run(_MERGE.format(table="{table}", low=ROWS // 2, high=ROWS + 300))
    history.run("DELETE FROM {table} WHERE key % 11 = 0")
    rewrite = (
        "OPTIMIZE {table}"
        if IS_DELTA
        else f"CALL ice.system.rewrite_data_files(table => '{table}', options => map('rewrite-all', 'true'))"
    )
    history.run(rewrite)
    history.run("UPDATE {table} SET value = 8 WHERE key % 13 = 0", captured=False)
    concurrent(history, tmp_path)
    if not IS_DELTA:
        branches(history)
    history.run(f"INSERT OVERWRITE {{table}} SELECT id, 9 FROM range({ROWS // 4})")
    replace = (
        f"CREATE OR REPLACE TABLE {{table}} USING iceberg TBLPROPERTIES ({properties(mode)}, 'format-version' = '3')"
    )
    again = f"{replace} AS SELECT id AS key, 1 AS value FROM range(1000)"
    history.run("RESTORE TABLE {table} TO VERSION AS OF 1" if IS_DELTA else again)
    history.run(_MERGE.format(table="{table}", low=500, high=1_500))
    assert history.rows_observed > 100_000
    assert len(history.checked) > 20_000
    assert history.counts["exact"] > history.counts["unknown"]


def concurrent(history, folder):
    """Append slowly, and insert meanwhile: the insert alone is known, since two commits fall into the append's time."""
    session, table = history.session, history.table
    slow = session.sql(f"SELECT id AS key, 0 AS value FROM range({OTHERS}, {OTHERS + 40})").coalesce(1)
    append = slow.withColumn("value", waiting(folder)("value"))
    act = insert(900_000, 900_040).format(table=table)
    history.run(lambda: at_once(append.writeTo(table).append, lambda: session.sql(act), folder), others=OTHERS)


def branches(history):
    """Write a branch and the table itself, then publish the branch."""
    both = ("", "audit")
    history.run("ALTER TABLE {table} CREATE BRANCH audit", branches=both)
    history.run("INSERT INTO {table}.branch_audit SELECT id, 3 FROM range(800000, 800100)", branches=both)
    history.run("UPDATE {table}.branch_audit SET value = 4 WHERE key % 3 = 0", branches=both)
    history.run("CALL ice.system.fast_forward('{table}', 'main', 'audit')", branches=both)
    history.run(insert(820_000, 820_100), branches=both)


def test_a_row_id_is_a_key_of_records_for_a_table_without_another(spark, tmp_path):
    table = f"{_DATABASE}keyless"
    if not IS_DELTA:
        spark.sql("CREATE NAMESPACE IF NOT EXISTS ice.rows")
    form, version = ("delta", "") if IS_DELTA else ("iceberg", ", 'format-version' = '3'")
    spark.sql(f"DROP TABLE IF EXISTS {table}")
    values = "SELECT * FROM VALUES ('UA'), ('UA'), ('B6') AS t (carrier)"
    spark.sql(f"CREATE TABLE {table} USING {form} TBLPROPERTIES ({properties('merge-on-read')}{version}) AS {values}")

    def nodes(number):
        """Emit a record for each row read back, and count the records by the carrier and the node."""
        frame = spark.sql(f"SELECT carrier, {_ID} AS row_id FROM {table}")
        client = LineageClient(file=tmp_path / str(number), strict=True)
        step = {"root_id": sf.lit("flights"), "parent_id": sf.lit("landed"), "action": "LOADED"}
        counts = emit_records(frame, **step, node_id="row_id", storage_location=sf.col("carrier"), client=client)
        client.close()
        assert (counts.sent, counts.complete) == (3, True)
        lines = (tmp_path / str(number)).read_text("utf-8").splitlines()
        records = [record for line in lines for record in json.loads(line)["records"]]
        return Counter(f"{record['storage_location']} {record['node_id']}" for record in records)

    before = nodes(1)
    spark.sql(f"INSERT INTO {table} VALUES ('AA')")
    spark.sql(f"UPDATE {table} SET carrier = 'UA' WHERE carrier = 'UA'")
    spark.sql(f"DELETE FROM {table} WHERE carrier = 'AA'")
    assert len(before) == 3
    assert nodes(2) == before
