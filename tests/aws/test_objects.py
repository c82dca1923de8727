"""Objects that are written once: a second write of the same bytes succeeds, one of others is a clear error."""

import hashlib
import re

import pytest

from headwater.aws.objects import put_once
from headwater_model.errors import Conflict, Unavailable
from tests.aws.faults import after, before, refused, timed_out

KEY, BODY = "traces/one.jsonl.gz", b"bytes"
SHA256 = hashlib.sha256(BODY).hexdigest()


@pytest.fixture
def bucket(cloud):
    return cloud.outputs["ArchiveBucketName"]


def write(cloud, bucket, body=BODY):
    put_once(cloud.s3, bucket, KEY, body, sha256=hashlib.sha256(body).hexdigest(), content_type="text/plain")


def versions(cloud, bucket):
    return len(cloud.s3.list_object_versions(Bucket=bucket, Prefix=KEY).get("Versions", []))


def test_a_write_that_comes_again_leaves_the_object_as_it_is(cloud, bucket):
    write(cloud, bucket)
    write(cloud, bucket)

    assert versions(cloud, bucket) == 1


def test_a_write_whose_response_was_lost_succeeds_when_it_is_tried_again(cloud, bucket):
    # botocore sends a request again that got no answer: the second one meets what the first one wrote.
    with after(cloud.s3, "PutObject", timed_out()), pytest.raises(type(timed_out())):
        write(cloud, bucket)
    write(cloud, bucket)

    assert versions(cloud, bucket) == 1


def test_an_object_that_was_put_without_a_checksum_is_read_to_be_compared(cloud, bucket):
    cloud.s3.put_object(Bucket=bucket, Key=KEY, Body=BODY)
    write(cloud, bucket)

    cloud.s3.put_object(Bucket=bucket, Key=KEY, Body=b"other")
    with pytest.raises(Conflict):
        write(cloud, bucket)


def test_other_bytes_in_its_place_are_named_and_stay(cloud, bucket):
    other = hashlib.sha256(b"other").hexdigest()
    write(cloud, bucket, b"other")

    returned = f"s3://{bucket}/{KEY}: sha256 must be {SHA256}, got {other}: somebody else wrote the object"
    with pytest.raises(Conflict, match=f"^{re.escape(returned)}$"):
        write(cloud, bucket)
    assert versions(cloud, bucket) == 1


def test_another_write_that_was_under_way_and_left_nothing_is_for_a_later_try(cloud, bucket):
    conflict = refused("ConditionalRequestConflict")
    with before(cloud.s3, "PutObject", conflict), pytest.raises(Unavailable, match="was under way, and left nothing"):
        write(cloud, bucket)
