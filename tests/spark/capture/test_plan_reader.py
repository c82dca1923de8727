"""Plans out of the JVM: each node once, within bounds, and nothing of what may be secret."""

import json
import time
from dataclasses import replace
from itertools import chain
from types import SimpleNamespace

import pytest
from pyspark.sql import functions as sf

from spark_client.capturing.jvm.compiled import find_classes, java_sources, write_classes
from spark_client.capturing.jvm.executions import OPTIONAL, Bounds, Executions, JavaClasses, Unavailable
from spark_client.capturing.model import Execution
from tests.waiting import LONG_S


@pytest.fixture
def executions(spark):
    queue = Executions(spark)
    yield queue
    queue.close()


def one_of(executions, write):
    """Return the execution of one write."""
    executions.drain(LONG_S)
    while executions.next(0) is not None:
        pass
    write()
    assert executions.drain(LONG_S)
    return executions.next(0)


def test_an_execution_reports_when_it_was_and_how_much_it_wrote(spark, executions, tmp_path):
    before_ms = int(time.time() * 1000)
    execution = one_of(executions, lambda: spark.range(3).write.parquet(f"{tmp_path}/out"))
    assert isinstance(execution, Execution)
    assert execution.plan.kind == "InsertIntoHadoopFsRelationCommand"
    assert before_ms <= execution.started_ms <= execution.ended_ms <= int(time.time() * 1000)
    assert (execution.action, execution.tier, execution.failure, execution.sql) == ("command", "full", None, None)
    assert [(metrics["numOutputRows"], metrics["numFiles"]) for metrics in execution.metrics] == [(3, 2)]


def in_package(package):
    """Py4J keeps methods by the class's name: classes of a test are in a package of their own."""
    return {name: text.replace(b"headwater.capture", package.encode()) for name, text in java_sources().items()}


def test_each_optional_part_compiles_with_this_spark(spark):
    classes = JavaClasses(spark._sc._gateway, "headwater.parts", in_package("headwater.parts"))
    for name in chain(*OPTIONAL):
        assert classes.new("Parts").find(name).getSimpleName() == name


def test_compiled_classes_read_what_their_sources_read(spark, executions, tmp_path):
    file = write_classes(spark, tmp_path, in_package("headwater.compiled"))
    assert find_classes(spark._jvm, spark.version, tmp_path) is None  # for other sources
    compiled = Executions(spark, classes=JavaClasses(spark._sc._gateway, "headwater.compiled", file))
    try:
        read = one_of(executions, lambda: spark.range(3).write.parquet(f"{tmp_path}/out"))
        again = compiled.next(0)
    finally:
        compiled.close()
    for name in chain(*OPTIONAL):
        assert compiled._java().new("Parts").find(name).getSimpleName() == name
    assert replace(again, plan=None) == replace(read, plan=None)
    assert repr([node.values for node in nodes_of(again.plan)]) == repr([node.values for node in nodes_of(read.plan)])


def test_compiled_classes_are_known_by_spark_scala_and_sources(spark, tmp_path):
    file, patch = write_classes(spark, tmp_path, java_sources()), f"{spark.version.rpartition('.')[0]}.77"
    known = [find_classes(spark._jvm, version, tmp_path) for version in (patch, f"{patch}-amzn-1", "2.4.8")]
    assert known == [file, None, None]
    properties = SimpleNamespace(versionNumberString=lambda: "2.11.12")
    other = SimpleNamespace(scala=SimpleNamespace(util=SimpleNamespace(Properties=properties)))
    assert find_classes(other, spark.version, tmp_path) is None


def test_a_source_of_the_second_interface_reports_how_many_rows_it_was_given(spark, executions):
    execution = one_of(executions, lambda: spark.range(3).write.format("noop").mode("append").save())
    assert (execution.plan.kind, execution.metrics) == ("AppendData", [{"numOutputRows": 3}])


def test_a_statement_is_emitted_as_it_was_written(spark, executions, tmp_path):
    statement = f"INSERT OVERWRITE DIRECTORY '{tmp_path}/out' USING json SELECT 1 AS one"
    execution = one_of(executions, lambda: spark.sql(statement))
    assert execution.sql == statement
    assert execution.root_id != execution.id  # the insert is a part of the command around it


