"""The part of the OpenAPI document that tells of runs: Marquez's routes."""

from __future__ import annotations

from collections.abc import Mapping

from lineage.api import examples_runs as examples
from lineage.api.document_parts import Json, in_path, in_query, question
from lineage.api.marquez import query, runs, search
from lineage.api.marquez.events import DIRECTIONS
from lineage.api.marquez.jobs import STATES
from lineage.api.schemas import Schema, list_of

_NAME: Schema = {"type": "string", "minLength": 1}
TIME: Schema = {"type": "string", "examples": ["2025-11-20T12:00:00Z", "1763640000"]}
TIME_RULE = "Unix seconds, an ISO 8601 time, a day (its midnight), or a year (four digits: its first midnight)."
_NAMESPACE = "/api/v1/namespaces/{namespace}"
_DATASET = f"{_NAMESPACE}/datasets/{{dataset}}"
_JOB = f"{_NAMESPACE}/jobs/{{job}}"
_RUN = "/api/v1/jobs/runs/{run_id}"
_SEVERAL = "Of runs that have the id in several namespaces, the earliest that the caller may read."


def paths() -> Mapping[str, Json]:
    """Path -> its operations."""
    return {**_lineage(), **_namespaces(), **_datasets(), **_jobs(), **_runs()}


def _lineage() -> Mapping[str, Json]:
    return {
        "/api/v1/lineage": {"get": _get_lineage()},
        "/api/v1/runlineage/upstream": {"get": _get_upstream()},
        "/api/v1/events/lineage": {"get": _list_events()},
        "/api/v1/search": {"get": _search()},
    }


def _get_lineage() -> Json:
    return question(
        "getLineage",
        "The graph of jobs and datasets around one of them",
        "The same from every node of a component that `depth` covers.",
        "Graph",
        [
            _required(
                "nodeId",
                examples.NODE_ID,
                "`dataset:<namespace>:<name>` or `job:<namespace>:<name>`, and `#<version>` for one.",
            ),
            _depth("How many jobs away from the start; 0 is its own jobs."),
            in_query("lineageAt", TIME, f"The graph as the events before this time tell it. {TIME_RULE}"),
            in_query("datasetVersion", _NAME, "What this version of the dataset was made of; as `#<version>`."),
        ],
        description="A node id is looked up, not taken apart: namespaces and names may hold colons. "
        "Of `#<version>`, `datasetVersion` and `lineageAt` one is given.",
    )


def _get_upstream() -> Json:
    parameters = [
        _required("runId", examples.RUN_ID, "As sent, or as printed."),
        _depth("How many runs up; 0 is the run itself."),
    ]
    return question(
        "getUpstreamRuns",
        "The runs that made what a run read",
        f"Nearest first. {_SEVERAL}",
        "UpstreamRuns",
        parameters,
    )


def _list_events() -> Json:
    return question(
        "listEvents",
        "Run events as they were sent",
        "By eventTime.",
        "RawEvents",
        [
            in_query("after", TIME, f"From this time on. {TIME_RULE}"),
            in_query("before", TIME, f"Before this time. {TIME_RULE}"),
            in_query("sortDirection", {"type": "string", "enum": list(DIRECTIONS), "default": "desc"}, "By eventTime."),
            *_paging(),
        ],
        errors=("400", "503"),
    )


def _search() -> Json:
    return question(
        "search",
        "Jobs and datasets, or columns, whose name holds a text",
        "By name, or the last updated first.",
        "SearchResults",
        [
            _required("q", "check", "The text, in any case; not blank."),
            in_query(
                "filter", {"type": "string", "enum": list(search.KINDS)}, "Only these; columns are found by this alone."
            ),
            in_query("sort", {"type": "string", "enum": list(search.SORTS), "default": "name"}, "Which come first."),
            in_query("limit", _limit(search.LIMIT), "The most results."),
            in_query("namespace", _NAME, "Only in this namespace."),
            in_query("before", TIME, f"Updated before this time. {TIME_RULE}"),
            in_query("after", TIME, f"Updated at this time or later. {TIME_RULE}"),
        ],
        errors=("400", "503"),
    )


def _namespaces() -> Mapping[str, Json]:
    return {
        "/api/v1/namespaces": {
            "get": question(
                "listNamespaces", "The namespaces", "By name.", "Namespaces", _paging(), errors=("400", "503")
            )
        },
        _NAMESPACE: {
            "parameters": [in_path("namespace", _example(examples.NAMESPACE))],
            "get": question("getNamespace", "A namespace", "The namespace.", "Namespace"),
            "delete": _delete("deleteNamespace", "Hide a namespace and all that is in it", "Namespace"),
        },
    }


