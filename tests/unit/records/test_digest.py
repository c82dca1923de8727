"""The digest's form: what is written is read, and what is none, or of a later release, is refused with the reason."""

import json

import pytest

from headwater.records.archive_state import DigestRef, Seal
from headwater.records.digest import BadDigest, Counts, DigestLines, Head, key_of, render_digest
from headwater.records.pointers import ArchiveObject
from headwater_model.ids import sha256_hex

DAY = "2026-11-20"
PREFIX = "traces/year=2026/month=11/day=20/"
HEAD = Head(DAY, Seal("nightly", 1_795_221_000), DigestRef("2026-11-19", key_of("2026-11-19"), "0" * 64))
OBJECTS = [
    ArchiveObject(f"{PREFIX}{'a' * 64}.{'1' * 64}.jsonl.gz", "1" * 64, 100, 3, 2, version=1),
    ArchiveObject(f"{PREFIX}{'a' * 64}.{'2' * 64}.jsonl.gz", "2" * 64, 200, 4, 2, version=2, base="traces/before"),
    ArchiveObject(f"{PREFIX}{'b' * 64}.{'3' * 64}.jsonl.gz", "3" * 64, 50, 1, 1, version=7),
]
MISSING = ["r-1", "r-\n2"]
MISSING_SHAS = sorted(map(sha256_hex, MISSING))


def lines(head=HEAD, objects=OBJECTS, missing=MISSING):
    return list(render_digest(head, objects, missing))


def test_what_is_written_is_read():
    digest = DigestLines(lines())
    assert (digest.head, digest.counts) == (HEAD, None)
    assert list(digest.objects()) == OBJECTS
    assert (digest.missing, digest.counts) == (MISSING_SHAS, Counts(3, 2, 8, 5, 350, missing=2))


def test_a_digest_names_no_root_in_clear():
    assert [
        root for root in MISSING for line in lines() if root in json.dumps(json.loads(line), ensure_ascii=False)
    ] == []


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (lambda digest_lines: [], "version: must be 1 to 4, got None"),
        (
            lambda digest_lines: [digest_lines[0].replace(b'"version":3', b'"version":5'), *digest_lines[1:]],
            "a later release of Headwater",
        ),
        (lambda digest_lines: [b"[]\n", *digest_lines[1:]], "a line is no JSON object"),
        (lambda digest_lines: [b"no json\n"], "a line is no JSON"),
        (lambda digest_lines: [b'{"version":1,"day":"2026-11-20"}\n'], "the first line is not that of a digest"),
        (lambda digest_lines: digest_lines[:-1], "breaks off before its counts"),
        (lambda digest_lines: [*digest_lines, digest_lines[-1]], "ends with its counts"),
        (lambda digest_lines: [digest_lines[0], b'{"key":"k"}\n', digest_lines[-1]], "a line is not that of a digest"),
        (
            lambda digest_lines: [digest_lines[0], b'{"counts":{"objects":"many","what":1}}\n'],
            "a line is not that of a digest",
        ),
    ],
)
def test_what_is_no_digest_is_refused_with_the_reason(broken, reason):
    with pytest.raises(BadDigest, match=reason):
        list(DigestLines(broken(lines())).objects())
