"""Routes of results of tests, and their JSON: of a dataset, of a job, and all that fail.

They are ours; Marquez shows the facets.
"""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.parameters import nonblank_text
from headwater.api.http.request import HttpRequest
from headwater.api.marquez import annotation_types as types
from headwater.api.marquez.parameters import (
    DATASET,
    JOB,
    JOB_NAMESPACE,
    LIMIT,
    NAMESPACE,
    OFFSET,
    lineage_at,
    read_dataset_id,
    read_job_id,
    read_paging,
)
from headwater.api.marquez.responses import require, respond_list
from headwater.api.route import Services, Within, list_route, read_route
from headwater.api.values import render_id, when
from headwater.facts.result_page import ResultPage
from headwater.queries.results.entities import AssertionResult

_AT = lineage_at("By the events before this time.")
_ONE_NAMESPACE = nonblank_text("namespace", "Only of datasets and jobs of this namespace.", "s3://flights")


def list_dataset_tests(services: Services, request: HttpRequest) -> Response[str]:
    """List the last result of each test of a dataset, from the `dataQualityAssertions` facet.

    A test is its type, its column and its name together.

    Returns:
        The worst first, then by column, type and name.
    """
    dataset = read_dataset_id(request)
    results = services.queries.list_assertions(dataset, at=_AT.read(request))
    return _respond(services, require(results, "Dataset", dataset.name))


def list_dataset_test_history(services: Services, request: HttpRequest) -> Response[str]:
    """List results of the tests of a dataset, of its last 100 events with any.

    Returns:
        The last first.
    """
    dataset, limit = read_dataset_id(request), LIMIT.read(request)
    results = services.queries.list_assertion_history(dataset, limit=limit, at=_AT.read(request))
    return _respond(services, require(results, "Dataset", dataset.name))


def list_job_tests(services: Services, request: HttpRequest) -> Response[str]:
    """List the last result of each test of a job's runs without a dataset, from the `test` facet.

    A test is its type and its name together.

    Returns:
        The worst first, then by type and name.
    """
    job = read_job_id(request)
    results = services.queries.list_assertions(job, at=_AT.read(request))
    return _respond(services, require(results, "Job", job.name))


def list_job_test_history(services: Services, request: HttpRequest) -> Response[str]:
    """List results of the tests of a job's runs, of its last 100 events with any.

    Returns:
        The last first.
    """
    job, limit = read_job_id(request), LIMIT.read(request)
    results = services.queries.list_assertion_history(job, limit=limit, at=_AT.read(request))
    return _respond(services, require(results, "Job", job.name))


def list_failing_tests(services: Services, request: HttpRequest) -> Response[str]:
    """List the tests of datasets and jobs whose last result is a failure.

    Up to 1,000 datasets, and 1,000 jobs, that ever failed a test are read.

    Returns:
        FAILED before WARNED, then the latest first.
    """
    namespace, at = _ONE_NAMESPACE.read(request), _AT.read(request)
    return _respond(services, services.queries.list_failures(namespace, at=at, **read_paging(request)))


def _respond(services: Services, results: ResultPage[AssertionResult]) -> Response[str]:
    return respond_list(services.links, "tests", results, map(render_result, results.items))


def render_result(result: AssertionResult) -> types.TestResult:
    """Render a result of a test."""
    return {
        "nodeId": result.of.node_id,
        "outcome": result.outcome,
        "at": when(result.time),
        "type": result.type,
        "column": result.column,
        "name": result.name,
        "severity": result.severity,
        "expected": result.expected,
        "actual": result.actual,
        "description": result.description,
        "job": render_id(result.job) if result.job else None,
        "runId": result.run,
    }


_DATASET = "/api/v1/namespaces/<namespace>/datasets/<dataset>/tests"
_JOB = "/api/v1/namespaces/<namespace>/jobs/<job>/tests"
_OF_DATASET, _OF_JOB = (NAMESPACE, DATASET), (JOB_NAMESPACE, JOB)
_WITHIN, _RESULTS = Within.NAMESPACE, types.TestResults
ROUTES = (
    read_route(_DATASET, list_dataset_tests, _WITHIN, (*_OF_DATASET, _AT), _RESULTS),
    read_route(f"{_DATASET}/history", list_dataset_test_history, _WITHIN, (*_OF_DATASET, LIMIT, _AT), _RESULTS),
    read_route(_JOB, list_job_tests, _WITHIN, (*_OF_JOB, _AT), _RESULTS),
    read_route(f"{_JOB}/history", list_job_test_history, _WITHIN, (*_OF_JOB, LIMIT, _AT), _RESULTS),
    list_route("/api/v1/tests", list_failing_tests, Within.SEEN, (_ONE_NAMESPACE, _AT, LIMIT, OFFSET), _RESULTS),
)