def _datasets() -> Mapping[str, Json]:
    namespace, dataset = in_path("namespace", _example(examples.NAMESPACE)), in_path("dataset", _example("checked"))
    return {
        f"{_NAMESPACE}/datasets": {
            "parameters": [namespace],
            "get": question("listDatasets", "A namespace's datasets", "By name.", "Datasets", _paging()),
        },
        _DATASET: {
            "parameters": [namespace, dataset],
            "get": question("getDataset", "A dataset", "The dataset, by its primary name.", "Dataset"),
            "delete": _delete("deleteDataset", "Hide a dataset", "Dataset"),
        },
        f"{_DATASET}/versions": {
            "parameters": [namespace, dataset],
            "get": question(
                "listDatasetVersions", "A dataset's versions", "Newest first.", "DatasetVersions", _paging()
            ),
        },
        f"{_DATASET}/versions/{{version}}": {
            "parameters": [namespace, dataset, in_path("version", _example(examples.DATASET_VERSION))],
            "get": question("getDatasetVersion", "A version of a dataset", "The version.", "DatasetVersion"),
        },
    }


def _jobs() -> Mapping[str, Json]:
    namespace, job = in_path("namespace", _example(examples.JOBS)), in_path("job", _example(examples.JOB_NAME))
    of_state = in_query(
        "lastRunStates",
        list_of({"type": "string", "enum": list(STATES)}),
        "Only jobs whose latest run is in one of these states; repeatable.",
        style="form",
        explode=True,
    )
    some = [of_state, *_paging()]
    return {
        "/api/v1/jobs": {"get": question("listAllJobs", "All jobs", "By name.", "Jobs", some, errors=("400", "503"))},
        f"{_NAMESPACE}/jobs": {
            "parameters": [namespace],
            "get": question("listJobs", "A namespace's jobs", "By name.", "Jobs", some, errors=("400", "503")),
        },
        _JOB: {
            "parameters": [namespace, job],
            "get": question("getJob", "A job", "The job.", "Job"),
            "delete": _delete("deleteJob", "Hide a job", "Job"),
        },
        f"{_JOB}/versions": {
            "parameters": [namespace, job],
            "get": question("listJobVersions", "A job's versions", "Last run first.", "JobVersions", _paging()),
        },
        f"{_JOB}/versions/{{version}}": {
            "parameters": [namespace, job, in_path("version", _example(examples.JOB_VERSION))],
            "get": question("getJobVersion", "A version of a job", "The version.", "JobVersion"),
        },
        f"{_JOB}/runs": {
            "parameters": [namespace, job],
            "get": question("listRuns", "A job's runs", "Last started first.", "Runs", _paging()),
        },
    }


def _runs() -> Mapping[str, Json]:
    kind: Schema = {"type": "string", "enum": list(runs.FACET_TYPES)}
    of_kind = {**in_query("type", kind, "Whose: the run's, or its job's; none for `dataset`."), "required": True}
    return {
        _RUN: {
            "parameters": [in_path("run_id", _example(examples.RUN_ID))],
            "get": question("getRun", "A run", f"The run, with the versions it read and wrote. {_SEVERAL}", "Run"),
        },
        f"{_RUN}/facets": {
            "parameters": [in_path("run_id", _example(examples.RUN_ID))],
            "get": question("getRunFacets", "The facets of a run", f"By name. {_SEVERAL}", "RunFacets", [of_kind]),
        },
    }


def _delete(operation_id: str, summary: str, schema: str) -> Json:
    return question(
        operation_id,
        summary,
        "The thing, deleted; questions show it so within seconds.",
        schema,
        description="Until an event of a later time tells of it again. Its history stays.",
    )


def _required(name: str, example: str, description: str) -> Json:
    return {**in_query(name, _example(example), description), "required": True}


def _example(text: str) -> Schema:
    return {**_NAME, "examples": [text]}


def _depth(description: str) -> Json:
    schema: Schema = {"type": "integer", "minimum": 0, "maximum": query.DEPTH_MAX, "default": query.DEPTH}
    return in_query("depth", schema, description)


def _limit(default: int) -> Schema:
    return {"type": "integer", "minimum": 0, "maximum": query.LIMIT_MAX, "default": default}


def _paging() -> list[Json]:
    offset: Schema = {"type": "integer", "minimum": 0, "maximum": query.OFFSET_MAX, "default": 0}
    return [
        in_query("limit", _limit(query.LIMIT), "The most of a page."),
        in_query("offset", offset, "How many to leave out before it."),
    ]
