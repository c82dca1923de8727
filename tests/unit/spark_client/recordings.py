"""A recorder for the tests, and what its events hold."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from spark_client import FieldOperation, OperationRecorder

FACETS = Path(__file__).parents[3] / "docs" / "facets"
JOB = ("emissions", "emissions.calculate")
RUN = "01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2c"
CHECKED = ("s3://flights", "checked")
PLANES = ("s3://flights", "planes")
ESTIMATED = ("s3://flights", "estimated")
AT = 1_357_016_400.5

READ = FieldOperation("read").reads(CHECKED).outputs("tailnum", "distance")
ESTIMATE = FieldOperation("estimate").describe("grams of CO2 a seat").inputs("distance").outputs(co2="double")
DROP = FieldOperation("drop").inputs("distance")


def a_recorder(lake: SimpleNamespace, **options: Any) -> OperationRecorder:
    return OperationRecorder(lake.client, JOB, **{"run_id": RUN, "strict": True, "now": lambda: AT, **options})


def operations_in(event: dict[str, Any]) -> list[dict[str, Any]]:
    operations: list[dict[str, Any]] = event["run"]["facets"]["headwater_operations"]["operations"]
    return operations


def names_in(event: dict[str, Any]) -> list[str]:
    return [operation["name"] for operation in operations_in(event)]


def written_in(event: dict[str, Any]) -> dict[str, list[str]]:
    """Return the destination of each write as `<origin>.<name>`."""
    writes = [operation for operation in operations_in(event) if operation["type"] == "WRITE"]
    return {
        operation["destination"]["name"]: [f"{i['origin']}.{i['name']}" for i in operation["inputs"]]
        for operation in writes
    }


def dataset(pair: tuple[str, str]) -> dict[str, str]:
    return {"namespace": pair[0], "name": pair[1]}
