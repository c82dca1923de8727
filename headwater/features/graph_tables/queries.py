"""SQL queries of the graph's tables, saved in Athena with them, for Athena (Trino) and DuckDB alike.

Parameters are `?`, in order. The state of a day's end is in that day's partition; times are texts that sort.
"""

from infra.saved_queries import NamedQuery

EDGES_THAT_WENT = NamedQuery(
    "edges-that-went",
    "The edges that were true in a range of days and are not at its end, with their last time.",
    """SELECT source_namespace, source_name, job_namespace, job_name, target_namespace, target_name,
    first_time, last_time
FROM table_edges
WHERE day = ? AND NOT is_current AND last_time >= ?
ORDER BY last_time, job_namespace, job_name, source_name, target_name""",
    ("last day", "first day"),
)

TAGGED_COLUMNS = NamedQuery(
    "tagged-columns-by-owner",
    "The columns that have a tag (such as PII) of their own or by their dataset at the end of a day, by owner.",
    """SELECT owner.name AS owner, dataset.namespace, dataset.name, field.name AS column_name, field.type
FROM datasets AS dataset
JOIN columns AS field
    ON field.day = dataset.day
    AND field.dataset_namespace = dataset.namespace AND field.dataset_name = dataset.name
CROSS JOIN UNNEST(dataset.owners) AS owner(name)
WHERE contains(field.tags || dataset.tags, ?) AND dataset.day = ? AND NOT dataset.is_deleted
ORDER BY owner, dataset.namespace, dataset.name, column_name""",
    ("tag", "day"),
)

DATASETS_NOBODY_READS = NamedQuery(
    "datasets-nobody-reads",
    "The datasets that a job writes and no job reads at the end of a day, with their owners.",
    """SELECT dataset.namespace, dataset.name, dataset.owners, dataset.last_seen
FROM datasets AS dataset
JOIN table_edges AS written
    ON written.day = dataset.day AND written.is_current
    AND written.target_namespace = dataset.namespace AND written.target_name = dataset.name
LEFT JOIN table_edges AS taken
    ON taken.day = dataset.day AND taken.is_current
    AND taken.source_namespace = dataset.namespace AND taken.source_name = dataset.name
WHERE dataset.day = ? AND NOT dataset.is_deleted AND NOT dataset.is_temporary AND taken.source_name IS NULL
GROUP BY dataset.namespace, dataset.name, dataset.owners, dataset.last_seen
ORDER BY dataset.namespace, dataset.name""",
    ("day",),
)

FAILED_JOBS = NamedQuery(
    "failed-jobs",
    "How many runs of each job failed in a range of days, out of how many that ended, the most failures first.",
    """SELECT job_namespace, job_name,
    count(DISTINCT CASE WHEN state = 'FAILED' THEN run_id END) AS failed,
    count(DISTINCT run_id) AS ended
FROM runs
WHERE day BETWEEN ? AND ? AND ended_at IS NOT NULL
GROUP BY job_namespace, job_name
HAVING count(DISTINCT CASE WHEN state = 'FAILED' THEN run_id END) > 0
ORDER BY failed DESC, job_namespace, job_name""",
    ("first day", "last day"),
)

GRAPH_QUERIES = (EDGES_THAT_WENT, TAGGED_COLUMNS, DATASETS_NOBODY_READS, FAILED_JOBS)
