"""Names shared by the construct and the function: the queue of notifications, and its dead letters."""

from __future__ import annotations

BUCKET_EVENTS_QUEUE_URL = "BUCKET_EVENTS_QUEUE_URL"
BUCKET_EVENTS_DLQ_URL = "BUCKET_EVENTS_DLQ_URL"
