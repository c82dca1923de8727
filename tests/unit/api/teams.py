"""Teams with namespaces of their own: the reports of each, and every GET request about a team's things."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import MISSING, dataclass, fields
from urllib.parse import quote

from headwater.api.app import Api, all_routes
from headwater.api.route import Services
from headwater.api.tokens import Tokens, new_token
from headwater.events.api_changes import parse_change
from headwater.events.naming import NamingRules
from headwater.events.rights import limit_event
from headwater.facts.apply import apply_statements
from headwater.facts.run_facts import run_version_id
from headwater.facts.run_io import job_version_id
from headwater.loading.event_log import EventLog, RawEvent
from headwater.queries.service import LineageQueries
from headwater_model.ids import DatasetId, JobId, RunKey
from tests.builders_events import a_dataset, a_facet, a_run_event
from tests.fakes.memory_table import MemoryTable
from tests.unit.api.proxy import get

NOW_S = 1_763_726_400  # 2025-11-21T12:00:00Z, a day after the events
LATER = "2025-11-20T18:00:00Z"
RANGE = {"start": "now-2d", "end": "now"}
SHORT = {"form": "summary", "sort": "updated_at"}
_FIELD_LINEAGE = "/v3/namespaces/{namespace}/datasets/{dataset}/lineage"
_JOBS, _DATASETS = "/api/v1/namespaces/{namespace}/jobs", "/api/v1/namespaces/{namespace}/datasets"
MAP = {"direction": "through", "form": "summary", "fold": "1"}


@dataclass(frozen=True)
class Team:
    """A team by its letter: jobs in `team-a`, datasets in `s3://a`."""

    letter: str

    @property
    def jobs(self):
        return f"team-{self.letter}"

    @property
    def store(self):
        return f"s3://{self.letter}"

    def run(self, number=1):
        return f"0000000{ord(self.letter) - ord('a') + 1}-0000-4000-8000-{number:012}"

    def job_version(self, job):
        """The version of a job with a single input and output, by its name."""
        store, read, target = {"sum": (self.store, "clean", "report"), "publish": (A.store, "clean", "published")}[job]
        return job_version_id(JobId(self.jobs, job), (DatasetId(store, read),), (DatasetId(self.store, target),))

    def column(self, dataset):
        """A column as a facet names it."""
        return {"namespace": self.store, "name": dataset, "field": "total"}

    def made(self, dataset, *sources):
        """An output with `sources` of its column `total`."""
        facet = a_facet("ColumnLineageDataset", fields={"total": {"inputFields": list(sources)}})
        output = a_dataset(dataset, self.store, fields=["id", "total"])
        tags = a_facet("TagsDataset", tags=[{"key": "PII", "field": "total"}, {"key": f"of-{self.letter}"}])
        source = {"name": f"lake-{self.letter}", "uri": self.store}
        failed = {"assertion": "not_null", "column": "total", "success": False}
        more = {"dataSource": source, "dataQualityAssertions": {"assertions": [failed]}}
        rows = {"headwater_rows": {"table": self.store, "sequence": 1, "firstRow": 0, "nextRow": 9}}
        facets = {**output["facets"], "columnLineage": facet, "tags": tags, **more}
        return {**output, "facets": facets, "outputFacets": rows}

    def ran(self, job, number, sources, target, **changes):
        """The COMPLETE of a run from columns to a dataset."""
        inputs = [a_dataset(column["name"], column["namespace"]) for column in sources]
        outputs = [self.made(target, *sources)]
        named = {"run": self.run(number), "job": job, "namespace": self.jobs}
        return a_run_event(**named, inputs=inputs, outputs=outputs, **changes)


A, B, NOBODY = Team("a"), Team("b"), Team("x")
OWN = (
    A.ran("load", 1, [A.column("raw")], "clean"),
    A.ran("sum", 2, [A.column("clean")], "report", eventTime="2025-11-20T13:00:00Z"),
)
APART = (
    B.ran("load", 1, [B.column("raw")], "clean"),
    B.ran("sum", 2, [B.column("clean")], "report", eventTime="2025-11-20T13:00:00Z"),
)
# Neighbouring teams: each reads a dataset of its neighbour. B also makes an input of A from an output of A, and writes
# a dataset of A's.
MEETING = (
    B.ran("loop", 6, [A.column("clean")], "feed", eventTime="2025-11-20T13:30:00Z"),
    a_run_event(
        run=B.run(7),
        job="give",
        namespace=B.jobs,
        inputs=[a_dataset("hoard", B.store)],
        outputs=[A.made("gift", B.column("hoard"))],
        eventTime="2025-11-20T13:30:00Z",
    ),
    A.ran(
        "open",
        4,
        [A.column(column) for column in ("gift", "taken", "clean")],
        "opened",
        eventTime="2025-11-20T16:00:00Z",
    ),
    A.ran("take", 3, [B.column("feed")], "taken", eventTime="2025-11-20T14:00:00Z"),
    B.ran("publish", 3, [A.column("clean")], "published", eventTime="2025-11-20T14:00:00Z"),
)
# Later work of B behind the meeting: it names nothing of A's.
BEHIND = (
    B.ran("feed", 4, [B.column("source")], "feed", eventTime=LATER),
    B.ran("far", 5, [B.column("published")], "far", eventTime=LATER),
    {
        "eventTime": LATER,
        "producer": "p",
        "dataset": a_dataset("feed", B.store, fields=["id", "total", "secret"]),
    },
)


class World:
    """The API over a graph in memory, called with tokens."""

    def __init__(self, *events, strict=False):
        self.table = MemoryTable()
        self._log, tokens = EventLog(self.table, None, "archive"), Tokens(self.table)
        self.load(*events)
        self.metrics = Counter()
        unused = dict.fromkeys(service.name for service in fields(Services) if service.default is MISSING)
        queries = LineageQueries(self.table)
        given = {
            "event_log": self._log,
            "queries": queries,
            "tokens": tokens,
            "now_s": lambda: NOW_S,
            "now": lambda: LATER,
            "new_id": lambda: "id",
            "count": lambda name, number: self.metrics.update({name: number}),
            "strict_namespaces": strict,
        }
        services = Services(**{**unused, **given})
        self.api, self._tokens = Api(lambda: services), tokens
        self._made = 0

    def load(self, *events, writes=None):
        """Load events of a sender with rights to write in `writes` alone, or everywhere."""
        rules = NamingRules(trim_partitions=False)
        statements = [limit_event(parse_change(event, rules), writes) for event in events]
        self._log.enlist(event for event in map(RawEvent, statements, events) if event.is_run_event)
        apply_statements(statements, self.table)

    def token(self, *namespaces, lifetime_s=None):
        """Make a token for reads in `namespaces`, or in all; return its text."""
        self._made += 1
        text, token = new_token(
            scopes=["read"],
            namespaces=namespaces or ["*"],
            roots=(),
            now_s=NOW_S,
            lifetime_s=lifetime_s,
            random=lambda size: self._made.to_bytes(size, "big"),
        )
        self._tokens.put(token)
        return text

    def send(self, token, path, query=None):
        """Status and body of the answer to a token's GET."""
        response = get(self.api, path, query, {"Authorization": f"Bearer {token}"}, door="token")
        return response.status, response.body

    def get(self, token, path, **query):
        """Read the JSON of a response with status 200."""
        status, body = self.send(token, path, query)
        assert status == 200, body
        return json.loads(body)


