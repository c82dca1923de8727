"""Names shared by the construct and the function: the queue of notifications, and its dead letters."""

BUCKET_EVENTS_QUEUE_URL = "BUCKET_EVENTS_QUEUE_URL"
BUCKET_EVENTS_DLQ_URL = "BUCKET_EVENTS_DLQ_URL"
