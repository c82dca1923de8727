"""The proof of a record over HTTP, computed from the links alone, as a page computes it (docs/verify.md)."""

import gzip
import json
from hashlib import sha256

import pytest
import requests

from headwater.records import proof as proofs
from headwater.records.digest import key_of
from tests.aws.api.conftest import ROOT
from tests.builders import DAY, HOUR

NEXT_DAY, THIRD_DAY = "2025-11-21", "2025-11-22"


def bytes_behind(link):
    """Read the bytes behind a link, still gzipped: no client unpacks them on the way."""
    response = requests.get(link, timeout=60, stream=True)
    assert (response.status_code, response.headers["Content-Encoding"]) == (200, "identity")
    return response.raw.read(decode_content=False)


def lines_of(body):
    return [json.loads(line) for line in gzip.decompress(body).splitlines()]


def faults_of(proof):
    """List the faults by each step of docs/verify.md, from the record to the end of the chain."""
    faults = []
    body = bytes_behind(proof["object"]["location"])
    hashed = sha256(body).hexdigest()
    if (hashed, len(body)) != (proof["object"]["sha256"], proof["object"]["size_bytes"]):
        faults.append("object")
    elif not any(proof["node_id"] in nodes_of(line) and line["root_id"] == proof["root_id"] for line in lines_of(body)):
        faults.append("record")
    digests = [bytes_behind(digest["location"]) for digest in proof["digests"]]
    listed = {entry.get("key"): entry for entry in lines_of(digests[0])[1:]}.get(proof["object"]["key"], {})
    if (listed.get("sha256"), listed.get("size_bytes")) != (hashed, len(body)):
        faults.append("listed")
    heads = [lines_of(body)[0] for body in digests]
    claims = [*(head["previous"] for head in heads[1:]), proof["end"]]
    return faults + [
        digest["day"]
        for digest, body, claim in zip(proof["digests"], digests, claims, strict=True)
        if claim != {"day": digest["day"], "key": digest["key"], "sha256": sha256(body).hexdigest()}
    ]


def nodes_of(line):
    return [step["node_id"] for step in line["lineage"][:-1]]


def replaced(cloud, key, change):
    """Replace an object of the archive by a changed object."""
    bucket = cloud.outputs["ArchiveBucketName"]
    body = cloud.s3.get_object(Bucket=bucket, Key=key)["Body"].read()
    cloud.s3.put_object(Bucket=bucket, Key=key, Body=change(body), ContentEncoding="gzip")


def flipped(body):
    return body[:-9] + bytes([body[-9] ^ 1]) + body[-8:]


def recompressed_without(node):
    return lambda body: gzip.compress(gzip.decompress(body).replace(node.encode(), b"other"))


@pytest.fixture
def sealed(api, cloud):
    """A root with records on the first and the third of three sealed days; another root's on the second."""
    api.put((ROOT, "read", "READ"), ("read", "east", "SPLIT"))
    cloud.compact(DAY)
    cloud.now_s += 24 * HOUR
    api.put(("trains", "train", "READ"), root="trains")
    cloud.compact(NEXT_DAY)
    cloud.now_s += 24 * HOUR
    api.put(("read", "late", "SPLIT"))
    return cloud


def test_a_records_proof_goes_from_its_object_to_the_end_of_the_chain(api, sealed):
    response = api.proof_of("east")

    proof = response.json
    object_, [first, second] = proof["object"], proof["digests"]
    [key] = sealed.objects(f"traces/year=2025/month=11/day={DAY[-2:]}/")
    assert (response.status, proof["state"], proof["fault"], proof["next"]) == (200, "sealed", None, None)
    assert (object_["day"], object_["key"], object_["records"], object_["lines"]) == (DAY, key, 2, 1)
    assert [first["day"], second["day"]] == [DAY, NEXT_DAY]
    assert proof["end"]["day"] == NEXT_DAY
    assert (object_["listed"], faults_of(proof)) == (True, [])


def test_a_later_object_of_the_root_proves_its_earlier_records_once_its_day_is_sealed(api, sealed):
    assert api.proof_of("late").json["state"] == "live"
    sealed.trace(ROOT, day=THIRD_DAY)
    unsealed = api.proof_of("late").json
    assert (unsealed["state"], unsealed["object"]["day"], unsealed["digests"]) == ("archived", THIRD_DAY, [])
    assert (unsealed["object"]["listed"], unsealed["fault"]) == (False, None)
    assert api.proof_of("read").json["object"]["day"] == DAY

    sealed.compact(THIRD_DAY)

    for node in ("read", "late"):
        proof = api.proof_of(node).json
        assert (proof["object"]["day"], [digest["day"] for digest in proof["digests"]]) == (THIRD_DAY, [THIRD_DAY])
        assert faults_of(proof) == []