def requests_about(team, dataset="report", job="sum", number=2):
    """Every question about a team's things: path of the document -> [(path, query), ...]."""
    of_job = team.job_version(job) if job in ("sum", "publish") else team.run(9)
    run, named = team.run(number), DatasetId(team.store, dataset)
    version = run_version_id(named, RunKey.of(JobId(team.jobs, job), run))
    node, field = f"dataset:{team.store}:{dataset}", f"datasetField:{team.store}:{dataset}:total"
    nodes = [{"nodeId": node}, {"nodeId": f"job:{team.jobs}:{job}"}, {"nodeId": f"{node}#{version}"}]
    nodes += [{"nodeId": node, "lineageAt": str(NOW_S)}, {"nodeId": node, "datasetVersion": version}]
    fields = [{"nodeId": field}, {"nodeId": field.replace("datasetField", "dataset_field")}]
    fields += [{"nodeId": field, "lineageAt": str(NOW_S)}, {"nodeId": f"{field}#{version}"}]
    deep = [{**query, "depth": "9"} for query in [*nodes, *fields]]
    downstream = [{**query, "depth": "9", "withDownstream": "true"} for query in (nodes[0], nodes[1], fields[0])]
    names = {"namespace": team.store, "dataset": dataset, "endpoint": dataset, "field": "total", "version": version}
    names |= {"job": job, "run_id": run, "root_id": f"root-{team.letter}", "node_id": f"node-{team.letter}"}
    names |= {"source": f"lake-{team.letter}", "row_id": "2"}
    queries = {
        "/api/v1/lineage": [
            *nodes,
            *({**query, "depth": "1"} for query in nodes),
            *({**query, **MAP} for query in nodes[:2]),
        ],
        "/api/v1/column-lineage": [*nodes, *fields, *deep, *downstream],
        "/api/v1/column-lineage/origins": [fields[0], fields[3]],
        "/api/v1/lineage/neighbours": [{**query, "side": side} for query in nodes[:2] for side in ("up", "down")],
        "/api/v1/lineage/history": [{**query, "start": "2025", "end": "2026", "depth": "1"} for query in nodes[:2]],
        "/api/v1/runlineage/upstream": [{"runId": run}],
        "/api/v1/runlineage/downstream": [{"runId": run}],
        "/api/v1/reports/usage": [
            {**subject, **RANGE, **kind}
            for subject in (fields[0], {"tag": f"of-{team.letter}"})
            for kind in ({}, {"format": "csv"})
        ],
        "/api/v1/reports/provenance": [{**fields[0], **RANGE}, {**fields[0], **RANGE, "format": "csv"}],
        "/api/v1/reports/column-readers": [nodes[0]],
        "/api/v1/reports/recall": [{"runId": run}, nodes[0], nodes[2]],
        "/api/v1/reports/impact": [
            {**query, **form} for query in (*nodes[:2], fields[0]) for form in ({}, {"format": "csv"})
        ],
        "/api/v1/search": [
            {"q": text, "namespace": namespace, "filter": kind, **form}
            for form in ({}, {"form": "summary", "sort": "relevance"})
            for text, namespace, kind in (
                ("r", team.store, "dataset"),
                ("s", team.jobs, "job"),
                ("total", team.store, "column"),
            )
        ]
        + [{"tag": f"of-{team.letter}"}, {"tag": "PII", "namespace": team.store}],
        **{path: [{}, SHORT] for path in ("/api/v1/jobs", _JOBS, f"{_JOBS}/{{job}}/runs", _DATASETS)},
        "/api/v1/tests": [{"namespace": team.store}, {"namespace": team.store, "lineageAt": str(NOW_S)}],
        "/api/v1/feed": [{"namespace": team.store}, {"namespace": team.store, "kind": "DATASET_NEW"}],
        "/api/v2beta/search/jobs": [{"q": "sum"}],
        "/api/v2beta/search/datasets": [{"q": "report"}, {"q": "total"}],
        **{f"/api/v1/stats/{of}": [{"period": "DAY"}] for of in ("lineage-events", "jobs", "datasets", "sources")},
        **{
            f"{_FIELD_LINEAGE}/{more}": [{**RANGE, "direction": "both"}]
            for more in ("fields/{field}", "allfieldlineage")
        },
        f"{_FIELD_LINEAGE}/fields": [RANGE, {**RANGE, "includeCurrent": "true"}],
        _FIELD_LINEAGE: [RANGE, {**RANGE, "rollup": "workflow"}],
        "/api/v1/jobs/runs/{run_id}/facets": [{"type": kind} for kind in ("run", "job", "dataset")],
    }
    return {
        path: [
            (_filled(path, names, team, of_job), query)
            for query in queries.get(path, [RANGE if _is_of_range(path) else {}])
        ]
        for path in _paths()
    }


