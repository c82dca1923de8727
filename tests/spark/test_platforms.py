"""Jobs as platforms start them: the examples' own files are run, with folders in the place of buckets."""

from __future__ import annotations

import ast
import json
import logging
import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import botocore.session
import pytest
from botocore.validate import validate_parameters
from pyspark import SparkContext
from pyspark.sql import SparkSession

from spark_client import capture

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "platforms"
PARENT = ("airflow", "emissions.check", "01941f29-7c00-7ea7-b5a3-4d2d5f0a1b20")
OF_PARENT = " --conf ".join(f"spark.openlineage.parent{part}={{}}" for part in ("JobNamespace", "JobName", "RunId"))
QUIET = (
    "--master local[1] --conf spark.ui.enabled=false --conf spark.log.level=OFF"
    " --conf spark.driver.bindAddress=127.0.0.1 --conf spark.driver.host=127.0.0.1"
    " --driver-java-options '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC'"
)
ROWS = "tailnum,distance\nN14228,1400\nN804JB,1576\n"


def definition(name: str) -> Any:
    return json.loads((EXAMPLES / name).read_text(encoding="utf-8"))


def check(service: str, operation: str, parameters: dict[str, Any]) -> None:
    """Check the parameters of a request by AWS's own model of the service."""
    model = botocore.session.get_session().get_service_model(service).operation_model(operation)
    assert model.input_shape is not None
    validate_parameters(parameters, model.input_shape)