def test_a_proof_shows_the_ids_of_its_own_root_alone(api, cloud):
    """A digest lists late roots by their hash: a token for another root learns no id."""
    api.put((ROOT, "read", "READ"))
    cloud.trace(ROOT, day=DAY)
    api.put(("secret-root", "train", "READ"), root="secret-root")
    plan = cloud.plan(DAY)
    cloud.now_s = plan["deadline"]
    assert cloud.seal(plan)["missing"] == 1

    proof = api.proof_of("read").json
    texts = [gzip.decompress(bytes_behind(file["location"])) for file in (proof["object"], *proof["digests"])]
    assert faults_of(proof) == []
    assert b"secret-root" not in b"".join([*texts, json.dumps(proof).encode()])
    assert {"missing": sha256(b"secret-root").hexdigest()} in lines_of(bytes_behind(proof["digests"][0]["location"]))


def test_what_is_not_archived_yet_has_a_state_and_no_proof(api, cloud):
    api.put((ROOT, "read", "READ"))
    nothing = {"object": None, "digests": [], "end": None, "next": None, "fault": None}
    live = {"root_id": ROOT, "node_id": "read", "state": "live", **nothing}
    assert (api.proof_of("read").status, api.proof_of("read").json) == (200, live)

    cloud.now_s += 25 * HOUR
    assert api.proof_of("read").json == {**live, "state": "expired"}
    cloud.stream(cloud.expire())
    assert api.proof_of("read").json == {**live, "state": "expired"}


def test_an_unknown_record_root_or_day_is_refused(api, sealed):
    assert api.proof_of("none").refusal == (404, f"node: the root {ROOT!r} has no record 'none'")
    # Neither the step of the compaction, nor a record of another root.
    compaction = lines_of(next(iter(sealed.objects().values())))[0]["lineage"][-1]["node_id"]
    assert [api.proof_of(node).status for node in (compaction, "train")] == [404, 404]
    assert api.proof_of("read", "nowhere").status == 404
    assert api.proof_of("read", after="soon").refusal[0] == 400
    assert api.send("GET", f"/api/v1/records/roots/{ROOT.replace('/', '%2F')}/proof").refusal[0] == 400
    assert api.proof_of("read", remaining_s=5).refusal[0] == 413


@pytest.mark.parametrize(
    ("tampered", "change", "faults", "fault"),
    [
        # The service reads no further than the record.
        ("object", flipped, ["object", "listed"], None),
        ("object", lambda body: b"?" + body[1:], ["object", "listed"], "cannot be read"),
        ("object", recompressed_without("east"), ["object", "listed"], "was committed"),
        (DAY, recompressed_without("traces"), ["listed", DAY], "does not list"),
        (NEXT_DAY, recompressed_without("execution"), [NEXT_DAY], None),
    ],
)
def test_the_page_finds_what_somebody_changed(api, sealed, tampered, change, faults, fault):
    key = api.proof_of("east").json["object"]["key"] if tampered == "object" else key_of(tampered)
    replaced(sealed, key, change)

    proof = api.proof_of("east").json

    assert (proof["state"], faults_of(proof)) == ("sealed", faults)
    assert fault is None or fault in proof["fault"]


def test_a_removed_object_or_digest_is_named(api, sealed):
    bucket, key = sealed.outputs["ArchiveBucketName"], api.proof_of("east").json["object"]["key"]
    sealed.s3.delete_object(Bucket=bucket, Key=key_of(DAY))
    proof = api.proof_of("east").json
    assert (proof["fault"], proof["object"]["listed"]) == (f"{key_of(DAY)} is not there", False)
    assert [digest["day"] for digest in proof["digests"]] == [NEXT_DAY]

    sealed.s3.delete_object(Bucket=bucket, Key=key)
    assert api.proof_of("east").json["fault"] == f"{key} is not there"


def test_more_digests_than_one_response_has_come_page_by_page(api, sealed, monkeypatch):
    monkeypatch.setattr(proofs, "DIGESTS_MAX", 1)
    # Objects that are no digest, beside the digests: a signature, and a readme.
    for name in (key_of(DAY).replace("digest.jsonl.gz", "digest.sig.json"), "digests/year=2025/readme"):
        sealed.s3.put_object(Bucket=sealed.outputs["ArchiveBucketName"], Key=name, Body=b"")

    first = api.proof_of("east").json
    second = api.proof_of("east", after=first["next"]).json

    assert ([digest["day"] for digest in first["digests"]], first["next"]) == ([DAY], DAY)
    assert ([digest["day"] for digest in second["digests"]], second["next"]) == ([NEXT_DAY], None)
    assert faults_of({**first, "digests": first["digests"] + second["digests"]}) == []