def _paths():
    return [re.sub("<(.*?)>", r"{\1}", route.path) for route in all_routes() if route.method == "GET"]


def _is_of_range(path):
    return path.startswith("/v3/") or path.endswith("/records/search")


def _filled(path, names, team, of_job):
    """Fill the path with the team's names; a KeyError means a new parameter to add to `names`."""
    if "{job}" in path:
        names = {**names, "version": of_job}
    if "/jobs" in path or path == "/api/v1/namespaces/{namespace}":
        names = {**names, "namespace": team.jobs}
    return re.sub("{(.*?)}", lambda match: quote(names[match[1]], safe=""), path)


def as_if(text, team, other):
    """Replace the names and ids of `other` in the text by the team's."""
    for ours, theirs in [
        (team.jobs, other.jobs),
        (team.store, other.store),
        *zip(_ids(team), _ids(other), strict=True),
    ]:
        for encode in (str, lambda name: quote(name, safe="")):
            text = text.replace(encode(ours), encode(theirs))
    return text


def _ids(team):
    datasets = [DatasetId(team.store, name) for name in ("report", "clean", "published")]
    numbers = {JobId(team.jobs, job): number for number, job in enumerate(("load", "sum", "publish"), 1)}
    versions = [
        run_version_id(dataset, RunKey.of(job, team.run(numbers[job]))) for dataset in datasets for job in numbers
    ]
    versions += [team.job_version(job) for job in ("sum", "publish")]
    return [
        *(team.run(number) for number in range(1, 9)),
        *versions,
        f"root-{team.letter}",
        f"node-{team.letter}",
        f"of-{team.letter}",
        f"lake-{team.letter}",
    ]
