"""The context values: those of production by default, and no typing mistake deploys."""

import json
import re

import pytest

from headwater_model.errors import Invalid
from infra.context import NAMES, ObjectLock, StackContext, parse_context
from tests.stack.assemblies import ABSENT, LIST_BYTES, PROJECT, REFUSED

PRODUCTION = StackContext(
    stage="prod",
    records_ttl_hours=24,
    retain=True,
    name_prefix="",
    alarm_email=None,
    alarm_ok=False,
    dashboard=False,
    token_api=False,
    compaction_hour_utc=0,
    partition_trimming=True,
    temporary_patterns=None,
    drop_running_events=(),
    search_scan_gb=10,
    glue_version="5.1",
    sign_digests=False,
    web_acl_arn=None,
    requests_per_address=None,
    api_concurrency=None,
    snap_start=False,
    object_lock=None,
    boto3_client=False,
    layer=True,
)
WEB_ACL = "arn:aws:wafv2:eu-west-1:123456789012:regional/webacl/any/01234567-89ab-cdef-0123-456789abcdef"
LOCK_RULE = "must be governance:DAYS or compliance:DAYS of 1 to 36500 days, or none"
NO_NAME = f"must be one of the context values {', '.join(NAMES)}"


def test_without_a_context_value_the_stack_is_that_of_production():
    assert parse_context({}) == PRODUCTION


def test_cdk_json_writes_the_defaults_down_and_says_what_each_context_value_does():
    context = json.loads((PROJECT / "cdk.json").read_text(encoding="utf-8"))["context"]
    assert parse_context(context) == PRODUCTION
    for name in NAMES:
        assert name in context
        assert f"//{name}" in context


def test_the_operations_guide_lists_every_context_value():
    guide = (PROJECT / "docs" / "operations.md").read_text(encoding="utf-8")
    assert [name for name in NAMES if f"| `{name}` |" not in guide] == []


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ({"stage": "dev-2"}, {"stage": "dev-2"}),
        ({"records_ttl_hours": "48"}, {"records_ttl_hours": 48}),
        ({"retention": "destroy"}, {"retain": False}),
        ({"alarm_email": "ops@example.org"}, {"alarm_email": "ops@example.org"}),
        ({"alarm_ok": "true"}, {"alarm_ok": True}),
        ({"dashboard": "true"}, {"dashboard": True}),
        ({"auth": "token"}, {"token_api": True}),
        ({"strict_namespaces": True}, {"strict_namespaces": True}),
        ({"partition_trimming": "false"}, {"partition_trimming": False}),
        ({"temporary_patterns": ["a{1,3}", "/_tmp/"]}, {"temporary_patterns": ("a{1,3}", "/_tmp/")}),
        ({"temporary_patterns": '["a{1,3}"]'}, {"temporary_patterns": ("a{1,3}",)}),
        ({"temporary_patterns": "^tmp_, /scratch/"}, {"temporary_patterns": ("^tmp_", "/scratch/")}),
        ({"temporary_patterns": "none"}, {"temporary_patterns": ()}),
        ({"drop_running_events": "flink*, kafka"}, {"drop_running_events": ("flink*", "kafka")}),
        ({"compaction_hour_utc": "23"}, {"compaction_hour_utc": 23}),
        ({"search_scan_gb": "250"}, {"search_scan_gb": 250}),
        ({"glue_version": 5.0}, {"glue_version": "5.0"}),
        ({"sign_digests": "true"}, {"sign_digests": True}),
        ({"web_acl_arn": WEB_ACL}, {"web_acl_arn": WEB_ACL}),
        ({"requests_per_address": "2000"}, {"requests_per_address": 2000}),
        ({"requests_per_address": None, "api_concurrency": "none", "object_lock": ""}, {}),
        ({"api_concurrency": 50}, {"api_concurrency": 50}),
        ({"snap_start": "true"}, {"snap_start": True}),
        ({"object_lock": "governance:30"}, {"object_lock": ObjectLock(30, compliance=False)}),
        ({"dynamodb_client": "boto3"}, {"boto3_client": True}),
        ({"layer": "false"}, {"layer": False}),
        ({"of_a_feature_that_was_removed": None}, {}),
        ({"@aws-cdk/core:checkSecretUsage": True, "//": "words", "ssm:account=1": "x"}, {}),
    ],
)
def test_a_context_value_is_read_from_the_command_line_as_from_the_file(context, expected):
    kept = {name: getattr(PRODUCTION, name) for name in PRODUCTION.__slots__}
    assert parse_context(context) == StackContext(**{**kept, **expected})


