"""Names that the construct and the functions of alerts share: environment variables, rows of the graph table."""

from __future__ import annotations

# The queue of jobs and datasets at which the alerts function looks; not set where there are no alerts.
ALERTS_QUEUE_URL = "ALERTS_QUEUE_URL"
# The event bus of the alerts, and their rules as JSON (`rules`).
ALERTS_BUS = "ALERTS_BUS"
ALERT_RULES = "ALERT_RULES"
# The rows of alerts: causes that were sent, and nodes to look at when a time has come.
ALERTS = "ALERT#"
DUE = "DUE#"
