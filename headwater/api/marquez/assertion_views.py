"""Results of tests as JSON."""

from __future__ import annotations

from headwater.api.marquez import assertion_types as types
from headwater.api.values import render_id, when
from headwater.facts.assertions import AssertionCounts
from headwater.queries.results.entities import AssertionResult


def render_counts(counts: AssertionCounts | None) -> types.Tested:
    """Return the numbers of tests by outcome; nothing without any."""
    if counts is None:
        return {}
    return {"tests": {"passed": counts.passed, "warned": counts.warned, "failed": counts.failed}}


def render_result(result: AssertionResult) -> types.TestResult:
    """Return a result of a test."""
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
