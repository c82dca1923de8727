"""The feed as JSON."""

from __future__ import annotations

from headwater.api.marquez import feed_types as types
from headwater.api.values import render_id, when
from headwater.queries.results.feed import News, SchemaChange

# Of a schema of thousands of columns, a few say what happened.
_FIELDS_MAX = 100


def render_news(news: News) -> types.News:
    """Return one piece of news."""
    return {
        "kind": news.kind,
        "at": when(news.time),
        "nodeId": news.of.node_id,
        "owners": list(news.owners),
        "job": render_id(news.job) if news.job else None,
        "runId": news.run,
        "runState": news.run_state,
        "failedRuns": news.failed_runs,
        "change": _render_change(news.change) if news.change else None,
    }


def _render_change(change: SchemaChange) -> types.SchemaChange:
    changed = (change.added, change.dropped, change.retyped)
    return {
        "added": [{"name": name, "type": of} for name, of in change.added[:_FIELDS_MAX]],
        "dropped": [{"name": name, "type": of} for name, of in change.dropped[:_FIELDS_MAX]],
        "retyped": [
            {"name": name, "before": before, "after": after} for name, before, after in change.retyped[:_FIELDS_MAX]
        ],
        "leftOut": sum(max(len(fields) - _FIELDS_MAX, 0) for fields in changed),
    }
