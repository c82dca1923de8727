"""The template's tables, jobs, searches and keys are on the endpoint, under the names that its outputs say."""

import boto3
import pytest

from local_stack.errors import UnknownInTemplate
from local_stack.stack import LocalStack
from tests.e2e.search_template import a_job, a_search_template


@pytest.fixture
def stack(search_stack):
    return search_stack


@pytest.fixture
def client(stack):
    return lambda service: boto3.client(service, **stack.client_settings)


def test_a_job_has_its_arguments_resolved(stack, client):
    job = client("glue").get_job(JobName=stack.outputs["CompactName"])["Job"]
    assert job["DefaultArguments"] == {
        "--job": "compact_archive",
        "--archive": f"s3://{stack.outputs['ArchiveBucketName']}",
        "--extra-py-files": "s3://assets/lineage.zip",
    }
    assert job["ExecutionProperty"] == {"MaxConcurrentRuns": 2}
    assert job["Timeout"] == 7


def test_a_workgroup_has_its_limit_and_its_queries(stack, client):
    group = stack.outputs["SearchWorkgroup"]
    returned = client("athena").get_work_group(WorkGroup=group)["WorkGroup"]["Configuration"]
    assert returned["BytesScannedCutoffPerQuery"] == 10_000_000
    assert returned["ResultConfiguration"] == {"OutputLocation": f"s3://{stack.outputs['ArchiveBucketName']}/search/"}
    (kept,) = client("athena").list_named_queries(WorkGroup=group)["NamedQueryIds"]
    query = client("athena").get_named_query(NamedQueryId=kept)["NamedQuery"]
    assert (query["Name"], query["Database"]) == ("by root", stack.outputs["SearchDatabase"])


@pytest.mark.parametrize(
    ("logical_id", "change", "complaint"),
    [
        ("Compact", {"NonOverridableArguments": {}}, "property NonOverridableArguments is not known"),
        ("Compact", {"MaxRetries": 1}, "property MaxRetries: Input should be 0, got 1"),
        ("Compact", {"Command": {"Name": "pythonshell"}}, "property Command.Name: Input should be 'glueetl'"),
        ("Search", {"State": "DISABLED"}, "property State: Input should be 'ENABLED', got 'DISABLED'"),
        ("Signing", {"KeySpec": "RSA_2048"}, "property KeySpec: Input should be 'ECC_NIST_P256' or"),
    ],
)
def test_what_would_not_be_done_is_refused(logical_id, change, complaint):
    template = a_search_template(Compact=a_job("compact_archive"))
    template["Resources"][logical_id]["Properties"] |= change
    with pytest.raises(UnknownInTemplate, match=complaint):
        LocalStack(template)
