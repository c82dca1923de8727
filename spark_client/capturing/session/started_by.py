"""The runs above an application, by Spark's conf, or else the environment.

    spark.openlineage.context, OPENLINEAGE_CONTEXT                 {"parent": {"run": ..., "job": ..., "root": ...}}
    spark.openlineage.parentJobNamespace, parentJobName, parentRunId; rootParent...
    OPENLINEAGE_PARENT_ID, OPENLINEAGE_ROOT_PARENT_ID              namespace/job/run id

The context (OpenLineage 1.52) comes first in the conf and in the environment, as in OpenLineage's own clients. Its
facets are not sent on.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any, NamedTuple

from headwater_model.ids import normalize_run_id
from spark_client.current_run import JobRun

_log = logging.getLogger("headwater.capture")
_OPENLINEAGE = "spark.openlineage."


class StartedBy(NamedTuple):
    """The run above an application, and the run at the root; None without a name."""

    parent: JobRun | None = None
    root: JobRun | None = None


def parse_started_by(conf: Mapping[str, str], environment: Mapping[str, str]) -> StartedBy:
    """Parse the runs; log a warning for each faulty text.

    >>> parse_started_by({}, {"OPENLINEAGE_PARENT_ID": "airflow/nightly/f99310b4-3c3c-4a1a-ab2b-c1b95c24ff11"}).parent
    JobRun(namespace='airflow', name='nightly', run_id='f99310b4-3c3c-4a1a-ab2b-c1b95c24ff11')
    """
    from_conf = _of_context(f"{_OPENLINEAGE}context", conf)
    if from_conf is not None:
        return from_conf
    parent, root = _of_keys(f"{_OPENLINEAGE}parent", conf), _of_keys(f"{_OPENLINEAGE}rootParent", conf)
    if parent is not None:
        return StartedBy(parent, root)
    from_environment = _of_context("OPENLINEAGE_CONTEXT", environment)
    if from_environment is None:
        names = ("OPENLINEAGE_PARENT_ID", "OPENLINEAGE_ROOT_PARENT_ID")
        from_environment = StartedBy(*(_of_text(name, environment) for name in names))
    return StartedBy(from_environment.parent, root or from_environment.root)


def _of_context(name: str, settings: Mapping[str, str]) -> StartedBy | None:
    """Parse the runs in a context, None without a good context; keys beside `parent` are ignored."""
    text = settings.get(name)
    if not text:
        return None
    try:
        parent = json.loads(text)["parent"]
        return StartedBy(_run_of(parent), _run_of(parent["root"]) if parent.get("root") else None)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        rule = 'must be JSON as {"parent": {"run": {"runId": ...}, "job": {"namespace": ..., "name": ...}}}'
        _log.warning("%s is %.200r: %s; it is left out", name, text, rule)
        return None


def _run_of(form: Mapping[str, Any]) -> JobRun:
    names = form["job"]["namespace"], form["job"]["name"], form["run"]["runId"]
    if not all(isinstance(name, str) and name for name in names):
        raise ValueError(names)
    namespace, name, run_id = names
    return JobRun(namespace, name, normalize_run_id(run_id))


def _of_text(name: str, environment: Mapping[str, str]) -> JobRun | None:
    """Parse `namespace/job/run id` from its end: namespaces hold slashes, as in `https://airflow/nightly/f99310b4`."""
    text = environment.get(name)
    if not text:
        return None
    namespace, job, run_id = ["", "", *text.rsplit("/", 2)][-3:]
    if namespace and job and run_id:
        return JobRun(namespace, job, normalize_run_id(run_id))
    _log.warning("%s is %r: must be namespace/job/run id; it is left out", name, text)
    return None


def _of_keys(prefix: str, conf: Mapping[str, str]) -> JobRun | None:
    namespace, name, run_id = (conf.get(f"{prefix}{part}") for part in ("JobNamespace", "JobName", "RunId"))
    if namespace and name and run_id:
        return JobRun(namespace, name, normalize_run_id(run_id))
    if namespace or name or run_id:
        _log.warning("%sJobNamespace, JobName and RunId: must all be set; they are left out", prefix)
    return None
