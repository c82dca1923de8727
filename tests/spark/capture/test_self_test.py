"""Self-test of a capture, on the Spark that runs, and on others: with other names of parameters, or optional parts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark_client import self_test
from spark_client.capturing.jvm.executions import (
    _TRIED,
    LISTENER,
    OPTIONAL,
    Executions,
    JavaClasses,
    java_sources,
)
from spark_client.capturing.jvm.items import Lost
from spark_client.capturing.model import Execution
from spark_client.capturing.plans.plan import Node
from spark_client.capturing.session.self_test import CHECKS, find_failures, find_misread
from tests.waiting import LONG_S


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
    assert executions.is_tried
    assert find_failures(executions) == ()
    assert find_misread(executions.analyze) == ()


def test_the_command_says_that_this_spark_is_read_as_known(
    spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    assert self_test.main(["--json"]) == 0
    lines = {line["check"]: line for line in map(json.loads, capsys.readouterr().out.splitlines())}
    assert list(lines) == ["Spark", "tests", "parameters", "plans", "Java", "a write"]
    assert lines["Spark"]["result"] == spark.version
    assert all(line["is_known"] for line in lines.values())


@pytest.mark.parametrize(
    ("part", "outcome", "line"),
    [
        ("jvm.executions.Executions.lacking", ("Filter.condition",), "NOT  parameters   Filter.condition"),
        ("session.self_test.find_misread", ("join",), "NOT  plans        misread: join"),
        ("extract.Extractor.read_write", [], "NOT  a write      0 of 2 writes, columns of []"),
    ],
)
def test_the_command_names_what_is_not_as_known(
    part: str,
    outcome: object,
    line: str,
    spark: SparkSession,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(f"spark_client.capturing.{part}", lambda *_: outcome)
    assert self_test.main([]) == 1
    assert line in capsys.readouterr().out.splitlines()


def test_a_parameter_that_this_spark_lacks_is_noticed_without_a_plan(executions: Executions) -> None:
    logical = "org.apache.spark.sql.catalyst.plans.logical"
    expected = {f"{logical}.Filter": ("condition", "predicate"), f"{logical}.NoSuchNode": ("child",)}
    assert executions.lacking(expected) == ("Filter.predicate",)


class Other:
    """Spark of another version, which analyzes as this one does, and counts the queries."""

    def __init__(self, executions: Executions, lacking: tuple[str, ...], *, is_tried: bool) -> None:
        self._executions = executions
        self._lacking = lacking
        self.is_tried = is_tried
        self.analyzed = 0

    def lacking(self) -> tuple[str, ...]:
        return self._lacking

    def analyze(self, sql: str) -> Node:
        self.analyzed += 1
        return self._executions.analyze(sql)


@pytest.mark.parametrize(
    ("lacking", "is_tried", "analyzed"),
    [((), True, 0), ((), False, len(CHECKS)), (("Filter.condition",), True, len(CHECKS))],
)
def test_queries_are_analyzed_where_spark_is_not_as_known(
    lacking: tuple[str, ...], is_tried: bool, analyzed: int, executions: Executions
) -> None:
    other = Other(executions, lacking, is_tried=is_tried)
    assert find_failures(other) == lacking
    assert other.analyzed == analyzed


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


@pytest.mark.parametrize(
    ("version", "is_known"),
    [("3.5.6", True), ("3.5.6-amzn-1", True), ("4.3.0", True), ("4.3.0-SNAPSHOT", False), ("4.9.0-amzn-0", False)],
)
def test_builds_of_aws_are_the_releases_that_they_are_made_of(version: str, is_known: bool) -> None:
    assert (_TRIED.fullmatch(version) is not None) is is_known


def test_the_test_is_made_once_in_a_jvm(spark: SparkSession, executions: Executions) -> None:
    executions.test_once(lambda spark: ())
    again = Executions(spark)
    try:
        assert again.test_once(lambda spark: ("filter",)) == ()
    finally:
        again.close()


def without(
    spark: SparkSession, package: str, *parts: str, changed: Mapping[str, tuple[bytes, bytes]] | None = None
) -> JavaClasses:
    """Return the Java classes in a package of their own, as on a Spark on which these parts do not compile.

    `changed` has by class a statement, and what comes before it.
    """
    sources = {name: text.replace(b"headwater.capture", package.encode()) for name, text in java_sources().items()}
    for part in parts:
        sources[f"{part}.java"] = sources[f"{part}.java"].replace(b"org.apache.spark.", b"org.apache.spark.gone.", 1)
    for name, (place, before) in (changed or {}).items():
        text = sources[f"{name}.java"]
        assert text.count(place) == 1
        sources[f"{name}.java"] = text.replace(place, before + place)
    return JavaClasses(spark.sparkContext._gateway, package, sources)


FAULTS = {
    "an event": b"take(event);",
    "the start of a job": b"noteJob(job);",
    "the end of a task": b"tasks.ended(task);",
    "the end of the application": b"isShutdown = isJvmEnding();",
}


@pytest.mark.parametrize("place", FAULTS)
def test_a_listener_that_throws_stops_capture_and_nothing_else(place: str, spark: SparkSession, tmp_path: Path) -> None:
    package = f"headwater.throwing{list(FAULTS).index(place)}"
    classes = without(spark, package, changed={LISTENER: (FAULTS[place], b"if (true) throw new LinkageError(); ")})
    executions = Executions(spark, classes=classes)
    try:
        if place == "the end of the application":
            executions._listening().onApplicationEnd(None)
        for number in range(3):
            spark.range(3).write.parquet(str(tmp_path / f"out-{number}"))
        assert executions.drain(LONG_S)
        items = list(iter(lambda: executions.next(0), None))
    finally:
        executions.close()
    assert not spark.sparkContext._jsc.sc().isStopped()
    assert [(item.part, item.reason) for item in items] == [(LISTENER, "java.lang.LinkageError")]
    # The first was under way when it was turned off.
    assert executions.dropped in (2, 3)


def test_optional_parts_that_do_not_compile_are_lost_alone(spark: SparkSession, tmp_path: Path) -> None:
    spark.sparkContext.parallelize(["a"]).saveAsTextFile(str(tmp_path / "lines"))
    parts = {names[0] for names in OPTIONAL}
    executions = Executions(spark, classes=without(spark, "headwater.broken", *parts))
    try:
        spark.read.text(str(tmp_path / "lines")).write.parquet(str(tmp_path / "out"))
        lines = spark.sparkContext.textFile(str(tmp_path / "lines")).map(lambda line: (line,))
        lines.toDF("line STRING").write.parquet(str(tmp_path / "other"))
        assert executions.drain(LONG_S)
        items = list(iter(lambda: executions.next(0), None))
    finally:
        executions.close()
    written = [item for item in items if isinstance(item, Execution)]
    assert [item.plan.kind for item in written] == ["InsertIntoHadoopFsRelationCommand"] * 2
    assert [(item.tier, item.metrics, item.failure) for item in written] == [("full", (), None)] * 2
    lost = [item for item in items if isinstance(item, Lost)]
    assert sorted(item.part for item in lost) == sorted(parts - {"Queries"})  # no database is read
    assert all("gone" in item.reason for item in lost)
