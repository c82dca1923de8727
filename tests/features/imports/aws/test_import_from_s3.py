"""`headwater import s3://...`: the events of objects, as OpenLineage's S3 transport writes them, or gzipped lines."""

import gzip
import json

from headwater.features.imports.event_sources import sources_of
from tests.builders_events import a_run_event

EVENTS = [a_run_event(run=f"01941f29-7c00-7ea7-b5a3-4d2d5f0a1b{number:02}") for number in range(3)]


def test_objects_under_a_prefix_are_read_in_order_of_their_names(cloud):
    cloud.s3.create_bucket(Bucket="lake")
    lines = b"".join(json.dumps(event).encode() + b"\n" for event in EVENTS[1:])
    objects = {"events/1.json": json.dumps(EVENTS[0]).encode(), "events/2.jsonl.gz": gzip.compress(lines)}
    for key, body in {**objects, "events/empty": b"", "other/3.json": b"{}"}.items():
        cloud.s3.put_object(Bucket="lake", Key=key, Body=body)

    sources = list(sources_of(["s3://lake/events/"]))

    assert [source.name for source in sources] == [f"s3://lake/{key}" for key in objects]
    assert [json.loads(event.body) for source in sources for event in source.events(0)] == EVENTS
    assert [event.place for event in sources[1].events(1)] == ["s3://lake/events/2.jsonl.gz:2"]
    assert len({source.version for source in sources}) == 2
