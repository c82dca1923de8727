"""Stored data, whose shape and identity must never change by accident."""

import re

import pytest

TLS_ONLY = {"Bool": {"aws:SecureTransport": "false"}}


def test_the_logical_ids_of_what_holds_data_never_change(template):
    """A new logical id is a new, empty table beside the old one."""
    kept = ("AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::SQS::Queue")
    assert {name for name, each in template.content["Resources"].items() if each["Type"] in kept} == {
        "StorageRecordsTable117FB13C",
        "StorageGraphTableCB45547A",
        "StorageAccessLogsBucketFEE4D6FB",
        "StorageArchiveBucketC50834F0",
        "StorageIntakeBucket7E289124",
        "IngestionRecordsDeadLettersE6CBB206",
        "IngestionRecordsQueueBF60233C",
        "IngestionPackedQueueB8B2B46A",
        "EventsEventsDeadLetters099131E5",
        "EventsEventsQueueAD388DBA",
        "EventsChangesDeadLetters1FAF96A9",
        "EventsChangesQueue3A875E55",
        "CompactionTraceDeadLettersE32978E3",
        "CompactionTraceQueueC04E87D1",
    }


def test_pages_of_any_origin_may_follow_links_into_a_bucket_and_do_nothing_else_there(template):
    buckets = template.of_type("AWS::S3::Bucket")
    rule = {
        "AllowedMethods": ["GET", "HEAD"],
        "AllowedOrigins": ["*"],
        "ExposedHeaders": ["Content-Encoding", "Content-Length", "ETag"],
        "MaxAge": 3600,
    }
    linked = {name: bucket["CorsConfiguration"] for name, bucket in buckets.items() if "CorsConfiguration" in bucket}
    assert linked == {name: {"CorsRules": [rule]} for name in ("ArchiveBucket", "IntakeBucket")}


@pytest.mark.parametrize("bucket", ["AccessLogsBucket", "ArchiveBucket", "IntakeBucket"])
def test_a_bucket_takes_requests_over_tls_alone(template, bucket):
    statements = template.of_type("AWS::S3::BucketPolicy")[f"{bucket}Policy"]["PolicyDocument"]["Statement"]
    denied = [
        (each["Action"], each["Condition"]) for each in statements if each["Effect"] == "Deny" and "Sid" not in each
    ]
    assert denied == [("s3:*", TLS_ONLY), ("s3:*", {"NumericLessThan": {"s3:TlsVersion": 1.2}})]


def test_the_archive_keeps_versions_and_expires_only_what_can_be_made_again(template):
    archive = template.of_type("AWS::S3::Bucket")["ArchiveBucket"]
    assert archive["VersioningConfiguration"] == {"Status": "Enabled"}
    assert archive["LifecycleConfiguration"]["Rules"] == [
        *(
            {
                "Id": f"replaced-{name}",
                "Status": "Enabled",
                "Prefix": f"{name}/",
                "NoncurrentVersionExpiration": {"NoncurrentDays": 90},
            }
            for name in ("tables", "facts")
        ),
        {"Id": "markers-of-nothing", "Status": "Enabled", "ExpiredObjectDeleteMarker": True},
        {"Id": "broken-uploads", "Status": "Enabled", "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 7}},
    ]


def test_a_request_set_aside_outlives_every_message_that_points_to_it(template):
    rules = template.of_type("AWS::S3::Bucket")["IntakeBucket"]["LifecycleConfiguration"]["Rules"]
    kept_days = {rule["Prefix"]: rule["ExpirationInDays"] for rule in rules if "Prefix" in rule}
    assert kept_days == {"requests/": 30, "answers/": 1, "search/": 1}
    assert {rule["Id"] for rule in rules if "Prefix" not in rule} == {"broken-uploads"}, "stream batches are kept"
    waiting_s = [queue["MessageRetentionPeriod"] for queue in template.of_type("AWS::SQS::Queue").values()]
    assert 2 * max(waiting_s) < 30 * 86400


@pytest.mark.parametrize("kept", ["AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::SQS::Queue", "AWS::Logs::LogGroup"])
def test_a_deleted_stack_keeps_its_data_unless_the_retention_context_value_says_destroy(template, turned, kept):
    assert template.removal_policies(kept) == {("RetainExceptOnCreate", "Retain")}
    assert turned.removal_policies(kept) == {("Delete", "Delete")}


def test_a_failed_first_deployment_leaves_nothing_behind(template):
    """`Retain` keeps what a failed creation made, and the next try makes it once more beside it.

    The exception is the account's role for logs of API Gateway: once it is set, other APIs log through it too.
    """
    retained = {
        each["Type"] for each in template.content["Resources"].values() if each.get("DeletionPolicy") == "Retain"
    }
    assert retained == {"AWS::ApiGateway::Account", "AWS::IAM::Role"}


def test_tables_are_protected_from_deletion_but_of_a_stack_that_may_be_destroyed(template, turned):
    protected = [
        [table["DeletionProtectionEnabled"] for table in stack.of_type("AWS::DynamoDB::Table").values()]
        for stack in (template, turned)
    ]
    assert protected == [[True, True], [False, False]]


# What names other resources by these properties.
REFERRERS = ("AWS::Lambda::EventSourceMapping", "AWS::Lambda::Permission", "AWS::Logs::MetricFilter")


def test_nothing_carries_a_physical_name_but_the_logs_that_services_look_for_by_name(template):
    names = {"TableName", "BucketName", "QueueName", "FunctionName", "RoleName", "LogGroupName", "TopicName"}
    names |= {"StateMachineName", "AlarmName", "DashboardName", "LayerName", "PolicyDocumentName"}
    named = [
        (logical_id, name)
        for logical_id, resource in template.content["Resources"].items()
        if resource["Type"] not in REFERRERS
        for name in names & set(resource.get("Properties", {}))
    ]
    assert sorted((re.sub("[0-9A-F]{8}$", "", logical_id), name) for logical_id, name in named) == [
        ("CompactionStateMachineLogs", "LogGroupName"),
        ("SparkJobsEngineErrorLogs", "LogGroupName"),
        ("SparkJobsEngineOutputLogs", "LogGroupName"),
    ]
