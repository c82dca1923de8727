"""Parts that a deployment can do without, a folder each. The core names none of them; `FEATURES` lists them all."""

from __future__ import annotations

from headwater.features.feature import Feature

_INSIGHTS = "/api/v1/(feed|reports/(broken|column-readers|coverage|durations|old-data))"
FEATURES: tuple[Feature, ...] = (
    Feature("export", "command"),
    Feature("check", "command"),
    Feature("recall", "command", routes="/api/v1/reports/recall"),
    Feature("mcp", "command"),
    Feature("insights", routes=_INSIGHTS, rows="feed_rows"),
    Feature("names", "command", routes="/api/v1/reports/similar"),
    Feature("rows", "command", routes="/api/v1/namespaces/[^/]+/datasets/[^/]+/rows/", rows="row_ids"),
    Feature("groups", routes="/api/v1/reports/estate"),
    Feature("imports", "command"),
    Feature("forwarding", "command", "context", "construct", loaded="FORWARD_QUEUE_URL"),
    Feature("bucket_events", "context", "construct"),
    Feature("alerts", "context", "construct", "serve", loaded="ALERTS_QUEUE_URL"),
    Feature("graph_tables", "context", "construct", "job"),
    Feature("company", "context", "construct"),
    Feature("erase", "command", "context", "construct", screen="ERASE"),
    Feature("retention", "context", "construct", merged="superseded"),
    Feature("sign_in", "command", "context", "construct", "serve", door="SIGN_IN_ISSUER"),
    Feature("release", "command"),
    Feature("smoke", "command"),
    Feature("cost", "command"),
)
