"""The guide to the recorder: every snippet in it is run, one after the other, as one program."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event

GUIDE = Path(__file__).parents[3] / "docs" / "recorder.md"
TEXT = GUIDE.read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
(DECLARED,) = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)


def a_frame(**columns: str) -> SimpleNamespace:
    """Return the parts of a DataFrame that the recorder uses: the names and types of its columns."""
    fields = [
        SimpleNamespace(name=name, dataType=SimpleNamespace(simpleString=kind.lower)) for name, kind in columns.items()
    ]
    return SimpleNamespace(schema=SimpleNamespace(fields=fields), columns=list(columns))


@pytest.fixture
def sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    """Return all that the guide's program sent."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HEADWATER_FILE", "lineage.jsonl")
    Path("projection.json").write_text(DECLARED, encoding="utf-8")
    flights = {"tailnum": "STRING", "distance": "DOUBLE"}
    names: dict[str, object] = {"checked": a_frame(**flights), "estimated": a_frame(**flights, co2="DOUBLE")}
    for snippet in SNIPPETS:
        exec(compile(snippet, str(GUIDE), "exec"), names)
    assert caplog.messages == []
    return [json.loads(line) for line in Path("lineage.jsonl").read_text(encoding="utf-8").splitlines()]


def ways(event: dict[str, Any]) -> dict[str, list[str]]:
    """Of each operation of an event what it takes, as `<origin>.<name>`."""
    facet = event["run"]["facets"].get("headwater_operations", {"operations": []})
    return {
        operation["name"]: [f"{i['origin']}.{i['name']}" for i in operation.get("inputs", ())]
        for operation in facet["operations"]
    }


def test_the_guide_does_what_it_says(sent: list[dict[str, Any]]) -> None:
    record, *events = sent
    jobs = [(event["job"]["name"], event["eventType"]) for event in events]

    assert jobs == [
        ("emissions.calculate", "OTHER"),
        ("emissions.convert", "OTHER"),
        ("emissions.project", "OTHER"),
        ("names", "OTHER"),
        ("emissions.seats", "START"),
        ("emissions.seats", "COMPLETE"),
    ]
    calculated, converted, projected, names, _, seats = map(ways, events)
    assert calculated == {
        "read": [],
        "estimate": ["read.distance", "read.seats"],
        "drop": ["read.seats"],
        "write": ["read.tailnum", "read.distance", "estimate.co2"],
    }
    assert converted == {
        "read": [],
        "Convert.convert": ["read.distance"],
        "Convert.drop": ["read.distance"],
        "write": ["read.tailnum", "Convert.convert.km"],
    }
    assert projected == {
        "Source.read": [],
        "Projection.rename": ["Source.read.distance"],
        "Projection.delete": ["Source.read.seats"],
        "write": ["Source.read.tailnum", "Projection.rename.miles"],
    }
    assert names == {"read": [], "parse": ["read.body"], "write": ["parse.name"]}
    assert seats == {"read": [], "write": ["read.tailnum", "read.seats"]}
    assert record["run_id"] == events[0]["run"]["runId"]
    assert events[0]["run"]["facets"]["headwater_records"]["rootIds"] == [record["root_id"]]
    assert events[-1]["run"]["facets"]["parent"]["job"] == {"namespace": "emissions", "name": "nightly"}


def test_the_door_takes_all_of_it(sent: list[dict[str, Any]]) -> None:
    for event in sent[1:]:
        assert parse_event(event, NamingRules(), now=None).run == event["run"]["runId"]


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)#:]+)\)", TEXT))))
def test_every_link_leads_somewhere(link: str) -> None:
    assert (GUIDE.parent / link).exists()
