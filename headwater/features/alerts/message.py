"""The message of an alert: the causes, the owners of the node, everything downstream, and a link.

    {"id": "…", "kind": "ColumnDropped", "node": "dataset:s3://lake:orders", "summary": "…", "mrkdwn": "…",
     "mail": "…", "link": "https://…", "owners": ["team:orders"],
     "causes": [{"id": "…", "since": "2025-11-20T12:00:00.000000Z", "dropped": ["price"]}],
     "downstream": {"total": 12, "truncated": false, "owners": ["team:finance"], "nodes": [{"node": "job:…", "hops": 1,
     "owners": ["team:finance"]}, …], "columns": ["datasetField:…"]}, "cut": false}

Producers choose the names in a message, and people trust the message. So `summary` is a line of plain text, `mail` the
same with the link, and `mrkdwn` for Slack, each name in a code span; the rest is data for programs. Lists and texts are
cut to the size of an event of EventBridge; `total` counts all, and `cut` marks a cut.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias
from urllib.parse import urlencode

import orjson

from headwater.features.alerts.cause import MANY, Cause
from headwater.queries.columns.column_impact import ImpactWalk
from headwater.queries.graph_queries import find_graph, report_impact
from headwater.queries.results.entities import Dataset, Job
from headwater.queries.view import GraphView
from headwater_model.field_paths import parse_dotted
from headwater_model.ids import DatasetId, sha256_hex

DEPTH = 20
# The lengths to which the lists and texts of a message are cut, until it fits an event of EventBridge: less than 256 KB
# of source, detail type and detail, as UTF-8 ("Calculating Amazon EventBridge PutEvents event entry size").
CUTS = ((100, 10_000), (20, 2_000), (5, 500), (1, 200), (0, 100))
BYTES_MAX = 200_000
# The short parts of a message: they are of no use if cut.
_WHOLE = ("id", "kind", "node", "summary", "mrkdwn", "mail", "link")
# Columns of a cause with a read of their downstream.
_STARTS_MAX = 10
# Causes in the summary, names of each list in a sentence, and characters of a name: Slack shows 3,000 in all.
_CAUSES_NAMED = 3
_NAMED = 5
_NAME_MAX = 100
_SENTENCES_MAX = 1_200
# A name in the form for a reader.
_Show: TypeAlias = Callable[[str], str]
# Characters that Slack decodes, the end of a code span, and characters that an EventBridge template may not escape.
_IN_SLACK = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "`": "'", '"': "'", "\\": "/"}


def render_alert(causes: Sequence[Cause], view: GraphView, explorer: str) -> dict[str, Any]:
    """Render the message of causes of the same kind and node."""
    message = _render_whole(causes, view, explorer)
    return cut_to_fit(message)


def render_many(namespace: str, hour: str, held: Iterable[tuple[str, str]], explorer: str) -> dict[str, Any]:
    """Render the message of the causes without alerts of a namespace in an hour, each (kind, node)."""
    kinds, nodes = Counter[str](), list[str]()
    for kind, node in held:
        kinds[kind] += 1
        nodes += [node] if len(nodes) < CUTS[0][0] else []
    numbers = dict(sorted(kinds.items()))

    def summary(show: _Show) -> str:
        by_kind = ", ".join(f"{number} {kind}" for kind, number in numbers.items())
        have = f"{number} causes in the hour from {hour} have no alert of their own"
        return f"{show(namespace)}: {have} ({by_kind}). Among them {', '.join(map(show, nodes[:_NAMED]))}."

    number = sum(kinds.values())
    message = {
        "id": sha256_hex(f"{namespace}\0{hour}\0{number}")[:32],
        "kind": MANY,
        "namespace": namespace,
        "hour": hour,
        "summary": summary(plain),
        "mrkdwn": summary(mrkdwn),
        "mail": " ".join(filter(None, (summary(plain), explorer))),
        "link": explorer or None,
        "number": number,
        "numbers": numbers,
        "nodes": nodes,
    }
    sent = cut_to_fit(message)
    return {**sent, "cut": number > len(sent["nodes"])}


def cut_to_fit(message: Mapping[str, Any]) -> dict[str, Any]:
    """Cut the message to the size of an event of EventBridge, and mark a cut."""
    whole = {name: message[name] for name in _WHOLE if name in message}
    cuts = ({**_cut(message, *lengths), **whole} for lengths in CUTS)
    sent = next((cut for cut in cuts if len(orjson.dumps(cut)) <= BYTES_MAX), whole)
    return {**sent, "cut": sent != message}


def _cut(value: Any, items: int, characters: int) -> Any:
    """Cut the lists and texts of a JSON value to these lengths."""
    if isinstance(value, str):
        return _shortened(value, characters)
    if isinstance(value, dict):
        return {name: _cut(part, items, characters) for name, part in value.items()}
    return [_cut(part, items, characters) for part in value[:items]] if isinstance(value, list) else value


def _render_whole(causes: Sequence[Cause], view: GraphView, explorer: str) -> dict[str, Any]:
    first = causes[0]
    # The node itself, for its owners; and all nodes downstream of it, nearest first.
    graph = find_graph(view, first.node.node_id, depth=0)
    owners = _owners(node for node in (graph.nodes if graph else ()) if node.id == first.node)
    impact = report_impact(view, first.node.node_id, depth=DEPTH)
    nodes = [(reached.node, reached.hops) for reached in impact.impacted] if impact else []
    # The address of the node's page in the explorer.
    page = "dataset" if isinstance(first.node, DatasetId) else "job"
    summary = summarize(causes, len(nodes), owners, plain)
    link = f"{explorer}{page}?{urlencode({'node': first.node.node_id})}" if explorer else None
    return {
        "id": sha256_hex("\0".join(sorted(cause.id for cause in causes)))[:32],
        "kind": first.kind,
        "node": first.node.node_id,
        "summary": summary,
        "mrkdwn": summarize(causes, len(nodes), owners, mrkdwn),
        "mail": " ".join(filter(None, (summary, link))),
        "link": link,
        "owners": owners,
        "causes": [{"id": cause.id, "since": cause.time, **cause.detail} for cause in causes],
        "downstream": {
            "total": len(nodes),
            "truncated": bool(impact and impact.truncated),
            "owners": _owners(node for node, _ in nodes),
            "nodes": [{"node": node.id.node_id, "hops": hops, "owners": _owners([node])} for node, hops in nodes],
            "columns": _columns_below(causes, view),
        },
    }


def _owners(nodes: Iterable[Job | Dataset]) -> list[str]:
    """List the owners of nodes, each once, in order of their names."""
    return sorted({owner.name for node in nodes for owner in node.annotations.owners})


def _columns_below(causes: Sequence[Cause], view: GraphView) -> list[str]:
    """List the columns derived from the columns of the causes, as the graph was before each cause."""
    below: dict[str, None] = {}
    for cause in causes:
        if not isinstance(cause.node, DatasetId):
            continue
        then = view.as_of(cause.before)
        for name in cause.columns[:_STARTS_MAX]:
            column = then.find_column(cause.node, parse_dotted(name))
            impact = ImpactWalk(then, column, DEPTH).report() if column else None
            below.update(dict.fromkeys(reached.column.node_id for reached in (impact.columns if impact else ())))
    return list(below)


def plain(name: str) -> str:
    r"""Render a name as plain text on a line: without control, format and direction characters, and not too long.

    >>> plain("orders\n\x1b[2J\u202e")
    'orders��[2J�'
    """
    shown = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in name)
    return _shortened(shown, _NAME_MAX)


def mrkdwn(name: str) -> str:
    """Render a name as a code span of Slack, without mentions, links and formats.

    >>> mrkdwn("<!channel> *orders*")
    '`&lt;!channel&gt; *orders*`'
    """
    escaped = ""
    for character in plain(name) or " ":
        escaped += _IN_SLACK.get(character, character)
        if len(escaped) > _NAME_MAX:
            break
    return f"`{escaped}`"


def _shortened(text: str, characters: int) -> str:
    return text if len(text) <= characters else f"{text[: characters - 1]}…"


def summarize(causes: Sequence[Cause], downstream: int, owners: Sequence[str], show: _Show) -> str:
    """Write a line for people: the causes, the job or dataset with its owners, and the number of nodes downstream."""
    node = causes[0].node
    sentences: list[str] = []
    for cause in causes[:_CAUSES_NAMED]:
        sentence = _say(cause, show)
        if sentences and sum(map(len, sentences)) + len(sentence) > _SENTENCES_MAX:
            break
        sentences.append(sentence)
    if len(sentences) < len(causes):
        sentences.append(f"and {len(causes) - len(sentences)} more")
    owned = f" Owners: {_list(owners, show)}." if owners else " Nobody owns it."
    what = "; ".join(sentences)
    return f"{show(node.namespace)} {show(node.name)}: {what}. {downstream} jobs and datasets are downstream.{owned}"


def _list(names: Sequence[str], show: _Show) -> str:
    """Join the first names, and the number of the rest."""
    rest = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(map(show, names[:_NAMED]))}{rest}"


def _say(cause: Cause, show: _Show) -> str:
    detail = cause.detail
    match cause.kind:
        case "RunFailed":
            good = detail["lastGoodRun"]
            since = f"since its good run of {good['ended']}" if good else "and no run of it completed"
            number = detail["failedRuns"]
            return f"{number} run{'' if number == 1 else 's'} failed {since}"
        case "DatasetLate":
            return f"was last written at {detail['lastWritten']}, and is late since {detail['lateSince']}"
        case "TestFailed":
            test = detail["test"]
            of_column = f" of {show(test['column'])}" if test["column"] else ""
            return f"the test {show(test['name'] or test['type'] or '')} fails{of_column}"
        case "TaggedColumnReached":
            return f"{show(detail['column'])} ({show(detail['tag'])}) reaches {_list(detail['reached'], show)} unmasked"
        case _:
            return _say_change(detail, show)


def _say_change(detail: Mapping[str, Any], show: _Show) -> str:
    retyped = [f"{show(c['name'])} from {show(c['from'])} to {show(c['to'])}" for c in detail["retyped"][:_NAMED]]
    lost, got = (_list(detail[part], show) for part in ("dropped", "added"))
    rest = f" and {len(detail['retyped']) - _NAMED} more" if len(detail["retyped"]) > _NAMED else ""
    parts = {"lost": lost, "changed the type of": f"{', '.join(retyped)}{rest}", "got": got}
    return ", ".join(f"{verb} {names}" for verb, names in parts.items() if names)
