"""Names shared by the construct and the functions of forwarding: environment variables, rows of the graph table."""

# The destination of forwarded events: an OpenLineage endpoint, with the secret of its token if it has a token, or a
# domain of DataZone; a JSON list of patterns of namespaces; the FIFO queue of announced events with its dead letters.
FORWARD_URL = "FORWARD_URL"
FORWARD_DOMAIN = "FORWARD_DOMAIN"
FORWARD_NAMESPACES = "FORWARD_NAMESPACES"
FORWARD_SECRET = "FORWARD_SECRET"  # noqa: S105 - the name of a variable, no secret
FORWARD_QUEUE_URL = "FORWARD_QUEUE_URL"
FORWARD_DLQ_URL = "FORWARD_DLQ_URL"
# The marks of announced lines of the log (`announcements`).
ANNOUNCED = "ANNOUNCED#"
