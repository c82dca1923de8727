"""The jobs and datasets for the alerts function to look at, as messages of its queue.

The events function sends them after it loaded a batch, before it acknowledges the batch: if it dies between, the batch
comes again, and so do they. A message carries names alone, in no order: the alerts function looks at the facts.

    {"look": [["job", "flights", "load"], ["dataset", "s3://lake", "orders"]]}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from headwater.aws.items import chunks
from headwater.aws.queues import Message, send_all
from headwater.events.event import ApiChange, Event, Tagging
from headwater.facts.assertions import ASSERTIONS
from headwater.features.alerts.cause import Node
from headwater_model.errors import Invalid
from headwater_model.ids import DatasetId, JobId

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

# Names of a message: with the bounds of names (`events.event`) they take far less than SQS's 1 MiB.
_NODES_MAX = 100


@dataclass(frozen=True, slots=True)
class LookQueue:
    """The queue of nodes for the alerts function to look at."""

    sqs: SQSClient
    queue_url: str

    def put(self, nodes: Iterable[Node]) -> int:
        """Queue the nodes, each once; return the number of messages.

        Raises:
            Unavailable: the queue refused a part; the caller's own messages have to come again.
        """
        ordered = sorted(set(nodes), key=lambda node: (type(node).__name__, node.namespace, node.name))
        return send_all(
            self.sqs, self.queue_url, [Message(render_look(group)) for group in chunks(ordered, _NODES_MAX)]
        )


def nodes_of(statements: Iterable[Event | ApiChange]) -> Iterator[Node]:
    """Yield the jobs and datasets with a possible cause in these statements."""
    for statement in statements:
        if isinstance(statement, Event):
            if statement.job is not None:
                yield statement.job
            if statement.dataset is not None:
                yield statement.dataset.dataset
            yield from (use.dataset for use in statement.outputs)
            # A read of a dataset is no cause, but the event may report the dataset's tests.
            yield from (use.dataset for use in statement.inputs if ASSERTIONS.keys() & {*use.facets, *use.use_facets})
        elif isinstance(statement, Tagging) and statement.dataset is not None:
            yield statement.dataset


def render_look(nodes: Iterable[Node]) -> str:
    """Render the nodes as a message."""
    named = [["job" if isinstance(node, JobId) else "dataset", node.namespace, node.name] for node in nodes]
    return orjson.dumps({"look": named}).decode()


def parse_look(body: str) -> list[Node]:
    """Parse the nodes of a message.

    Raises:
        Invalid: the body has another form.
    """
    kinds: Mapping[str, type[DatasetId | JobId]] = {"job": JobId, "dataset": DatasetId}
    try:
        named = orjson.loads(body)["look"]
        return [kinds[kind](str(namespace), str(name)) for kind, namespace, name in named]
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise Invalid.because("look", body[:200], "must be a list of [job or dataset, namespace, name]") from error
