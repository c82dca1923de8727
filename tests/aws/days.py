"""Days of roots for the compaction's tests, and the digests that seal them."""

import gzip
import hashlib
import json

from tests.builders import messages

NEXT_DAY = "2025-11-21"


def digest_of(cloud, day):
    body = cloud.objects(f"digests/year={day[:4]}/month={day[5:7]}/day={day[8:]}/")
    ((_, compressed),) = body.items()
    head, *entries, counts = map(json.loads, gzip.decompress(compressed).splitlines())
    objects = [entry for entry in entries if "key" in entry]
    missing = [entry["missing"] for entry in entries if "missing" in entry]
    event_objects = [entry["event_object"] for entry in entries if "event_object" in entry]
    digest = {**head, **counts, "objects": objects, "missing": missing, "event_objects": event_objects}
    return digest, hashlib.sha256(compressed).hexdigest()


def roots(number):
    return [message for root in range(number) for message in messages({"file": f"r{root}", "row": "file"}, f"r{root}")]
