"""A platform team's week in an AWS account: a stack with tokens, alerts, forwarding and a producer's account.

A scenario compares a graph with a picture drawn by hand, `glue table/web/daily -> mwaa sales.by_country -> …`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode
from urllib.request import ProxyHandler, Request, build_opener

import boto3
import pytest

from headwater.cli.main import main
from local_stack.stack import LocalStack
from tests.features.company.stacks import PLACE, SECRET
from tests.features.forwarding.receiving import an_endpoint
from tests.stack.assemblies import make_assemblies, read_template

REGION, ACCOUNT = "eu-west-1", "111122223333"
GLUE, ATHENA = f"arn:aws:glue:{REGION}:{ACCOUNT}", f"awsathena://athena.{REGION}.amazonaws.com"
SALES = f"arn:aws:s3tables:{REGION}:{ACCOUNT}:bucket/sales"
TRINO = "trino://trino.example:443"
# Namespaces in pictures.
SHORT = {GLUE: "glue", ATHENA: "athena", SALES: "s3tables", TRINO: "trino"}
# A scenario has a proxy in its environment.
DIRECT = build_opener(ProxyHandler({}))
# The rules of docs/connectors.md.
RULES = [
    {"namespace": ATHENA, "name": f"{catalog}.*.*", "as": {"namespace": GLUE, "name": "table/*/*"}}
    for catalog in ("AwsDataCatalog", "awsdatacatalog")
]


class Week:
    """The account's stack, its alerts, and the events forwarded by it."""

    def __init__(self, stack, alerts, received):
        self.stack, self.alerts, self.received = stack, alerts, received

    def client(self, service):
        return boto3.client(service, **self.stack.client_settings)

    def send(self, events):
        for event in events:
            headers = {"Content-Type": "application/json"}
            DIRECT.open(Request(f"{self.stack.api_url}/api/v1/lineage", json.dumps(event).encode(), headers)).close()

    def get(self, path, **query):
        """Read a response, once everything sent is loaded."""
        self.stack.drain()
        with DIRECT.open(f"{self.stack.api_url}/api/v1/{path}?{urlencode(query)}") as response:
            return json.load(response)

    def drawn(self, node_id, **short):
        """Draw the graph of a node, a line for each job, with `short` names of namespaces."""
        graph = self.get("lineage", nodeId=node_id, depth=20)["graph"]
        names = {namespace: name for name, namespace in short.items()} | SHORT
        labels = {node["id"]: _label(node["data"]["id"], names) for node in graph}
        return sorted(_line(node, labels) for node in graph if node["type"] == "JOB")


def _label(name, short):
    return f"{short.get(name['namespace'], name['namespace'])} {name['name']}"


def _line(job, labels):
    read = sorted(labels[edge["origin"]] for edge in job["inEdges"])
    written = sorted(labels[edge["destination"]] for edge in job["outEdges"])
    return " -> ".join(part for part in (" + ".join(read), labels[job["id"]], " + ".join(written)) if part)


@pytest.fixture(scope="session")
def week(made_once, tmp_path_factory):
    folder, alerts = tmp_path_factory.mktemp("week"), list[Mapping[str, Any]]()
    template = read_template(made_once("assemblies", make_assemblies), "running")
    with an_endpoint() as received:
        here = json.loads(json.dumps(template).replace(PLACE, received.url))
        with LocalStack(here, window_cap_s=0.2, logs=folder / "logs", on_event=alerts.append) as stack:
            boto3.client("secretsmanager", **stack.client_settings).create_secret(Name=SECRET, SecretString="t0ken")
            _set_rules(stack, folder / "names.json")
            yield Week(stack, alerts, received)


def _set_rules(stack, file):
    file.write_text(json.dumps({"rules": RULES}), encoding="utf-8")
    assert main(["names", "set", str(file), "--local", stack.endpoint_url]) == 0
