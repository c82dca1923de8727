"""Names shared by the construct and the functions of alerts: environment variables, rows of the graph table."""

# The queue of jobs and datasets to look at; not set without alerts.
ALERTS_QUEUE_URL = "ALERTS_QUEUE_URL"
# The event bus of the alerts, and their rules as JSON (`rules`).
ALERTS_BUS = "ALERTS_BUS"
ALERT_RULES = "ALERT_RULES"
# The rows of alerts: causes already sent, and nodes to look at later.
ALERTS = "ALERT#"
DUE = "DUE#"
