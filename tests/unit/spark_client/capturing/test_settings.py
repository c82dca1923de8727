from __future__ import annotations

import json
import re

import pytest

from spark_client.capturing.session.settings import Settings, parse_settings
from spark_client.current_run import JobRun
from spark_client.transport.destination import Destination

RUN = "0176a8c2-fe01-7439-87e6-56a1a1b4029f"
OURS = "spark.headwater.capture."


def test_no_settings_are_the_defaults() -> None:
    assert parse_settings({}, {}) == Settings()


@pytest.mark.parametrize(
    ("key", "text", "name", "value"),
    [
        ("enabled", "false", "enabled", False),
        ("sql", "FALSE", "sql", False),
        ("sqlMaxChars", "100", "sql_max_chars", 100),
        ("redactions", "secret=\\w+\n\n pin ", "redactions", (re.compile("secret=\\w+"), re.compile("pin"))),
        ("eventMaxBytes", "250000", "event_max_bytes", 250_000),
        ("executionsMax", "5", "executions_max", 5),
        ("planMaxNodes", "10", "plan_max_nodes", 10),
        ("planMaxChars", "11", "plan_max_chars", 11),
        ("planMaxMillis", "12", "plan_max_ms", 12),
        ("eventsMax", "13", "events_max", 13),
        ("eventsMaxBytes", "14", "events_max_bytes", 14),
        ("flushSeconds", "2.5", "flush_s", 2.5),
        ("flushSeconds", "0", "flush_s", 0.0),
        ("handleSigterm", "false", "handle_sigterm", False),
        ("trimPartitions", "false", "trims_partitions", False),
    ],
)
def test_each_setting_is_a_key_of_sparks_conf(
    key: str, text: str, name: str, value: object, caplog: pytest.LogCaptureFixture
) -> None:
    assert getattr(parse_settings({OURS + key: text}, {}), name) == value
    assert caplog.messages == []


