"""`headwater iam`: what each role may do, offline."""

import json

import pytest

from headwater.cli.main import main

# The CDK takes ten seconds to start; tests/stack/test_stack_permissions.py has the grants that are printed.
pytestmark = pytest.mark.slow


def test_each_statement_is_shown_as_json_with_the_reason_for_its_wildcard(capsys):
    assert main(["iam", "--json"]) == 0
    grants = json.loads(capsys.readouterr().out)
    [metrics] = [
        grant for grant in grants if grant["principal"] == "SparkJobs/TraceRoot" and grant["resources"] == ["*"]
    ]
    assert metrics == {
        "principal": "SparkJobs/TraceRoot",
        "service": "glue",
        "actions": ["cloudwatch:PutMetricData"],
        "resources": ["*"],
        "wildcards": ["*"],
        "reasons": {"*": "Metrics have no ARN; the condition names the one namespace, Glue's."},
        "conditions": {"StringEquals": {"cloudwatch:namespace": "Glue"}},
    }
    [producers] = [
        grant["resources"] for grant in grants if grant["service"] == "attached by hand" and len(grant["resources"]) > 1
    ]
    assert producers == ["Events/EventsQueue", "Ingestion/PackedQueue"]


def test_the_table_follows_the_context_values(capsys):
    assert main(["iam", "-c", "auth=token", "-c", "sign_digests=true"]) == 0
    table = capsys.readouterr().out
    assert table.isascii()
    rows = [line.split("\t") for line in table.splitlines()]
    assert rows[0] == ["role", "may", "on", "reason for a wildcard"]
    assert {len(row) for row in rows} == {4}
    assert all(row[0] for row in rows)
    for message in ("glue:StartJobRun", "if cloudwatch:namespace is", "kms:Sign"):
        assert message in table
