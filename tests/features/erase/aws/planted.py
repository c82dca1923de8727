"""An estate with planted texts about four targets, and with neighbours of the targets."""

import gzip
import json
import zlib

from moto.backends import get_backend
from moto.core import DEFAULT_ACCOUNT_ID

from headwater.features.erase.targets import Target
from tests.builders import a_message
from tests.builders_events import a_dataset, a_dataset_event, a_facet, a_job_event, a_run_event, a_schema

OTHERS = ("lake", "emissions")
RUNS = iter(f"0176a8c2-fe01-7439-87e6-{number:012x}" for number in range(1, 100_000))


class Estate:
    """The targets, and the texts planted in their content."""

    def __init__(self, number):
        self.texts = [f"planted{place:04}" for place in range(number)]
        self._next = iter(self.texts)
        self.namespace, self.dataset, self.job, self.root = (self.text() for _ in range(4))
        self.targets = [
            Target("root", name=self.root),
            Target("namespace", self.namespace),
            Target("dataset", "lake", self.dataset),
            Target("job", "emissions", self.job),
        ]

    def text(self):
        """The next planted text; at the end the last text."""
        return next(self._next, self.texts[-1])

    def records(self):
        """Records of the target with planted ids, and of another root."""
        nodes = [self.text() for _ in range(len(self.texts) // 5)]
        ours = [
            a_message(root_id=self.root, parent_id=parent, node_id=node, storage_location=f"s3://b/{node}")
            for parent, node in zip([self.root, *nodes[:-1]], nodes, strict=True)
        ]
        return [*ours, a_message(), a_message(node_id="n-2", parent_id="n-1")]

    def _of_targets(self):
        """Yield events about targets alone."""
        for _ in range(len(self.texts) // 5):
            column, text = self.text(), self.text()
            target = a_dataset(self.dataset, "lake", [column, "id"])
            target["facets"]["documentation"] = a_facet("DocumentationDataset", description=text)
            target["facets"]["tags"] = a_facet("TagsDataset", tags=[{"key": text, "value": "x", "source": "s"}])
            yield a_dataset_event(target)
            yield a_dataset_event(a_dataset(text, self.namespace, [column]))
        for _ in range(len(self.texts) // 10):
            sql, message, name = self.text(), self.text(), self.text()
            facets = {"sql": a_facet("SQLJob", query=f"SELECT '{sql}'")}
            failed = {"errorMessage": a_facet("ErrorMessageRun", message=message, programmingLanguage="SQL")}
            ends = {"inputs": [a_dataset("raw", "lake")], "outputs": [a_dataset("made", "lake", [sql])]}
            yield a_run_event(
                run=next(RUNS), job=self.job, job_facets=facets, run_facets=failed, eventType="FAIL", **ends
            )
            yield a_run_event(run=next(RUNS), job=name, namespace=self.namespace, job_facets=facets, **ends)

    def events(self):
        """List the events of the targets, and of a neighbour."""
        sources = {
            "inputFields": [{"namespace": "lake", "name": name, "field": "id"} for name in (self.dataset, "raw")]
        }
        columns = a_facet("ColumnLineageDataset", "1-2-0", fields={"id": sources})
        output = a_dataset("shared", "lake", ["id"])
        output["facets"]["columnLineage"] = columns
        parent = a_facet(
            "ParentRun", "1-1-0", run={"runId": next(RUNS)}, job={"namespace": "emissions", "name": self.job}
        )
        return [
            *self._of_targets(),
            a_run_event(
                run=next(RUNS),
                job="neighbour",
                inputs=[a_dataset(self.dataset, "lake"), a_dataset("raw", "lake")],
                outputs=[output, a_dataset(self.text(), self.namespace)],
                run_facets={"parent": parent, "headwater_records": a_facet("R", rootIds=[self.root, "flights"])},
            ),
        ]

    def changes(self):
        """List changes through the API about targets."""
        at = {"eventTime": "2025-11-20T12:00:00.000000Z", "namespace": "lake", "dataset": self.dataset}
        return [{"change": "TAG", "tag": self.text(), **at}, {"change": "DOCUMENT", "description": self.text(), **at}]


def untouched():
    """List events without targets."""
    return [
        a_run_event(
            run="0176a8c2-fe01-7439-87e6-ffffffffffff",
            job="apart",
            inputs=[a_dataset("a", "lake", ["id"])],
            outputs=[a_dataset("b", "lake")],
        ),
        a_job_event(job="planned", inputs=[a_dataset("b", "lake")], outputs=[a_dataset("c", "lake")]),
        a_dataset_event({**a_dataset("a", "lake"), "facets": {"schema": a_schema("id", "more")}}),
    ]


def places_of(cloud, texts):
    """List the places with any of the texts: items of tables, versions of buckets, messages."""
    needles = [text.encode() for text in texts]
    return sorted({place for place, body in _everything(cloud) if any(needle in body for needle in needles)})


def _everything(cloud):
    for table in ("Records", "Graph"):
        for item in cloud.items(table):
            name = item["pk"]["S"] if table == "Graph" else item["root_id"]["S"]
            body = item.get("body", {}).get("B", b"")
            yield (
                f"{table}: {name.partition('#')[0]}",
                json.dumps(item, default=str).encode() + (zlib.decompress(body) if body else b""),
            )
    for bucket in get_backend("s3")[DEFAULT_ACCOUNT_ID]["aws"].buckets.values():
        for key, versions in bucket.keys.lists():
            for version in versions:
                body = getattr(version, "value", b"")
                body = gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body
                yield (
                    f"{bucket.name}: {key.partition('/')[0]}",
                    body + json.dumps(dict(getattr(version, "metadata", {}))).encode() + key.encode(),
                )
    for queue in get_backend("sqs")[DEFAULT_ACCOUNT_ID]["us-east-1"].queues.values():
        for message in queue._messages:
            yield f"queue: {queue.name}", str(message.body).encode()