def run(command: list[str], folder: Path, **environment: str) -> list[dict[str, Any]]:
    """Run a job in a process of its own; parse its events."""
    sent = folder / "sent.jsonl"
    done = subprocess.run(
        command,
        env={**os.environ, "HEADWATER_FILE": str(sent), **environment},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    lines = [json.loads(line) for line in sent.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if "eventType" in line]


def parent_of(event: dict[str, Any]) -> tuple[str, str, str]:
    parent = event["run"]["facets"]["parent"]
    return parent["job"]["namespace"], parent["job"]["name"], parent["run"]["runId"]


# Takes long: a Spark process of its own.
@pytest.mark.slow
def test_the_glue_job_is_captured_as_the_job_that_airflow_started(tmp_path: Path) -> None:
    job = definition("glue_job.json")
    check("glue", "CreateJob", job)
    (tmp_path / "raw.csv").write_text(ROWS)
    # Airflow's GlueJobOperator adds the parent in this way.
    conf = f"{job['DefaultArguments']['--conf']} --conf {OF_PARENT.format(*PARENT)}"
    arguments = ["--JOB_NAME", job["Name"], "--source", f"{tmp_path}/raw.csv", "--target", f"{tmp_path}/estimated"]
    events = run(
        [sys.executable, str(EXAMPLES / "glue_job.py"), *arguments],
        tmp_path,
        PYTHONPATH=f"{ROOT}:{ROOT / 'tests' / 'spark' / 'glue'}",
        PYSPARK_SUBMIT_ARGS=f"{QUIET} --conf {conf} pyspark-shell",
    )
    names = [(event["job"]["namespace"], event["job"]["name"], event["eventType"]) for event in events]
    write = f"estimate-emissions.{tmp_path.name}_estimated"
    assert names == [
        ("emissions", "estimate-emissions", "START"),
        ("emissions", write, "START"),
        ("emissions", write, "COMPLETE"),
        ("emissions", "estimate-emissions", "COMPLETE"),
    ]
    assert parent_of(events[0]) == PARENT
    columns = events[2]["outputs"][0]["facets"]["columnLineage"]["fields"]
    assert [field["field"] for field in columns["co2"]["inputFields"]] == ["distance"]


def airflows_conf() -> dict[str, str]:
    """Render the configuration in the DAG as Airflow does for a running task."""
    tree = ast.parse((EXAMPLES / "airflow_dag.py").read_text(encoding="utf-8"))
    (conf,) = [
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "CONF"
    ]
    namespace, name, run_id = PARENT
    plugin = SimpleNamespace(
        lineage_job_namespace=lambda: namespace, lineage_job_name=lambda task: name, lineage_run_id=lambda task: run_id
    )
    # The expressions are valid in Jinja and in Python.
    names = {"macros": SimpleNamespace(OpenLineageProviderPlugin=plugin), "task_instance": None}
    return {
        key: re.sub(r"\{\{ (.+?) \}\}", lambda match: str(eval(match[1], names)), text) for key, text in conf.items()
    }


# Takes long, too: `spark-submit` is a process of its own.
@pytest.mark.slow
def test_a_job_of_emr_serverless_and_of_airflow_brings_the_client_in_a_zip(tmp_path: Path) -> None:
    request = definition("emr_serverless_job_run.json")
    check("emr-serverless", "StartJobRun", {**request, "clientToken": "1"})
    submit = request["jobDriver"]["sparkSubmit"]
    with zipfile.ZipFile(tmp_path / "headwater.zip", "w") as archive:
        for package in ("spark_client", "headwater_model"):
            for file in (ROOT / package).rglob("*.*"):
                if file.suffix != ".pyc":
                    archive.write(file, file.relative_to(ROOT))
    shutil.copy(ROOT / "examples" / "pyspark_job.py", tmp_path)
    (tmp_path / "raw").write_text(ROWS)
    here = [
        text.replace("s3://my-jobs", str(tmp_path)).replace("s3://flights", str(tmp_path))
        for text in (submit["sparkSubmitParameters"], submit["entryPoint"], *submit["entryPointArguments"])
    ]
    # SparkSubmitOperator makes such a command line of its `conf`.
    of_airflow = [part for name, value in airflows_conf().items() for part in ("--conf", f"{name}={value}")]
    own_python = here[0].replace("/usr/bin/python3.11", sys.executable)
    command = [str(Path(sys.executable).with_name("spark-submit")), *shlex.split(QUIET), *shlex.split(own_python)]
    events = run([*command, *of_airflow, *here[1:]], tmp_path, PYSPARK_PYTHON=sys.executable)
    assert [(event["job"]["name"], event["eventType"]) for event in events] == [
        ("complete-rows", "START"),
        (f"complete-rows.{tmp_path.name}_checked", "START"),
        (f"complete-rows.{tmp_path.name}_checked", "COMPLETE"),
        ("complete-rows", "COMPLETE"),
    ]
    assert {event["job"]["namespace"] for event in events} == {"emissions"}
    assert parent_of(events[0]) == PARENT


CLOSED = """
package py4j.security;
public class Py4JSecurityException extends RuntimeException {
    public Py4JSecurityException(String message) { super(message); }
    public static class Context {
        public Object sc() {
            throw new Py4JSecurityException("Method public SparkContext JavaSparkContext.sc() is not whitelisted");
        }
    }
}
"""


class Closed:
    """A context of a cluster without calls into its JVM."""

    def __init__(self, java: Any, context: SparkContext) -> None:
        self._jsc = java
        self._gateway = context._gateway
        self.getConf = context.getConf
        self.appName = "closed"


def test_a_cluster_that_closes_py4j_costs_one_warning_and_the_job_goes_on(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("HEADWATER_FILE", str(tmp_path / "sent.jsonl"))
    compiler = spark._jvm.org.codehaus.janino.SimpleCompiler()
    compiler.cook(CLOSED)
    constructors = compiler.getClassLoader().loadClass("py4j.security.Py4JSecurityException$Context").getConstructors()
    none = spark.sparkContext._gateway.new_array(spark._jvm.java.lang.Object, 0)
    session = SimpleNamespace(
        _sc=Closed(constructors[0].newInstance(none), spark.sparkContext),
        _jsparkSession=spark._jsparkSession,
        version=spark.version,
    )
    captured = capture(session)  # type: ignore[arg-type]
    assert captured.state == "off"
    (warning,) = [record.message for record in caplog.records if record.levelno == logging.WARNING]
    assert "capture is off: " in warning
    assert "py4j.security.Py4JSecurityException" in warning
    assert "is not whitelisted" in warning
    spark.range(1).write.parquet(str(tmp_path / "out"))
    assert captured.flush()
    captured.close()
    assert not (tmp_path / "sent.jsonl").exists()


def test_the_databricks_job_names_a_wheel_and_settings_that_the_client_knows() -> None:
    (task,) = definition("databricks_job.json")["tasks"]
    (library,) = task["libraries"]
    assert library["whl"].endswith("/headwater_client-0.1.0-py3-none-any.whl")
    guide = (ROOT / "docs" / "capture.md").read_text(encoding="utf-8")
    for name in task["new_cluster"]["spark_conf"]:
        assert name in guide or name.removeprefix("spark.headwater") in guide