@pytest.mark.parametrize(
    ("context", "message"),
    [
        (
            {"stage": "Prod"},
            "stage: must be a lower-case letter, then at most 19 letters, digits and hyphens, got 'Prod'",
        ),
        ({"records_ttl_hours": "0"}, "records_ttl_hours: must be a whole number from 1 to 8760, got '0'"),
        ({"retention": "keep"}, "retention: must be retain or destroy, got 'keep'"),
        ({"alarm_email": "ops"}, "alarm_email: must be an e-mail address, or none, got 'ops'"),
        ({"auth": "none"}, "auth: must be iam or token, got 'none'"),
        ({"strict_namespaces": "yes"}, "strict_namespaces: must be true or false, got 'yes'"),
        (
            {"drop_running_events": ["*flink"]},
            "drop_running_events: must be namespaces, each a name, or the beginning of names and then `*`, "
            "got ['*flink']",
        ),
        (
            {"temporary_patterns": "tmp("},
            "temporary_patterns: must be regular expressions (missing ), unterminated subpattern at position 3), "
            "got 'tmp('",
        ),
        *(
            (
                {name: ["a" * (LIST_BYTES + 1)]},
                f"{name}: must take at most 1000 bytes of a function's environment, and takes 1001, "
                f"got ['{'a' * 78}… (997 characters)",
            )
            for name in ("temporary_patterns", "drop_running_events")
        ),
        ({"compaction_hour_utc": 24}, "compaction_hour_utc: must be a whole number from 0 to 23, got 24"),
        ({"glue_version": "4.0"}, "glue_version: must be 5.1 or 5.0, got '4.0'"),
        (
            {"web_acl_arn": WEB_ACL.replace("regional", "global")},
            "web_acl_arn: must be the ARN of a regional web ACL of WAFv2, or none, got "
            "'arn:aws:wafv2:eu-west-1:123456789012:global/webacl/any/01234567-89ab-cdef-0123-… (93 characters)",
        ),
        (
            {"requests_per_address": 9},
            "requests_per_address: must be a whole number from 10 to 100000000, or none, got 9",
        ),
        (
            {"requests_per_address": 2000, "web_acl_arn": WEB_ACL},
            "requests_per_address: must not be given with web_acl_arn: a stage has one web ACL, and yours can have the "
            "rule, got 2000",
        ),
        *(
            ({"object_lock": value}, f"object_lock: {LOCK_RULE}, got {value!r}")
            for value in ("governance", "governance:0", "governance:36501", "Compliance:1", 30)
        ),
        ({"dynamodb_client": "aiodynamo"}, "dynamodb_client: must be own or boto3, got 'aiodynamo'"),
        ({"retenton": "x"}, f"retenton: {NO_NAME}; did you mean retention?, got 'x'"),
        (
            {"auth": "none", "retention": "keep"},
            "retention: must be retain or destroy, got 'keep'; auth: must be iam or token, got 'none'",
        ),
    ],
)
def test_a_wrong_context_value_is_refused_by_name_value_and_rule(context, message):
    with pytest.raises(Invalid) as refused:
        parse_context(context)
    assert str(refused.value) == message


@pytest.mark.large
def test_synthesis_refuses_a_wrong_context_value_and_writes_no_template(assemblies):
    refused = json.loads((assemblies / REFUSED).read_text(encoding="utf-8"))
    assert refused == {"status": 2, "printed": "retention: must be retain or destroy, got 'keep'\n", "templates": 0}


def test_cloudformation_tags_every_resource_of_a_stack_by_service_and_stage(assembly):
    """It hands the tags of a stack on to its resources ("Resource tag", CloudFormation's guide)."""
    manifest = json.loads((assembly().parent / "manifest.json").read_text(encoding="utf-8"))
    [tags] = [
        artifact["properties"]["tags"]
        for artifact in manifest["artifacts"].values()
        if "tags" in artifact.get("properties", {})
    ]
    assert tags == {"service": "headwater", "stage": "prod"}


def test_a_stack_names_no_partition(turned):
    """In GovCloud and in China ARNs begin with `arn:aws-us-gov` and `arn:aws-cn`."""
    text = json.dumps(turned.content)
    assert [text[at.start() - 80 : at.end() + 40] for at in re.finditer(r"arn:aws\b", text)] == []
    assert "amazonaws.com/" not in text


def test_a_stack_without_features_has_nothing_of_them(template):
    written = json.dumps(template.content)
    assert [text for text in ABSENT if text in written] == []
