"""Self-test of a capture, on the Spark that runs, and on one that names a parameter of its plan nodes anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pyspark.sql import SparkSession

from spark_client.capturing.jvm.executions import Executions
from spark_client.capturing.plans.plan import Node
from spark_client.capturing.session.self_test import CHECKS, find_misread


@pytest.fixture(scope="module")
def executions(spark: SparkSession) -> Iterator[Executions]:
    executions = Executions(spark)
    yield executions
    executions.close()


def renaming(analyze: Callable[[str], Node], kind: str, parameter: str) -> Callable[[str], Node]:
    """Return an analysis whose nodes of a kind have another name for a parameter."""

    def analyzed(sql: str) -> Node:
        root = analyze(sql)
        left = [root]
        while left:
            node = left.pop()
            left += node.below
            if node.kind == kind:
                node.values = {f"new_{name}" if name == parameter else name: node.values[name] for name in node.values}
                node._below = None
        return root

    return analyzed


def test_this_spark_is_read_as_known(executions: Executions) -> None:
    assert find_misread(executions.analyze) == ()


@pytest.mark.parametrize(
    ("kind", "parameter", "misread"),
    [
        ("Filter", "condition", ("filter", "subquery")),
        ("Join", "condition", ("join", "common table")),
        ("Aggregate", "groupingExpressions", ("aggregate",)),
        ("Window", "windowExpressions", ("window",)),
        ("Sort", "order", ("sort",)),
        ("CaseWhen", "branches", ("condition",)),
        ("Alias", "child", ("projection",)),
        ("CTERelationRef", "cteId", ("common table",)),
    ],
)
def test_a_parameter_of_another_name_is_noticed(
    kind: str, parameter: str, misread: tuple[str, ...], executions: Executions
) -> None:
    assert set(misread) <= set(find_misread(renaming(executions.analyze, kind, parameter)))


def test_a_plan_that_cannot_be_read_is_noticed() -> None:
    assert find_misread(lambda sql: Node(0, "Changed")) == tuple(check.name for check in CHECKS)


def test_the_test_is_made_once_in_a_jvm(spark: SparkSession, executions: Executions) -> None:
    executions.test_once(lambda analyze: ())
    again = Executions(spark)
    try:
        assert again.test_once(lambda analyze: ("filter",)) == ()
    finally:
        again.close()
