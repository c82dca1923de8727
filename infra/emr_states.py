"""The state machine's two Spark tasks for EMR Serverless; its file has them for Glue."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_GLUE = "arn:aws:states:::glue:startJobRun.sync"
_EMR = "arn:aws:states:::emr-serverless:startJobRun.sync"
_JOB_NAME = re.compile(r"\$\{(\w+)JobName\}")
_TRANSIENT = ["EMRServerless.ThrottlingException", "EMRServerless.InternalServerException"]


def with_emr_serverless(definition: str) -> str:
    """Return the definition with each task of Glue replaced; all other states stay as they are.

    A task that starts `${<Job>JobName}` needs the substitutions `<Job>RoleArn` and `<Job>Arguments`, and for
    `SparkApplicationId`, `SparkEntryPoint` and `SparkSubmitParameters`.
    """
    machine = json.loads(definition)
    for states in _levels(machine):
        states.update({name: _task(state) for name, state in states.items() if state.get("Resource") == _GLUE})
    return json.dumps(machine, indent=2)


def _levels(machine: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the states of the machine, and those inside each of its maps."""
    waiting = [machine]
    while waiting:
        states = waiting.pop()["States"]
        yield states
        waiting.extend(state["ItemProcessor"] for state in states.values() if state["Type"] == "Map")


def _task(state: Mapping[str, Any]) -> dict[str, Any]:
    parameters = state["Parameters"]
    name = _JOB_NAME.fullmatch(parameters["JobName"])
    if name is None:
        raise ValueError(f"JobName: must be ${{<Job>JobName}}, got {parameters['JobName']!r}")
    job = name[1]
    parameters = {
        "ApplicationId": "${SparkApplicationId}",
        "ExecutionRoleArn": f"${{{job}RoleArn}}",
        "Name": job,
        "ExecutionTimeoutMinutes": state["TimeoutSeconds"] // 60,
        "JobDriver": {
            "SparkSubmit": {
                "EntryPoint": "${SparkEntryPoint}",
                "EntryPointArguments.$": f"States.Array(${{{job}Arguments}}, {_arguments(parameters['Arguments'])})",
                "SparkSubmitParameters": "${SparkSubmitParameters}",
            }
        },
    }
    retries = [_retrier(retrier) for retrier in state["Retry"]]
    return {**state, "Resource": _EMR, "Parameters": parameters, "Retry": retries}


def _arguments(parameters: Mapping[str, str]) -> str:
    """Return names as text, and values as paths or as text."""
    parts: list[str] = []
    for name, value in parameters.items():
        parts += [f"'{name.removesuffix('.$')}'", value if name.endswith(".$") else f"'{value}'"]
    return ", ".join(parts)


def _retrier(retrier: Mapping[str, Any]) -> dict[str, Any]:
    return {**retrier, "ErrorEquals": _errors(retrier["ErrorEquals"])}


def _errors(names: Sequence[str]) -> Sequence[str]:
    return _TRANSIENT if any(name.startswith("Glue.") for name in names) else names
