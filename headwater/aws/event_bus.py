"""An event bus of EventBridge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson
from botocore.exceptions import BotoCoreError, ClientError

from headwater_model.errors import Unavailable

if TYPE_CHECKING:
    from mypy_boto3_events import EventBridgeClient

SOURCE = "headwater"


@dataclass(frozen=True, slots=True)
class EventBus:
    """A bus to which this service sends events of the source `headwater`."""

    events: EventBridgeClient
    name: str

    def publish(self, kind: str, detail: dict[str, Any]) -> None:
        """Send an event of this detail type.

        Raises:
            Unavailable: the bus did not take the event.
        """
        body = orjson.dumps(detail).decode()
        try:
            sent = self.events.put_events(
                Entries=[{"EventBusName": self.name, "Source": SOURCE, "DetailType": kind, "Detail": body}]
            )
        except (BotoCoreError, ClientError) as error:
            raise Unavailable(f"the event bus {self.name} took no event: {error}") from error
        if sent["FailedEntryCount"]:
            failure = sent["Entries"][0]
            raise Unavailable(f"the event bus {self.name} took no event: {failure.get('ErrorCode', '')}")