def test_a_failure_is_read_with_its_message(spark, executions, tmp_path):
    def write():
        with pytest.raises(Exception, match="boom"):
            spark.range(1).select(sf.raise_error(sf.lit("boom"))).write.parquet(f"{tmp_path}/out")

    execution = one_of(executions, write)
    assert "boom" in execution.failure.message
    assert "\tat org.apache.spark" in execution.failure.stack


def test_a_nested_case_is_read_in_linear_size(spark, executions, tmp_path):
    def nested(depth):
        case = sf.lit(0)
        for level in range(depth):
            case = sf.when(sf.col("id") > level, sf.lit(level)).otherwise(case)
        return case

    sizes = {}
    for depth in (20, 40):
        frame = spark.range(1).select(nested(depth).alias("made"))
        execution = one_of(executions, lambda: frame.write.mode("overwrite").parquet(f"{tmp_path}/{depth}"))  # noqa: B023
        assert execution.tier == "full"
        sizes[depth] = len(nodes_of(execution.plan))
    assert sizes[40] < 2.5 * sizes[20]


def nodes_of(root):
    seen, left = {root.number: root}, [root]
    while left:
        for child in left.pop().below:
            if child.number not in seen:
                seen[child.number] = child
                left.append(child)
    return list(seen.values())


@pytest.mark.parametrize(("nodes", "tier"), [(60, "sources"), (12, "tables")])
def test_a_plan_above_the_bounds_is_read_with_less_detail(spark, tmp_path, nodes, tier):
    spark.range(3).write.parquet(f"{tmp_path}/in")
    frame = spark.read.parquet(f"{tmp_path}/in")
    frame = frame.select(*(((sf.col("id") + n) * (sf.col("id") - n)).alias(f"c{n}") for n in range(20)))
    executions = Executions(spark, Bounds(nodes=nodes))
    try:
        execution = one_of(executions, lambda: frame.write.parquet(f"{tmp_path}/out"))
    finally:
        executions.close()
    assert execution.tier == tier
    assert "LogicalRelation" in {node.kind for node in nodes_of(execution.plan)}
    project = execution.plan.node("query")
    if tier == "sources":
        (source,) = {reference for column in project.nodes("projectList") for reference in column.values["references"]}
        assert source == next(node for node in nodes_of(execution.plan) if node.text("name") == "id").text("exprId")


def test_secrets_rows_and_literals_stay_in_the_jvm(spark, executions, tmp_path):
    url = f"jdbc:derby:memory:{tmp_path.name};create=true"
    frame = spark.createDataFrame([("in a row",)], "text string").where("text != 'in a literal'")
    writer = frame.write.format("jdbc").options(url=url, dbtable="texts", user="app", password="in an option")
    execution = one_of(executions, writer.save)
    read = repr([(node.kind, node.values) for node in nodes_of(execution.plan)])
    assert execution.plan.values["options"] == {"url": url, "dbtable": "texts"}
    assert "in a" not in read


def test_a_full_queue_drops_and_counts(spark, tmp_path):
    executions = Executions(spark, Bounds(kept=2))
    for number in range(4):
        spark.range(1).write.parquet(f"{tmp_path}/{number}")
    executions.drain(LONG_S)
    read = [executions.next(0) for _ in range(3)]
    executions.close()
    assert [execution is not None for execution in read] == [True, True, False]
    assert executions.dropped == 2


def test_without_a_jvm_it_says_so():
    class Connect:
        """A session of Spark Connect, which has no context."""

    with pytest.raises(Unavailable, match="Spark Connect"):
        Executions(Connect())


def test_texts_keep_every_character(spark, executions, tmp_path):
    name = 'a"b\\c\n\u00e9\U0001f600'
    execution = one_of(executions, lambda: spark.range(1).withColumnRenamed("id", name).write.json(f"{tmp_path}/out"))
    assert execution.plan.values["outputColumnNames"] == [name]
    assert json.loads(execution.plan.text("query.schema"))["fields"][0]["name"] == name


def test_the_schema_of_a_table_is_read_once(spark, executions, tmp_path):
    spark.range(3).write.parquet(f"{tmp_path}/in")
    frame = spark.read.parquet(f"{tmp_path}/in")
    execution = one_of(executions, lambda: frame.write.parquet(f"{tmp_path}/out"))
    (leaf,) = [node for node in nodes_of(execution.plan) if node.kind == "LogicalRelation"]
    assert json.loads(leaf.text("schema"))["fields"][0]["name"] == "id"
    assert leaf.text("schema") is leaf.values["relation"]["schema"]
