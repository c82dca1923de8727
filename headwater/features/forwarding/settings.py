"""Names that the construct and the functions of forwarding share: environment variables, rows of the graph table."""

from __future__ import annotations

# Where events of chosen namespaces are forwarded: an OpenLineage endpoint, a JSON list of patterns, the secret of its
# token (not set where it needs none), and the FIFO queue of announced events with its dead letters.
FORWARD_URL = "FORWARD_URL"
FORWARD_NAMESPACES = "FORWARD_NAMESPACES"
FORWARD_SECRET = "FORWARD_SECRET"  # noqa: S105 - the name of a variable, no secret
FORWARD_QUEUE_URL = "FORWARD_QUEUE_URL"
FORWARD_DLQ_URL = "FORWARD_DLQ_URL"
# The marks of lines of the log that were announced to be forwarded (`announcements`).
ANNOUNCED = "ANNOUNCED#"
