"""The API called in this process, over a graph table in memory."""

from types import SimpleNamespace
from urllib.parse import quote

from headwater.api.app import Api
from headwater.events.api_changes import parse_change
from headwater.events.naming import NamingRules
from headwater.facts.apply import apply_statements
from headwater.loading.event_log import EventLog, RawEvent
from headwater.queries.service import LineageQueries
from tests.fakes.memory_table import MemoryTable
from tests.unit.api.proxy import get


class GraphApi:
    """A graph of these events, and the API over it; only the services that its queries need are there."""

    def __init__(self, *bodies, rules=None):
        self.table = MemoryTable()
        self._rules = rules or NamingRules(trim_partitions=False)
        self._log = EventLog(self.table, None, "archive")
        queries = LineageQueries(self.table, trim_partitions=self._rules.trim_partitions)
        services = SimpleNamespace(
            queries=queries,
            event_log=self._log,
            links=None,
            now_s=lambda: 1_763_640_000,
            now=lambda: "2025-11-20T12:00:00.000000Z",
            strict_namespaces=False,
        )
        self.api = Api(lambda: services)
        if bodies:
            self.load(*bodies)

    def load(self, *bodies):
        """Load events, as the loading function does."""
        statements = [parse_change(body, self._rules) for body in bodies]
        self._log.enlist(event for event in map(RawEvent, statements, bodies) if event.is_run_event)
        apply_statements(statements, self.table)

    def get(self, path, **query):
        """Status and JSON of the answer to `/api/v1<path>`; a list in the query is a value for each."""
        response = get(self.api, f"/api/v1{path}", query)
        return response.status, response.form

    def found(self, path, **query):
        """The JSON of a question that has an answer."""
        status, form = self.get(path, **query)
        assert status == 200, form
        return form

    def graph(self, node_id, **query):
        """The graph around a node."""
        return self.found("/lineage", nodeId=node_id, **query)


def at(*segments):
    """A path of ids, each encoded as a client must."""
    return "".join(f"/{quote(segment, safe='')}" for segment in segments)


def skeleton(form):
    """Node id -> ids of the nodes that it has edges from, and to."""
    return {
        node["id"]: (
            [edge["origin"] for edge in node["inEdges"]],
            [edge["destination"] for edge in node["outEdges"]],
        )
        for node in form["graph"]
    }
