"""Parts that a deployment can do without, a folder each. The core names none of them; `FEATURES` lists them all."""

from __future__ import annotations

from headwater.features.feature import Feature

FEATURES: tuple[Feature, ...] = (
    Feature("export", command="headwater.features.export.command"),
    Feature("check", command="headwater.features.check.command"),
    Feature(
        "recall",
        command="headwater.features.recall.command",
        routes=(("headwater.features.recall.routes", "/api/v1/reports/recall"),),
    ),
    Feature("mcp", command="headwater.features.mcp.command"),
    Feature(
        "insights",
        routes=(
            (
                "headwater.features.insights.routes",
                "/api/v1/(feed|reports/(broken|column-readers|coverage|durations|old-data))",
            ),
        ),
        rows="headwater.features.insights.feed_rows",
    ),
    Feature(
        "names",
        command="headwater.features.names.command",
        routes=(("headwater.features.names.routes", "/api/v1/reports/similar"),),
    ),
    Feature(
        "rows",
        command="headwater.features.rows.command",
        routes=(("headwater.features.rows.routes", "/api/v1/namespaces/[^/]+/datasets/[^/]+/rows/"),),
        rows="headwater.features.rows.row_ids",
    ),
    Feature("groups", routes=(("headwater.features.groups.routes", "/api/v1/reports/estate"),)),
    Feature("imports", command="headwater.features.imports.command"),
    Feature(
        "forwarding",
        command="headwater.features.forwarding.command",
        on_loaded=("FORWARD_QUEUE_URL", "headwater.features.forwarding.loaded"),
        context="headwater.features.forwarding.context",
        construct="headwater.features.forwarding.construct",
    ),
    Feature(
        "bucket_events",
        context="headwater.features.bucket_events.context",
        construct="headwater.features.bucket_events.construct",
    ),
    Feature(
        "alerts",
        serve="headwater.features.alerts.serve",
        on_loaded=("ALERTS_QUEUE_URL", "headwater.features.alerts.loaded"),
        context="headwater.features.alerts.context",
        construct="headwater.features.alerts.construct",
    ),
    Feature(
        "graph_tables",
        job="headwater.features.graph_tables.job",
        context="headwater.features.graph_tables.context",
        construct="headwater.features.graph_tables.construct",
    ),
    Feature(
        "company",
        context="headwater.features.company.context",
        construct="headwater.features.company.construct",
    ),
    Feature(
        "erase",
        command="headwater.features.erase.command",
        screen=("ERASE", "headwater.features.erase.screen"),
        context="headwater.features.erase.context",
        construct="headwater.features.erase.construct",
    ),
    Feature(
        "retention",
        merged="headwater.features.retention.superseded",
        context="headwater.features.retention.context",
        construct="headwater.features.retention.construct",
    ),
    Feature(
        "sign_in",
        command="headwater.features.sign_in.command",
        serve="headwater.features.sign_in.serve",
        door=("SIGN_IN_ISSUER", "headwater.features.sign_in.door"),
        context="headwater.features.sign_in.context",
        construct="headwater.features.sign_in.construct",
    ),
    Feature("release", command="headwater.features.release.command"),
    Feature("smoke", command="headwater.features.smoke.command"),
    Feature("cost", command="headwater.features.cost.command"),
)
