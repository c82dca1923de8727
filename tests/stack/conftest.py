"""The stack synthesized twice: as production deploys it, and with every context value changed."""

from __future__ import annotations

import json
from pathlib import Path

import aws_cdk as cdk
import pytest

from infra.context import parse_context
from infra.stack import LineageStack
from infra.synth import make_app
from tests.templates import Template

ALERT_TARGETS = {
    "bus": "eventbridge",
    "topic": "sns",
    "slack": "slack:T01AB/C02CD",
    "webhook": "https://hooks.example.org/headwater",
}


@pytest.fixture(scope="session")
def template(synthesized) -> Template:
    """The stack as production deploys it, without the layer."""
    return Template(synthesized())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave what needs a second stack out of `make test-fast`."""
    for item in items:
        parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
        if isinstance(item, pytest.Function) and "turned" in (*item.fixturenames, *parameters):
            item.add_marker(pytest.mark.large)


@pytest.fixture(scope="session")
def turned(made_once) -> Template:
    """Return the stack with every context value changed, and with a layer and libraries."""
    [template] = made_once("turned", _synthesize_turned).glob("assembly/*.template.json")
    return Template(json.loads(template.read_text(encoding="utf-8")))


def _synthesize_turned(folder: Path) -> None:
    layer, libraries = folder / "layer" / "0123abcd", folder / "libraries" / "4567cdef"
    for file in (layer / "python" / "dependency.py", libraries / "dependency.py"):
        file.parent.mkdir(parents=True)
        file.touch()
    app = make_app(folder / "assembly")
    context = parse_context(
        {
            "stage": "dev",
            "records_ttl_hours": 48,
            "retention": "destroy",
            "alarm_email": "ops@example.org",
            "auth": "token",
            "strict_namespaces": "true",
            "compaction_hour_utc": 3,
            "partition_trimming": False,
            "temporary_patterns": ["/scratch/"],
            "drop_running_events": "flink*",
            "forward_url": "https://marquez.example/api/v1/lineage",
            "forward_namespaces": "flights*, payments",
            "forward_secret": "marquez/token",
            "search_scan_gb": 1,
            "graph_tables": True,
            "sign_digests": True,
            "requests_per_address": 2000,
            "api_concurrency": 50,
            "object_lock": "compliance:2555",
            "dynamodb_client": "boto3",
        }
    )
    LineageStack(app, "Headwater-dev", context=context, layer=layer, libraries=libraries)
    app.synth()


@pytest.fixture(scope="session")
def with_alerts(made_once) -> dict[str, Template]:
    """Return the stack with alerts, by where they go."""
    folder = made_once("alerts", _synthesize_alerts) / "assembly"
    files = {name: folder / f"Headwater-{name}.template.json" for name in ALERT_TARGETS}
    return {name: Template(json.loads(file.read_text(encoding="utf-8"))) for name, file in files.items()}


def _synthesize_alerts(folder: Path) -> None:
    app = make_app(folder / "assembly")
    for name, target in ALERT_TARGETS.items():
        context = parse_context({"stage": name, "alerts": target, "alert_rules": {"tags": {"pii": ["public*"]}}})
        LineageStack(app, f"Headwater-{name}", context=context, layer=None, libraries=None)
    app.synth()


@pytest.fixture
def app(tmp_path: Path) -> cdk.App:
    """An app with nothing in it."""
    return make_app(tmp_path)
