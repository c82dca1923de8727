"""The local stack's objects beside stock moto: equal results and errors, kept after the end of the process."""

from __future__ import annotations

import uuid

import boto3
import pytest
from botocore.exceptions import ClientError
from hypothesis import given, settings
from hypothesis import strategies as st
from moto import mock_aws
from moto.core.models import botocore_stubber

from local_stack.aws.endpoint import Endpoint, settings_at

KEYS = st.sampled_from(["a/1", "a/ü 2", "a/b/3", "c", "a"])
BODIES = st.sampled_from([b"", b"first", b"\x00\xff"])


@pytest.fixture(scope="module")
def theirs():
    with mock_aws():
        yield boto3.client("s3", region_name="us-east-1")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("objects")


@pytest.fixture(scope="module")
def ours(theirs, folder):
    endpoint = Endpoint(port=0, functions_url="http://127.0.0.1:9", logs=folder, state=folder / "state.sqlite")
    yield client_of(endpoint)
    endpoint.stop()


def client_of(endpoint):
    client = boto3.client("s3", **settings_at(endpoint.url))
    client.meta.events.unregister("before-send", botocore_stubber)
    return client


class Life:
    """A bucket, and its versions in the order of their creation."""

    def __init__(self, client, *, versioned):
        self.client, self.name, self.versions = client, f"b-{uuid.uuid4()}", []
        client.create_bucket(Bucket=self.name)
        if versioned:
            client.put_bucket_versioning(Bucket=self.name, VersioningConfiguration={"Status": "Enabled"})

    def act(self, name, form):
        """Send a request with versions by number; return the result without names and times, or the error."""
        form = dict(form)
        if "VersionId" in form:
            form["VersionId"] = self.versions[form["VersionId"] % len(self.versions)] if self.versions else "none"
        if "CopySource" in form:
            form["CopySource"] = {"Bucket": self.name, "Key": form["CopySource"]}
        try:
            result = getattr(self.client, name)(Bucket=self.name, **form)
        except ClientError as error:
            return error.response["Error"]["Code"], error.response["ResponseMetadata"]["HTTPStatusCode"]
        if "Body" in result:
            result["Body"] = result["Body"].read()
        return self._plain(result)

    def pages(self, name, form):
        """Read all pages of a list."""
        pages = self.client.get_paginator(name).paginate(Bucket=self.name, **form)
        return [self._plain(page) for page in pages]

    def _plain(self, result):
        for unequal in ("ResponseMetadata", "LastModified", "Name", "ContinuationToken", "NextContinuationToken"):
            result.pop(unequal, None)
        for each in result.values():
            for entry in each if isinstance(each, list) else [each]:
                if isinstance(entry, dict):
                    self._plain(entry)
        for member in ("VersionId", "DeleteMarkerVersionId", "VersionIdMarker", "NextVersionIdMarker"):
            if version := result.get(member):
                if version not in self.versions:
                    self.versions.append(version)
                result[member] = self.versions.index(version)
        return result


def objects_of(keys):
    return {"Objects": [{"Key": key} for key in keys]}


CONDITIONS = {"IfNoneMatch": st.just("*")}
ATTRIBUTES = {
    "ContentType": st.just("text/plain"),
    "ContentEncoding": st.just("gzip"),
    "Metadata": st.just({"day": "2025-11-20"}),
    "ChecksumAlgorithm": st.just("SHA256"),
    "ServerSideEncryption": st.just("AES256"),
    "StorageClass": st.just("STANDARD_IA"),
}
VERSION = {"VersionId": st.integers(0, 5)}
REQUESTS = {
    "put_object": ({"Key": KEYS, "Body": BODIES}, CONDITIONS | ATTRIBUTES),
    "get_object": ({"Key": KEYS}, VERSION | {"Range": st.sampled_from(["bytes=2-", "bytes=9-"])}),
    "head_object": ({"Key": KEYS}, VERSION | {"ChecksumMode": st.just("ENABLED")}),
    "delete_object": ({"Key": KEYS}, VERSION),
    "delete_objects": ({"Delete": st.lists(KEYS, min_size=1, max_size=3).map(objects_of)}, {}),
    "copy_object": ({"Key": KEYS, "CopySource": KEYS}, {}),
}
LISTS = st.fixed_dictionaries(
    {},
    optional={
        "Prefix": st.sampled_from(["a", "a/", "none"]),
        "Delimiter": st.just("/"),
        "StartAfter": KEYS,
        "PaginationConfig": st.sampled_from([{"PageSize": 1}, {"PageSize": 2}]),
    },
)


def requests():
    return st.one_of(
        [
            st.tuples(st.just(name), st.fixed_dictionaries(needed, optional=optional))
            for name, (needed, optional) in REQUESTS.items()
        ]
    )


@settings(max_examples=15, deadline=None)
@given(versioned=st.booleans(), lived=st.lists(requests(), max_size=12), lists=st.lists(LISTS, max_size=4))
def test_any_requests_have_motos_results(ours, theirs, versioned, lived, lists):
    lives = [Life(client, versioned=versioned) for client in (ours, theirs)]
    for name, form in lived:
        results = [life.act(name, form) for life in lives]
        assert results[0] == results[1], (name, form)
    for form in [{}, *lists]:
        pages = [life.pages("list_objects_v2", form) for life in lives]
        assert pages[0] == pages[1], form
    pages = [life.pages("list_object_versions", {}) for life in lives]
    assert pages[0] == pages[1]


def test_an_object_of_parts_has_motos_result(ours, theirs):
    lives = [Life(client, versioned=False) for client in (ours, theirs)]
    for life in lives:
        place = {"Bucket": life.name, "Key": "parts"}
        place["UploadId"] = life.client.create_multipart_upload(**place, ContentType="text/plain")["UploadId"]
        part = life.client.upload_part(**place, PartNumber=1, Body=b"part")
        parts = [{"PartNumber": 1, "ETag": part["ETag"]}]
        life.client.complete_multipart_upload(**place, MultipartUpload={"Parts": parts})
    results = [life.act("get_object", {"Key": "parts"}) for life in lives]
    assert results[0] == results[1]
    assert results[0]["Body"] == b"part"
