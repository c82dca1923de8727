"""The graph of jobs and datasets around a node, as a running service answers it."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import urlencode, urlsplit

Edge: TypeAlias = tuple[str, str]
_ANSWER_S = 60.0
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


class NoGraph(Exception):
    """The service did not answer with a graph; the message says what it did."""


@dataclass(frozen=True, slots=True)
class Job:
    """A job, with the state of its latest run and how long that took; both None for one that never ran."""

    id: str
    namespace: str
    name: str
    state: str | None = None
    duration_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset; `stale` if no job writes it any more, `last_writer` is the job that did."""

    id: str
    namespace: str
    name: str
    stale: bool = False
    last_writer: str | None = None


Node: TypeAlias = Job | Dataset


@dataclass(frozen=True, slots=True)
class JobGraph:
    """Nodes by id, in the order of their ids, and edges in the direction of the data.

    `truncated`: more is connected than the answer holds.
    """

    nodes: Mapping[str, Node]
    edges: tuple[Edge, ...]
    truncated: bool = False


def ask_graph(url: str, node_id: str, *, depth: int, token: str | None = None) -> JobGraph:
    """The graph within `depth` jobs of a node (`job:<namespace>:<name>`, `dataset:<namespace>:<name>`).

    A call to an API Gateway host is signed with the credentials of the environment, unless a bearer token is given.

    Raises:
        NoGraph: no such node, no such service, or another answer than a graph.
    """
    if not url.startswith(("http://", "https://")):
        raise NoGraph(f"url {url!r}: must be http://host[:port][/path] or https://...")
    question = f"{url.rstrip('/')}/api/v1/lineage?{urlencode({'nodeId': node_id, 'depth': depth})}"
    request = urllib.request.Request(question, headers=_headers(question, token))  # noqa: S310 - it is http(s)
    try:
        with _opener(question).open(request, timeout=_ANSWER_S) as answer:
            return parse_graph(json.load(answer))
    except urllib.error.HTTPError as error:
        raise NoGraph(f"{url}: HTTP {error.code}: {_message(error)}") from error
    except (OSError, ValueError) as error:
        raise NoGraph(f"{url}: {error}") from error


def parse_graph(answer: Any) -> JobGraph:
    """The answer of `GET /api/v1/lineage`; an edge with an end that is not in it is left out.

    Raises:
        NoGraph: it is no such answer.
    """
    try:
        nodes = {form["id"]: _parse_node(form) for form in sorted(answer["graph"], key=lambda form: form["id"])}
        edges = {edge for form in answer["graph"] for edge in _edges(form) if len(nodes.keys() & {*edge}) == 2}
        return JobGraph(nodes, tuple(sorted(edges)), bool(answer.get("truncated")))
    except (KeyError, TypeError, AttributeError) as error:
        raise NoGraph(f"not an answer about lineage: {type(error).__name__} {error}") from error


def printable(text: str) -> str:
    r"""The text with every character that moves a cursor, or has no glyph or no place in XML, replaced.

    >>> printable("a job\x1b[2J")
    'a job�[2J'
    """
    return "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in text)


def short_name(node: Node) -> str:
    """A job's name; of a dataset that is a path, its last part.

    >>> short_name(Dataset("dataset:file:/demo/checked", "file", "/demo/checked"))
    'checked'
    >>> short_name(Dataset("dataset:db:shop.orders", "db", "shop.orders"))
    'shop.orders'
    """
    if isinstance(node, Job):
        return node.name
    return node.name.rstrip("/").rpartition("/")[2] or node.name


def _parse_node(form: Mapping[str, Any]) -> Node:
    data = form["data"]
    if form["type"] == "JOB":
        run = data["latestRun"] or {}
        return Job(*_named(form), run.get("state"), run.get("durationMs"))
    writer = data.get("lastWrittenBy")
    return Dataset(*_named(form), bool(data.get("stale")), printable(writer["job"]["name"]) if writer else None)


def _named(form: Mapping[str, Any]) -> tuple[str, str, str]:
    return form["id"], printable(form["data"]["namespace"]), printable(form["data"]["name"])


def _edges(form: Mapping[str, Any]) -> Iterator[Edge]:
    for edge in (*form["inEdges"], *form["outEdges"]):
        yield edge["origin"], edge["destination"]


def _opener(question: str) -> urllib.request.OpenerDirector:
    """By the proxy that the environment names, but for a service on this machine."""
    direct = [urllib.request.ProxyHandler({})] if urlsplit(question).hostname in _LOOPBACK else []
    return urllib.request.build_opener(*direct)


def _headers(question: str, token: str | None) -> dict[str, str]:
    headers = {"Accept": "application/json"}
    host = urlsplit(question).hostname or ""
    if token:
        return {**headers, "Authorization": f"Bearer {token}"}
    return _signed(question, host, headers) if ".execute-api." in host else headers


def _signed(question: str, host: str, headers: dict[str, str]) -> dict[str, str]:
    import botocore.session
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest

    credentials = botocore.session.get_session().get_credentials()
    if credentials is None:
        raise NoGraph(f"cannot sign for {host}: no AWS credentials found")
    region = host.partition(".execute-api.")[2].partition(".")[0]
    request = AWSRequest(method="GET", url=question, headers=headers)
    SigV4Auth(credentials.get_frozen_credentials(), "execute-api", region).add_auth(request)
    return dict(request.headers.items())


def _message(error: urllib.error.HTTPError) -> str:
    """What the service says of it, in Marquez's two forms or API Gateway's."""
    try:
        said = json.loads(error.read())
        return printable(str(said.get("message") or "; ".join(said["errors"])))
    except (ValueError, LookupError, TypeError, AttributeError):
        return str(error.reason)
