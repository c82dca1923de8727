"""`headwater verify` on a copy of an archive: its output, and its end."""

import json

import pytest

from headwater.cli.main import main
from headwater.cli.verify import escape
from headwater.records.digest import key_of
from tests.archives import MONDAY, TUESDAY, WEDNESDAY, a_key, pem_of, three_days
from tests.unit.records.tampering import flip, forge, remove, setting

KEY = a_key()


@pytest.fixture
def archive(tmp_path, monkeypatch):
    """A signed copy; the command's own files are beside it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "key.pem").write_bytes(pem_of(KEY))
    (tmp_path / "copy").mkdir()
    return three_days(tmp_path / "copy", KEY)


def verify(*arguments):
    return main(["verify", "--archive", "copy", "--public-key", "key.pem", *arguments])


def kept(archive):
    return "--expect", archive.last().sha256


def lines_of(captured):
    return captured.out.splitlines()


def test_a_copy_that_is_as_it_was_sealed(archive, capsys):
    assert verify(*kept(archive)) == 0
    assert lines_of(capsys.readouterr()) == [
        f"{archive.folder}, {MONDAY} to {WEDNESDAY}: the last digest's sha256 is {archive.last().sha256}",
        "3 of 3 digests are valid",
        "5 objects (112 bytes) were compared with them",
        "all of it is as it was sealed",
    ]


def test_each_finding_is_a_line_and_the_counts_come_last(archive, capsys):
    file = archive.objects[TUESDAY][1]
    flip(archive, file.key)
    forge(archive, MONDAY, setting(0, sealed_at=1))
    archive.put("traces/\x1b[2J", b"")

    assert verify(*kept(archive), "--jobs", "1") == 1

    monday, sha256 = key_of(MONDAY), archive.sha256_of(key_of(MONDAY))
    signature = monday.replace("digest.jsonl.gz", "digest.sig.json")
    was = archive.links[MONDAY].sha256
    assert lines_of(capsys.readouterr()) == [
        f"{MONDAY}  {monday}  CHANGED: sha256 is {sha256}, the digest of {TUESDAY} says {was}",
        f"{MONDAY}  {signature}  BAD SIGNATURE: it is of the SHA-256 {was}, the digest's is {sha256}",
        "----------  traces/\\x1b[2J  ADDED: no object of the archive has such a key",
        f"{TUESDAY}  {file.key}  CHANGED: sha256 is {archive.sha256_of(file.key)}, the digest says {file.sha256}",
        f"{archive.folder}, {MONDAY} to {WEDNESDAY}: the last digest's sha256 is {archive.last().sha256}",
        "2 of 3 digests are valid",
        "5 objects (112 bytes) were compared with them",
        "found: 1 ADDED, 1 BAD SIGNATURE, 2 CHANGED",
    ]


def test_as_json_each_line_is_an_object(archive, capsys):
    removed = archive.objects[WEDNESDAY][0]
    remove(archive, removed.key)

    assert verify(*kept(archive), "--from", TUESDAY, "--json") == 1
    assert [json.loads(line) for line in lines_of(capsys.readouterr())] == [
        {"day": WEDNESDAY, "key": removed.key, "kind": "REMOVED", "message": "the digest lists it", "fault": True},
        {
            "archive": str(archive.folder),
            "digests": 2,
            "digests_valid": 2,
            "objects": 3,
            "size_bytes": 68,
            "anchors": ["--expect", "--public-key"],
            "faults": {"REMOVED": 1},
        },
    ]


ANCHORS = {
    "nobody": ([], 1, "all that is there agrees with its own digests; nothing outside the archive vouches for them"),
    "a key": (
        ["--public-key", "key.pem"],
        0,
        "all that is there is as it was sealed and signed; days removed from the end would not be seen",
    ),
    "who asks": (["--expect", "SHA256"], 0, "all of it is as it was sealed"),
    "both": (["--public-key", "key.pem", "--expect", "SHA256"], 0, "all of it is as it was sealed"),
}


@pytest.mark.parametrize(("anchors", "code", "verdict"), ANCHORS.values(), ids=ANCHORS)
def test_no_more_is_claimed_than_what_vouches_for_the_chain(archive, capsys, anchors, code, verdict):
    given = [archive.last().sha256 if word == "SHA256" else word for word in anchors]
    copy = ["verify", "--archive", "copy", *given]

    assert main(copy) == 0
    assert lines_of(capsys.readouterr())[-1] == verdict
    assert main([*copy, "--require-anchor"]) == code
    assert lines_of(capsys.readouterr())[-1] == verdict


REFUSED = {
    "a folder that is not there": ["--archive", "other"],
    "a key that is not there": ["--public-key", "other.pem"],
    "a key that is none": ["--public-key", "copy/" + key_of(MONDAY)],
    "a copy and a stack": ["--local", "http://127.0.0.1:4566"],
    "days without a digest": ["--from", "2025-12-01"],
    "a folder without an archive": ["--archive", "."],
}


@pytest.mark.parametrize("arguments", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_verified_ends_with_2(archive, arguments):
    assert verify(*arguments) == 2


@pytest.mark.parametrize(
    "arguments",
    [["--from", "2025-11-31"], ["--expect", "x"], ["--jobs", "0"], ["--jobs", "x"]],
)
def test_wrong_arguments_are_refused(archive, arguments):
    with pytest.raises(SystemExit, match="2"):
        verify(*arguments)


def test_what_a_terminal_would_obey_is_printed_as_text():
    assert escape("a b\x1b\n‮ä") == "a b\\x1b\\n\\u202eä"