@pytest.mark.parametrize(
    ("key", "text", "rule"),
    [
        ("sql", "perhaps", "must be true or false"),
        ("eventsMax", "0", "must be a whole number above 0"),
        ("eventsMax", "many", "must be a whole number above 0"),
        ("flushSeconds", "-1", "must be seconds, from 0 to 3600"),
        ("flushSeconds", "nan", "must be seconds, from 0 to 3600"),
        ("redactions", "ok\n(", "must be regular expressions, one a line"),
    ],
)
def test_a_value_that_breaks_its_rule_is_logged_once_and_the_default_is_taken(
    key: str, text: str, rule: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert parse_settings({OURS + key: text}, {}) == Settings()
    (message,) = caplog.messages
    assert message.startswith(f"{OURS}{key} is {text!r}: {rule}")
    assert message.endswith("; the default is taken")


def test_openlineage_disabled_switches_it_off() -> None:
    assert not parse_settings({}, {"OPENLINEAGE_DISABLED": " True "}).enabled
    assert parse_settings({}, {"OPENLINEAGE_DISABLED": "1"}).enabled


@pytest.mark.parametrize(
    ("conf", "environment", "destination"),
    [
        ({}, {"HEADWATER_URL": "http://a"}, Destination(url="http://a")),
        ({"spark.headwater.url": "http://b"}, {}, Destination(url="http://b")),
        ({"spark.headwater.url": "http://b"}, {"HEADWATER_FILE": "a"}, Destination(file="a")),
        (
            {"spark.headwater.function": "f", "spark.headwater.token": "t", "spark.headwater.auth": "none"},
            {},
            Destination(function="f", token="t", auth="none"),
        ),
        (
            {"spark.headwater.url": "http://b", "spark.headwater.token": "t"},
            {"HEADWATER_TOKEN": "mine"},
            Destination(url="http://b", token="mine"),
        ),
    ],
)
def test_headwaters_place_is_the_environments_then_the_confs(
    conf: dict[str, str], environment: dict[str, str], destination: Destination
) -> None:
    assert parse_settings(conf, environment).destination == destination


def test_the_jobs_names_and_the_runs_above_it_are_openlineages_keys() -> None:
    conf = {
        "spark.openlineage.namespace": "emissions",
        "spark.openlineage.appName": "calculate",
        "spark.openlineage.parentJobNamespace": "airflow",
        "spark.openlineage.parentJobName": "nightly.calculate",
        "spark.openlineage.parentRunId": RUN.upper(),
        "spark.openlineage.rootParentJobNamespace": "airflow",
        "spark.openlineage.rootParentJobName": "nightly",
        "spark.openlineage.rootParentRunId": RUN,
    }
    settings = parse_settings(conf, {"OPENLINEAGE_NAMESPACE": "other", "OPENLINEAGE_PARENT_ID": f"a/b/{RUN}"})
    assert settings == Settings(
        namespace="emissions",
        app_name="calculate",
        parent=JobRun("airflow", "nightly.calculate", RUN),
        root=JobRun("airflow", "nightly", RUN),
    )


def test_the_environment_names_namespace_and_parent_where_the_conf_does_not() -> None:
    environment = {"OPENLINEAGE_NAMESPACE": "emissions", "OPENLINEAGE_PARENT_ID": f"s3://flows/dag.task/{RUN}"}
    settings = parse_settings({}, environment)
    assert settings == Settings(namespace="emissions", parent=JobRun("s3://flows", "dag.task", RUN))


def a_context(job: str = "dag.task", **more: object) -> str:
    parent = {"run": {"runId": RUN.upper(), "facets": {}}, "job": {"namespace": "airflow", "name": job}, **more}
    return json.dumps({"parent": parent, "later": 1})


ROOT = {"run": {"runId": RUN}, "job": {"namespace": "airflow", "name": "dag"}}
IDS = {"OPENLINEAGE_PARENT_ID": f"ids/task/{RUN}", "OPENLINEAGE_ROOT_PARENT_ID": f"ids/dag/{RUN}"}
KEYS = {
    f"spark.openlineage.{prefix}{name}": value
    for prefix, job in (("parent", "task"), ("rootParent", "dag"))
    for name, value in (("JobNamespace", "keys"), ("JobName", job), ("RunId", RUN))
}


@pytest.mark.parametrize(
    ("conf", "environment", "parent", "root"),
    [
        ({}, {"OPENLINEAGE_CONTEXT": a_context(root=ROOT)}, ("airflow", "dag.task"), ("airflow", "dag")),
        ({}, {"OPENLINEAGE_CONTEXT": a_context(), **IDS}, ("airflow", "dag.task"), None),
        ({}, IDS, ("ids", "task"), ("ids", "dag")),
        ({}, {"OPENLINEAGE_CONTEXT": "{", **IDS}, ("ids", "task"), ("ids", "dag")),
        (KEYS, {"OPENLINEAGE_CONTEXT": a_context()}, ("keys", "task"), ("keys", "dag")),
        ({"spark.openlineage.context": a_context(), **KEYS}, IDS, ("airflow", "dag.task"), None),
        ({"spark.openlineage.context": "[]", **KEYS}, IDS, ("keys", "task"), ("keys", "dag")),
    ],
)
def test_the_context_names_the_runs_above_before_the_other_forms_of_its_place(
    conf: dict[str, str],
    environment: dict[str, str],
    parent: tuple[str, str],
    root: tuple[str, str] | None,
) -> None:
    settings = parse_settings(conf, environment)
    assert (settings.parent, settings.root) == (JobRun(*parent, RUN), root and JobRun(*root, RUN))


@pytest.mark.parametrize(
    ("conf", "environment"),
    [
        *(
            ({}, {"OPENLINEAGE_CONTEXT": text})
            for text in (
                "{",
                "null",
                "[" * 100_000,
                '{"parent": []}',
                '{"parent": {"job": {"namespace": "a", "name": "b"}}}',
                a_context(job=""),
                a_context(root={"run": {"runId": 1}, "job": ROOT["job"]}),
            )
        ),
        ({"spark.openlineage.parentRunId": RUN}, {}),
        ({}, {"OPENLINEAGE_PARENT_ID": RUN}),
        ({}, {"OPENLINEAGE_PARENT_ID": f"a//{RUN}"}),
    ],
)
def test_half_a_parent_is_logged_and_left_out(
    conf: dict[str, str], environment: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    assert parse_settings(conf, environment).parent is None
    assert len(caplog.messages) == 1


@pytest.mark.parametrize(
    ("options", "transport"),
    [
        ({}, None),
        ({"url": "http://h"}, None),
        (
            {
                "type": "http",
                "url": "http://h",
                "endpoint": "api/v1/lineage",
                "auth.type": "api_key",
                "auth.apiKey": "k",
                "timeoutInMillis": "2500",
                "compression": "gzip",
                "headers.X-Team": "a",
                "headers.x.dotted": "b",
            },
            {
                "type": "http",
                "url": "http://h",
                "endpoint": "api/v1/lineage",
                "auth": {"type": "api_key", "apiKey": "k"},
                "timeout": 2.5,
                "compression": "gzip",
                "custom_headers": {"X-Team": "a", "x.dotted": "b"},
            },
        ),
        (
            {"type": "kafka", "topicName": "t", "properties.bootstrap.servers": "h:1"},
            {"type": "kafka", "topic": "t", "config": {"bootstrap.servers": "h:1"}},
        ),
        ({"type": "file", "location": "/x"}, {"type": "file", "log_file_path": "/x", "append": True}),
        (
            {
                "type": "composite",
                "continueOnFailure": "false",
                "transports.a.type": "file",
                "transports.a.location": "/x",
                "transports.b.type": "http",
                "transports.b.headers.h": "1",
            },
            {
                "type": "composite",
                "continue_on_failure": False,
                "transports": {
                    "a": {"type": "file", "log_file_path": "/x", "append": True},
                    "b": {"type": "http", "custom_headers": {"h": "1"}},
                },
            },
        ),
        ({"type": "my.Transport", "queueUrl": "q"}, {"type": "my.Transport", "queueUrl": "q"}),
        ({"type": "http", "auth": "x", "auth.type": "api_key"}, {"type": "http", "auth": {"type": "api_key"}}),
    ],
)
def test_a_transport_of_the_java_client_is_translated(options: dict[str, str], transport: object) -> None:
    conf = {f"spark.openlineage.transport.{key}": value for key, value in options.items()}
    assert parse_settings(conf, {}).transport == transport
