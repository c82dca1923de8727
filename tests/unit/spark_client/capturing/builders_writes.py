"""Writes of the emissions pipeline, as they are extracted."""

from __future__ import annotations

from typing import Any

from headwater_model.columns import ColumnLineage, ColumnSource, Sources, Transformation
from headwater_model.ids import DatasetId
from spark_client.capturing.events.run_events import Application
from spark_client.capturing.model import Dataset, SchemaField, Symlink, Write, WriteStatistics
from spark_client.current_run import JobRun, RunContext

AT_MS = 1_763_640_000_123
CHECKED = DatasetId("s3://flights", "checked")
PLANES = DatasetId("s3://flights", "planes")
ESTIMATED = DatasetId("s3://flights", "estimated")

IDENTITY = Transformation("DIRECT", "IDENTITY", None, masking=False)
ESTIMATE = Transformation("DIRECT", "TRANSFORMATION", "python udf estimate", masking=False)
CONDITIONAL = Transformation("INDIRECT", "CONDITIONAL", None, masking=False)
JOIN = Transformation("INDIRECT", "JOIN", None, masking=False)

NIGHTLY = JobRun("emissions", "nightly", "01941f29-7c00-7ea7-b5a3-4d2d5f0a1b20")
APPLICATION_RUN = JobRun("emissions", "emissions", "01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2c")
APPLICATION = Application(RunContext(APPLICATION_RUN, NIGHTLY), "4.3.0")


def of(dataset: DatasetId, *path: str, transformations: tuple[Transformation, ...] = (IDENTITY,)) -> Sources:
    return {ColumnSource(dataset, path): frozenset(transformations)}


COLUMNS = ColumnLineage(
    {
        ("tailnum",): of(CHECKED, "tailnum"),
        ("co2",): {
            **of(CHECKED, "distance", transformations=(ESTIMATE, CONDITIONAL)),
            **of(PLANES, "plane", "seats", transformations=(ESTIMATE,)),
            **of(PLANES, "year", transformations=(CONDITIONAL,)),
        },
        ("unit",): {},
    },
    {**of(PLANES, "tailnum", transformations=(JOIN,)), **of(CHECKED, "tailnum", transformations=(JOIN,))},
)


def a_write(**changes: Any) -> Write:
    """Return the emissions that were estimated for the flights."""
    flights = (SchemaField("tailnum", "string"), SchemaField("distance", "double"))
    planes = (SchemaField("tailnum", "string"), SchemaField("plane", "struct", (SchemaField("seats", "int"),)))
    fields = {
        "execution_id": 7,
        "command": "InsertIntoHadoopFsRelationCommand",
        "started_ms": AT_MS,
        "ended_ms": AT_MS + 2_000,
        "output": Dataset(
            ESTIMATED,
            (SchemaField("tailnum", "string"), SchemaField("co2", "double"), SchemaField("unit", "string")),
            (Symlink("hive://metastore:9083", "emissions.estimated"),),
            "12",
        ),
        "inputs": (Dataset(CHECKED, flights), Dataset(PLANES, planes)),
        "columns": COLUMNS,
        "change": "OVERWRITE",
        "written": WriteStatistics(335_220, 4_194_304, 2),
        "sql": "INSERT OVERWRITE emissions.estimated SELECT ...",
    }
    return Write(**{**fields, **changes})
