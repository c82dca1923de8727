"""The graph's tables: their columns, and how long their days are kept.

Each night the job (`job.py`) writes a partition of each table beside `records`; the stack registers the tables
(`construct.py`), and Athena, Spark and DuckDB read them. A partition has the state at the end of its day. A later
version only adds columns, at the end. Times are texts, as the API has them: UTC, to the microsecond.
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater_model.archive_tables import ArchiveTable, TableColumn

VERSION = 1
_TEXTS = "array<string>"


@dataclass(frozen=True, slots=True)
class GraphTable(ArchiveTable):
    """A table of the graph; each partition is kept for `kept_days`."""

    kept_days: int


# Two whole months and more: a comparison with last month starts at the end of the month before.
_SNAPSHOTS_KEPT_DAYS = 100
_RUNS_KEPT_DAYS = 400
# Days for which an edge, once gone, stays in later partitions.
EDGES_KEPT_DAYS = 400

JOBS = GraphTable(
    "jobs",
    "Every job that events named before the end of the day, deleted ones too; sorted by namespace, name.",
    (
        TableColumn("namespace", "string", "the job's namespace"),
        TableColumn("name", "string", "the job's name in it"),
        TableColumn("type", "string", "BATCH, STREAM or SERVICE"),
        TableColumn("description", "string", "its description by the latest documentation facet"),
        TableColumn("location", "string", "the URL of its code"),
        TableColumn("owners", _TEXTS, "its owners"),
        TableColumn("tags", _TEXTS, "its tags"),
        TableColumn("parent_namespace", "string", "the namespace of the job that started it"),
        TableColumn("parent_name", "string", "the name of the job that started it"),
        TableColumn("first_seen", "string", "the time of its first event"),
        TableColumn("last_seen", "string", "the time of its last event"),
        TableColumn("latest_run_id", "string", "the run that started last"),
        TableColumn("latest_run_state", "string", "the state of that run"),
        TableColumn("is_deleted", "boolean", "true if it was deleted, and no event named it since"),
    ),
    _SNAPSHOTS_KEPT_DAYS,
)
RUNS = GraphTable(
    "runs",
    "The runs that began or ended on the day, as they were at its end; sorted by job and run. A run that ended on a "
    "later day than it began is in both days' partitions: the newest has its end.",
    (
        TableColumn("run_id", "string", "the run's id"),
        TableColumn("job_namespace", "string", "the namespace of its job"),
        TableColumn("job_name", "string", "the name of its job"),
        TableColumn("state", "string", "NEW, RUNNING, COMPLETED, FAILED or ABORTED"),
        TableColumn("started_at", "string", "the time of its first event"),
        TableColumn("ended_at", "string", "the time of the event that ended it; null while it goes on"),
        TableColumn("updated_at", "string", "the time of its last event"),
        TableColumn("nominal_start", "string", "the beginning of the period that it was scheduled for"),
        TableColumn("nominal_end", "string", "the end of the period that it was scheduled for"),
        TableColumn("parent_run_id", "string", "the run that started it"),
        TableColumn("parent_namespace", "string", "the namespace of that run's job"),
        TableColumn("parent_name", "string", "the name of that run's job"),
        TableColumn("is_incomplete", "boolean", "true if its producer could not read all of its lineage"),
    ),
    _RUNS_KEPT_DAYS,
)
DATASETS = GraphTable(
    "datasets",
    "Every dataset that events described before the end of the day, under its primary name, deleted ones too; sorted "
    "by namespace, name.",
    (
        TableColumn("namespace", "string", "the dataset's namespace"),
        TableColumn("name", "string", "the dataset's name in it"),
        TableColumn("type", "string", "DB_TABLE or STREAM"),
        TableColumn("source_name", "string", "the source that it belongs to"),
        TableColumn("description", "string", "its description by the latest documentation facet"),
        TableColumn("owners", _TEXTS, "its owners"),
        TableColumn("tags", _TEXTS, "its tags, without those of its columns"),
        TableColumn("first_seen", "string", "the time of its first event"),
        TableColumn("last_seen", "string", "the time of its last event"),
        TableColumn("lifecycle", "string", "its last change by OpenLineage's facet: CREATE, ALTER, DROP, ..."),
        TableColumn("is_deleted", "boolean", "true if it was deleted or dropped, and no event named it since"),
        TableColumn("is_temporary", "boolean", "true if it is private storage of one run"),
    ),
    _SNAPSHOTS_KEPT_DAYS,
)
TABLE_EDGES = GraphTable(
    "table_edges",
    "The edges of the graph of jobs and datasets, with those that went; sorted by job. A job that writes nothing has "
    "edges without a target, one that reads nothing has edges without a source; an edge that a DatasetEvent declares "
    "has no job.",
    (
        TableColumn("source_namespace", "string", "the namespace of the dataset that is read; null if none is"),
        TableColumn("source_name", "string", "its name"),
        TableColumn("job_namespace", "string", "the namespace of the job; null if a DatasetEvent declares the edge"),
        TableColumn("job_name", "string", "its name"),
        TableColumn("target_namespace", "string", "the namespace of the dataset that is written; null if none is"),
        TableColumn("target_name", "string", "its name"),
        TableColumn("first_time", "string", "the first event after which both ends were known; null if unknown"),
        TableColumn("last_time", "string", "the end of the last day at which it was true"),
        TableColumn("is_current", "boolean", "true if it was true at the end of this day"),
    ),
    _SNAPSHOTS_KEPT_DAYS,
)
COLUMNS = GraphTable(
    "columns",
    "The columns of each dataset by the schema in force, and the fields inside them; sorted by dataset and name.",
    (
        TableColumn("dataset_namespace", "string", "the namespace of its dataset"),
        TableColumn("dataset_name", "string", "the name of its dataset"),
        TableColumn("name", "string", "the column; of a field inside a column, its path with dots"),
        TableColumn("type", "string", "its type as the producer sent it"),
        TableColumn("tags", _TEXTS, "its own tags"),
        TableColumn("description", "string", "its description, by the API or else the schema"),
    ),
    _SNAPSHOTS_KEPT_DAYS,
)
COLUMN_EDGES = GraphTable(
    "column_edges",
    "The edges between columns that jobs and DatasetEvents reported, one for each transformation, with those that "
    "went; sorted by target. Without a source column, the column of the source is unknown; without a target column, "
    "the whole dataset depends on the source.",
    (
        TableColumn("target_namespace", "string", "the namespace of the dataset that is made"),
        TableColumn("target_name", "string", "its name"),
        TableColumn("target_column", "string", "its column; null if all of its columns depend on the source"),
        TableColumn("source_namespace", "string", "the namespace of the dataset that it is made of"),
        TableColumn("source_name", "string", "its name"),
        TableColumn("source_column", "string", "its column; null if the report does not name it"),
        TableColumn("transformation_type", "string", "DIRECT or INDIRECT; null if the report has none"),
        TableColumn("transformation_subtype", "string", "IDENTITY, AGGREGATION, FILTER, ..."),
        TableColumn("is_masking", "boolean", "true if the transformation hides the values"),
        TableColumn("job_namespace", "string", "the namespace of the job that reported it; null of a DatasetEvent"),
        TableColumn("job_name", "string", "its name"),
        TableColumn("first_time", "string", "the end of the first day at which it was true"),
        TableColumn("last_time", "string", "the end of the last day at which it was true"),
        TableColumn("is_current", "boolean", "true if it was true at the end of this day"),
    ),
    _SNAPSHOTS_KEPT_DAYS,
)
# The partitions of the graph table for the job.
PARTITIONS = ("RUN#", "JOB#", "DATASET#", "FACET#", "NAMESPACE#", "NAMES#")
# The last table is published last: a day in it is complete.
TABLES = (JOBS, RUNS, DATASETS, COLUMNS, TABLE_EDGES, COLUMN_EDGES)
# Tables with rows of earlier days.
EDGE_TABLES = (TABLE_EDGES, COLUMN_EDGES)
