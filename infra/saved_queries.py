"""SQL queries of the archive's tables, saved in Athena by the stack, for Athena (Trino) and DuckDB alike.

Parameters are `?`, in order. Text that both read is narrower than either: an array of structs is unnested without names
for its columns, and a step's place in its path comes from unnesting as many marks as the path has steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NamedQuery:
    """A query: its name, its purpose, its SQL, and the meaning of each `?`."""

    name: str
    about: str
    sql: str
    parameters: Sequence[str]


# `step.nth` is 1 for the root's step, and so on to the leaf's; the last step of a path is the compaction's, no record.
# Neither Trino's sequence() nor DuckDB's range() is known to the other.
_STEPS = """CROSS JOIN UNNEST(regexp_extract_all(lpad('', CAST(cardinality(trace.lineage) - 1 AS integer), '.'), '.'))
    WITH ORDINALITY AS step(mark, nth)"""

PATH_OF_A_RECORD = NamedQuery(
    "path-of-a-record",
    "The steps from the root to a record, in order, as the newest trace of its root has them.",
    f"""WITH found AS (
    SELECT trace.day, trace.root_id, trace.record_id, step.nth
    FROM traces AS trace
    {_STEPS}
    WHERE trace.root_id = ? AND trace.lineage[step.nth].node_id = ?
    ORDER BY trace.day DESC, trace.record_id, step.nth
    LIMIT 1
)
SELECT step.nth,
    trace.lineage[step.nth].node_id AS node_id,
    trace.lineage[step.nth].parent_id AS parent_id,
    trace.lineage[step.nth].action_taken AS action_taken,
    trace.lineage[step.nth].storage_location AS storage_location,
    trace.lineage[step.nth].recorded_at AS recorded_at,
    trace.lineage[step.nth].run_id AS run_id
FROM found
JOIN traces AS trace
    ON trace.day = found.day AND trace.root_id = found.root_id AND trace.record_id = found.record_id
{_STEPS}
WHERE step.nth <= found.nth
ORDER BY step.nth""",  # noqa: S608 - our own text, no values
    ("root_id", "node_id"),
)

TOUCHED_BY_A_LOCATION = NamedQuery(
    "touched-by-a-location",
    "Every record under a storage location, and every record made from one, in the traces of a range of days.",
    f"""WITH touched AS (
    SELECT trace.day, trace.root_id, trace.record_id, min(step.nth) AS since
    FROM traces AS trace
    {_STEPS}
    WHERE trace.day BETWEEN ? AND ? AND starts_with(trace.lineage[step.nth].storage_location, ?)
    GROUP BY trace.day, trace.root_id, trace.record_id
)
SELECT DISTINCT trace.root_id,
    trace.lineage[step.nth].node_id AS node_id,
    trace.lineage[step.nth].parent_id AS parent_id,
    trace.lineage[step.nth].action_taken AS action_taken,
    trace.lineage[step.nth].storage_location AS storage_location,
    trace.lineage[step.nth].recorded_at AS recorded_at
FROM touched
JOIN traces AS trace
    ON trace.day = touched.day AND trace.root_id = touched.root_id AND trace.record_id = touched.record_id
{_STEPS}
WHERE step.nth >= touched.since
ORDER BY root_id, recorded_at, node_id""",  # noqa: S608 - our own text, no values
    ("first day", "last day", "beginning of the location"),
)

ACTIONS_BY_DAY = NamedQuery(
    "actions-by-day",
    "How many records each action made, and in how many roots, by the day that archived them first.",
    """SELECT day, action_taken, count(*) AS records, count(DISTINCT root_id) AS roots
FROM records
WHERE day BETWEEN ? AND ?
GROUP BY day, action_taken
ORDER BY day, action_taken""",
    ("first day", "last day"),
)

RECORDS_OF_AN_ACTION = NamedQuery(
    "records-of-an-action",
    "The records that an action made, root by root, in the order in which they were recorded.",
    """SELECT root_id, node_id, parent_id, storage_location, recorded_at, run_id, day
FROM records
WHERE action_taken = ? AND day BETWEEN ? AND ?
ORDER BY root_id, recorded_at, node_id""",
    ("action_taken", "first day", "last day"),
)

NAMED_QUERIES = (PATH_OF_A_RECORD, TOUCHED_BY_A_LOCATION, ACTIONS_BY_DAY, RECORDS_OF_AN_ACTION)
