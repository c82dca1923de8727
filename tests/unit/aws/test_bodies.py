"""Pointers to bodies in S3: whoever may send a message writes them, and the function may read more than its sender."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.aws.bodies import (
    POINTED_BYTES_MAX,
    StoredBody,
    get_body,
    parse_body,
    parse_pointer,
    put_body,
    render_pointer,
)
from headwater_model.errors import Invalid

INGEST = "ingest"


class Buckets:
    """Objects in memory, of any name; `read` has the requested ones, `taken` the sizes that were read."""

    def __init__(self, content=b"x" * 10):
        self.content, self.read, self.taken = content, [], []
        self.put = {}

    def put_object(self, *, Bucket, Key, Body, **_):  # noqa: N803 - boto3's names
        self.put[Bucket, Key] = Body

    def get_object(self, *, Bucket, Key):  # noqa: N803 - boto3's names
        self.read.append((Bucket, Key))
        body = io.BytesIO(self.put.get((Bucket, Key), self.content))
        take = body.read
        body.read = lambda size=-1: self.taken.append(size) or take(size)
        return {"Body": body}


names = st.sampled_from([INGEST, "archive", "tables", "ingest2", "", "INGEST"]) | st.text(max_size=8)
keys = st.sampled_from(
    ["requests/", "requests/0a.json", "answers/x", "search/x", "/requests/x", "Requests/x", "facts/0a"]
)
pointers = st.fixed_dictionaries(
    {"bucket": names, "key": keys | st.text(max_size=20)},
    optional={"size_bytes": st.integers(-1, 20) | st.sampled_from([POINTED_BYTES_MAX, 10**18, "9", None, True, 1.5])},
)


@given(pointers)
def test_no_pointer_leads_out_of_the_folder_of_bodies_or_to_more_than_it_states(form):
    buckets = Buckets()
    try:
        content = get_body(buckets, INGEST, parse_pointer(form))
    except Invalid:
        content = None
    assert all(bucket == INGEST and key.startswith("requests/") for bucket, key in buckets.read)
    assert all(0 < size <= POINTED_BYTES_MAX + 1 for size in buckets.taken)
    assert content is None or len(content) <= form.get("size_bytes", POINTED_BYTES_MAX)


@pytest.mark.parametrize(
    ("pointer", "rule"),
    [
        (StoredBody("archive", "requests/x.json"), "s3.bucket: must be ingest, got 'archive'"),
        (StoredBody(INGEST, "answers/x.json"), "s3.key: must begin with requests/, got 'answers/x.json'"),
        (
            StoredBody(INGEST, "requests/x.json", 9),
            "s3.size_bytes: must be the size of the object, which is larger, got 9",
        ),
    ],
)
def test_a_pointer_elsewhere_is_refused_by_name(pointer, rule):
    with pytest.raises(Invalid, match=rule):
        get_body(Buckets(), INGEST, pointer)


def test_what_is_stored_is_read_as_its_pointer_states():
    buckets = Buckets()
    pointer = put_body(buckets, INGEST, '{"é": 1}')
    assert parse_pointer(parse_body(render_pointer(pointer))["s3"]) == pointer
    assert (pointer.size_bytes, get_body(buckets, INGEST, pointer)) == (9, '{"é": 1}'.encode())
