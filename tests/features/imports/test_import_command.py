"""`headwater import`: the events of a source, in any form, once each; faults by place; an import that goes on."""

from __future__ import annotations

import gzip
import io
import json
import sys
from contextlib import nullcontext, suppress
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.cli.main import main
from headwater.cli.service import NoResponse
from headwater.features.imports import event_sources
from headwater.features.imports.catalogs.datahub import Proposals
from headwater.features.imports.catalogs.spline import Plans
from headwater.features.imports.event_sources import (
    EventSource,
    FoundEvent,
    converted,
    file_source,
    marquez_source,
    read_events,
    sources_of,
)
from headwater.features.imports.importer import BATCH_EVENTS, Importer, ImportState, Stopped
from headwater_model.times import parse_time
from spark_client.errors import Refused, Undelivered
from tests.builders_events import a_run_event
from tests.examples import examples
from tests.unit.cli.responding import Service

EVENTS = [a_run_event(run=f"01941f29-7c00-7ea7-b5a3-4d2d5f0a1b{number:02}") for number in range(5)]
LINES = b"".join(json.dumps(event).encode() + b"\n" for event in EVENTS)


class FakeService:
    """A service that refuses events of these runs, each time for a reason, and fails at these calls."""

    def __init__(self, refused=(), forbidden=(), failing=()):
        self.refused, self.forbidden, self.failing = set(refused), set(forbidden), set(failing)
        self.accepted, self.calls = [], 0

    def send_events(self, events, timeout_s):
        self.calls += 1
        if self.calls in self.failing:
            raise Undelivered("HTTP 503: later")
        read = [json.loads(event) for event in events]
        runs = [event["run"]["runId"] for event in read]
        if self.forbidden & set(runs):
            raise Refused("403", "outputs.namespace: must be a namespace that the token may write")
        failed = [
            {"index": place, "reason": "eventTime: must be a time", "retriable": False}
            for place, run in enumerate(runs)
            if run in self.refused
        ]
        self.accepted += [event for event in read if event["run"]["runId"] not in self.refused]
        return {"failed_events": failed} if failed else {}


KEYS = [
    "http://here",
    "a source",
    "version",
    "events",
    "ended",
    "refused",
    "failed_events",
    "index",
    "reason",
    "retriable",
]


def a_source():
    """A source whose version is known."""
    events = [FoundEvent(f"a:{number}", json.dumps(event).encode()) for number, event in enumerate(EVENTS)]
    return EventSource("a source", lambda: events, "1")


def an_importer(service, tmp_path, faults=None):
    report = (faults if faults is not None else []).append
    state = ImportState(tmp_path / "state.json", "http://here", report)
    return Importer(service, state, report, sleep=lambda _: None)


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | st.sampled_from(["", "a", "http://here", "version", "events"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
)


@examples(100)
@given(state=ANY_JSON.map(json.dumps).map(str.encode) | st.binary(max_size=9) | st.just(b"[" * 100_000))
def test_whatever_a_state_file_holds_every_event_is_imported(tmp_path_factory, state):
    folder = tmp_path_factory.mktemp("import")
    (folder / "state.json").write_bytes(state)
    source, faults, service = a_source(), [], FakeService()
    for _ in range(2):
        an_importer(service, folder, faults).run(source)
    assert [event for event in service.accepted if event in EVENTS] == service.accepted
    assert json.loads((folder / "state.json").read_text())["http://here"]["a source"]["ended"] is True
    assert all("must be the state of an import" in fault for fault in faults)


@examples(100)
@given(response=ANY_JSON | st.fixed_dictionaries({"failed_events": ANY_JSON}))
def test_whatever_a_service_responds_each_event_is_accepted_or_refused(tmp_path_factory, response):
    class Odd:
        def send_events(self, events, timeout_s):
            return response if isinstance(response, dict) else {}

    importer = an_importer(Odd(), tmp_path_factory.mktemp("import"))
    with suppress(Stopped):
        importer.run(a_source())
        assert importer.accepted + importer.refused == len(EVENTS)


PLAN = {"id": "p", "operations": {"write": {"outputSource": "s3://lake/x"}}, "name": "app", "agentInfo": {}}


@examples(100)
@given(changed=st.dictionaries(st.sampled_from([*PLAN, "planId", "timestamp", "executionPlan", "aspect"]), ANY_JSON))
@pytest.mark.parametrize("begin", [lambda: Plans().events_of, lambda: Proposals().events_of], ids=["Spline", "DataHub"])
def test_an_object_that_no_catalog_writes_is_a_fault_of_its_line(begin, changed):
    lines = [FoundEvent("a:1", json.dumps({**PLAN, **changed}).encode()), FoundEvent("a:2", b"{}")]
    *_, last = converted(EventSource("a", lambda: lines), begin).events(0)
    assert last.place == "a:2"


def test_passwords_of_urls_are_neither_kept_nor_printed(tmp_path, capsys):
    (tmp_path / "state.json").write_text(json.dumps({"http://ann:s3cret@here": {}}))
    an_importer(FakeService(), tmp_path).run(a_source())
    assert "s3cret" not in (tmp_path / "state.json").read_text()
    for option in ("--url", "--from-marquez"):
        with pytest.raises(SystemExit):
            main(["import", "a.jsonl", option, "http://ann:s3cret@127.0.0.1:9"])
        shown = capsys.readouterr()
        assert f"argument {option}: must hold no user and no password" in shown.err
        assert "s3cret" not in shown.err + shown.out


def run_of(number):
    return EVENTS[number]["run"]["runId"]


FORMS = {
    "lines": LINES,
    "lines with empty ones": b"\n" + LINES.replace(b"\n", b"\n\n"),
    "the last without its end": LINES[:-1],
    "an array": json.dumps(EVENTS).encode(),
    "a tidy array": json.dumps(EVENTS, indent=2).encode(),
    "arrays by line": b"\n".join(json.dumps(EVENTS[at : at + 2]).encode() for at in (0, 2, 4)),
    "gzip": gzip.compress(LINES),
}


@pytest.mark.parametrize("form", FORMS)
def test_events_of_a_file_are_found_in_any_form(form):
    events = list(read_events(io.BytesIO(FORMS[form]), "a"))
    assert [event.fault for event in events] == [""] * 5
    assert [json.loads(event.body) for event in events] == EVENTS


@pytest.mark.parametrize("broken_line", [1, 2, 4])
def test_a_line_that_is_no_event_is_a_fault_of_that_line_alone(broken_line):
    lines = LINES.splitlines(keepends=True)
    lines.insert(broken_line - 1, b'{"eventTime": \n')
    lines.append(b"17\n")
    events = list(read_events(io.BytesIO(b"".join(lines)), "a"))
    assert [event.place for event in events if event.fault] == [f"a:{broken_line}", "a:7"]
    assert [json.loads(event.body) for event in events if not event.fault] == EVENTS


@examples(200)
@given(form=st.sampled_from(sorted(FORMS)), place=st.integers(0, 5_000), changed=st.binary(max_size=4))
def test_a_damaged_file_has_faults_and_whole_events_and_no_other_end(form, place, changed):
    text = bytearray(FORMS[form])
    text[place % len(text) : place % len(text) + len(changed)] = changed
    for event in read_events(io.BytesIO(bytes(text)), "a"):
        assert bool(event.fault) != isinstance(json.loads(event.body or b"0"), dict)


def test_the_lines_before_a_damaged_block_are_events_and_the_next_file_is_imported(tmp_path):
    packed = bytearray(gzip.compress(b"".join(LINES for _ in range(40)), compresslevel=0))
    packed[-300:-250] = bytes(50)
    (tmp_path / "a.jsonl.gz").write_bytes(bytes(packed))
    (tmp_path / "b.jsonl").write_bytes(LINES)
    service, faults = FakeService(), []
    importer = an_importer(service, tmp_path, faults)
    for source in sources_of([str(tmp_path)]):
        importer.run(source)
    assert len(service.accepted) > 5
    assert (service.accepted[-5:], importer.refused) == (EVENTS, 1)
    [fault] = faults
    assert "a.jsonl.gz: must be whole gzip" in fault


def test_a_file_that_cannot_be_read_is_a_fault_of_its_own(tmp_path):
    (tmp_path / "b.jsonl").write_bytes(LINES)
    service, faults = FakeService(), []
    importer = an_importer(service, tmp_path, faults)
    for name in ("gone.jsonl", "b.jsonl"):
        importer.run(file_source(tmp_path / name))
    assert (service.accepted, importer.refused) == (EVENTS, 1)
    assert "gone.jsonl: cannot be read" in faults[0]


@pytest.mark.parametrize("depth", [260, 2_000, 200_000])
@pytest.mark.parametrize("form", ["line", "in an array"])
def test_json_that_is_too_deep_is_a_fault_of_its_line(depth, form):
    deep = b'{"a":' * depth + b"1" + b"}" * depth
    lines = LINES + (deep if form == "line" else b"[" + deep + b"]") + b"\n" + LINES
    events = list(read_events(io.BytesIO(lines), "a"))
    assert [json.loads(event.body) for event in events if event.body and event.body != deep] == EVENTS * 2
    assert {event.place[:3] for event in events if event.fault} <= {"a:6"}


def test_a_line_that_is_too_long_is_one_fault_and_the_next_has_its_number(monkeypatch):
    monkeypatch.setattr(event_sources, "_LINE_MAX_BYTES", 1_000)
    lines = LINES + b'{"a": "' + b"x" * 3_500 + b'"}\n' + LINES
    events = list(read_events(io.BytesIO(lines), "a"))
    assert [event.place for event in events if event.fault] == ["a:6"]
    assert [event.place for event in events if not event.fault] == [
        f"a:{number}" for number in (1, 2, 3, 4, 5, *range(7, 12))
    ]


def test_a_folder_has_the_files_that_are_named_as_json(tmp_path):
    names = ["b.jsonl", "a.json", "deep/c.ndjson.gz", "events.json-20251120-120000.000000"]
    for name in [*names, "README.md", "json"]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"{}")
    assert {Path(source.name).relative_to(tmp_path).as_posix() for source in sources_of([str(tmp_path)])} == set(names)


def test_each_event_is_accepted_once_and_a_second_import_sends_nothing(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(LINES)
    service = FakeService()
    for skipped in (0, 1):
        importer = an_importer(service, tmp_path)
        importer.run(file_source(tmp_path / "a.jsonl"))
        assert (service.accepted, importer.skipped) == (EVENTS, skipped)
    (tmp_path / "a.jsonl").write_bytes(LINES + LINES)
    importer = an_importer(service, tmp_path)
    importer.run(file_source(tmp_path / "a.jsonl"))
    assert importer.accepted == 10


def test_a_refused_event_is_named_with_its_place_and_harms_no_other(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(LINES)
    service, faults = FakeService(refused=[run_of(1)], forbidden=[run_of(3)]), []
    importer = an_importer(service, tmp_path, faults)
    importer.run(file_source(tmp_path / "a.jsonl"))
    assert (importer.accepted, importer.refused) == (3, 2)
    assert service.accepted == [EVENTS[0], EVENTS[2], EVENTS[4]]
    places = [fault.removeprefix(f"{tmp_path}/").split(" ")[0] for fault in sorted(faults)]
    assert places == ["a.jsonl:2:", "a.jsonl:4:"]


@given(st.data())
def test_an_import_that_stops_anywhere_goes_on_and_loses_nothing(tmp_path_factory, data):
    """Each run ends at a call that keeps failing; the last has none."""
    folder = tmp_path_factory.mktemp("import")
    runs = [f"01941f29-7c00-7ea7-b5a3-4d2d5f{number:06}" for number in range(BATCH_EVENTS * 3)]
    events = [{**EVENTS[0], "run": {"runId": run}} for run in runs]
    (folder / "a.jsonl").write_text("".join(f"{json.dumps(event)}\n" for event in events))
    accepted = []
    for at in (*data.draw(st.lists(st.integers(1, 4), max_size=3)), None):
        service = FakeService(failing=range(at, 100) if at else ())
        importer = an_importer(service, folder)
        with suppress(Stopped) if at else nullcontext():
            importer.run(file_source(folder / "a.jsonl"))
        accepted += [event["run"]["runId"] for event in service.accepted]
    assert accepted == runs, "what was accepted is not sent again"


def test_a_caller_without_rights_is_stopped_after_a_hundred_events(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(LINES * 100)
    faults = []
    importer = an_importer(FakeService(forbidden=map(run_of, range(5))), tmp_path, faults)
    with pytest.raises(Stopped, match="no event of this caller"):
        importer.run(file_source(tmp_path / "a.jsonl"))
    assert len(faults) == BATCH_EVENTS


def test_a_refused_event_is_remembered_by_an_import_that_goes_on(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b"17\n" + LINES * 30)
    stopping = an_importer(FakeService(failing=range(2, 100)), tmp_path)
    with pytest.raises(Stopped):
        stopping.run(file_source(tmp_path / "a.jsonl"))
    for sent in (51, 150):
        service = FakeService()
        an_importer(service, tmp_path).run(file_source(tmp_path / "a.jsonl"))
        assert len(service.accepted) == sent


def test_a_file_with_a_refused_event_is_sent_again_when_the_cause_may_be_mended(tmp_path):
    for name, event in (("a.jsonl", EVENTS[0]), ("b.jsonl", EVENTS[1])):
        (tmp_path / name).write_text(json.dumps(event))
    accepted = []
    for forbidden in ([run_of(0)], []):
        service = FakeService(forbidden=forbidden)
        importer = an_importer(service, tmp_path)
        for source in sources_of([str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl")]):
            importer.run(source)
        accepted.append(service.accepted)
    assert accepted == [[EVENTS[1]], [EVENTS[0]]]


class FakeMarquez:
    """The list of events of Marquez 0.51.1: by time alone, those of one time in another order at each request."""

    def __init__(self, events):
        self.events, self.requested = events, []
        self._random = Random(1)

    def fetch(self, _url, path, query, *, on_host):
        assert on_host
        assert path == "/api/v1/events/lineage"
        self.requested.append(query)
        listed = [event for event in self.events if query["after"] <= parse_time(event["eventTime"]) < query["before"]]
        self._random.shuffle(listed)
        listed.sort(key=lambda event: parse_time(event["eventTime"]))
        return {"events": listed[query["offset"] :][: query["limit"]], "totalCount": len(listed)}


def a_marquez(monkeypatch, *times):
    """A Marquez with an event of each of these times."""
    runs = [f"01941f29-7c00-7ea7-b5a3-4d2d5f{number:06}" for number in range(len(times))]
    marquez = FakeMarquez([a_run_event(run=run, eventTime=time) for run, time in zip(runs, times, strict=True)])
    monkeypatch.setattr(event_sources, "fetch_json", marquez.fetch)
    return marquez


def runs_in(source, start=0):
    return [json.loads(event.body)["run"]["runId"] for event in source.events(start)]


TIMES = {
    "each its own": [f"2025-11-20T{number // 60:02}:{number % 60:02}:00Z" for number in range(450)],
    "all the same": ["2025-11-20T12:00:00Z"] * 450,
    "a page of one": ["2025-11-20T12:00:00Z"] * 100,
    "some the same": [f"2025-11-20T12:{number // 30:02}:00Z" for number in range(450)],
    "many at the end": [f"2025-11-20T12:{min(number, 50):02}:00Z" for number in range(450)],
    "many at the start": [f"2025-11-20T12:{max(number - 440, 0):02}:00Z" for number in range(450)],
    "in zones": [f"2025-11-20T12:00:00.{number % 3}+0{number % 2}:00" for number in range(450)],
    "later than Marquez shows by itself": ["2031-01-01T00:00:00Z"],
    "none": [],
}


@pytest.mark.parametrize("times", TIMES.values(), ids=TIMES)
def test_each_event_of_a_marquez_is_read_once(times, monkeypatch):
    marquez = a_marquez(monkeypatch, *times)
    runs = runs_in(marquez_source("http://marquez"))
    assert sorted(runs) == [event["run"]["runId"] for event in marquez.events]
    assert runs_in(marquez_source("http://marquez"), start=len(runs) // 2) == runs[len(runs) // 2 :]


def test_more_events_of_one_time_than_a_page_may_have_are_refused(monkeypatch):
    a_marquez(monkeypatch, *TIMES["all the same"])
    monkeypatch.setattr(event_sources, "_PAGE_MAX", 100)
    with pytest.raises(NoResponse, match="more than 100 events of the time 2025-11-20T12:00:00"):
        runs_in(marquez_source("http://marquez"))


def test_a_marquez_that_redirects_to_another_host_is_not_followed(service: Service) -> None:
    service.redirects["/api/v1/events/lineage"] = f"{service.url.replace('127.0.0.1', 'localhost')}/elsewhere"
    with pytest.raises(NoResponse, match="HTTP 303"):
        runs_in(marquez_source(service.url))
    assert [path for path, *_ in service.requested] == ["/api/v1/events/lineage"]


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (b"[", "Expecting value"),
        (b'{"events": 7}', "not a list of events"),
        (b"[" * 100_000, "http://"),
        (
            json.dumps({"events": [{"eventTime": f"2025-11-20T12:0{n % 2}:00Z"} for n in range(100)]}).encode(),
            "of before",
        ),
    ],
    ids=["no JSON", "no list", "too deep", "the same page for ever"],
)
def test_unexpected_responses_of_a_marquez_are_named(service: Service, body, fault) -> None:
    service.body = body
    with pytest.raises(NoResponse, match=fault):
        list(marquez_source(service.url).events(0))


def test_what_a_marquez_got_late_is_sent_by_the_next_import(tmp_path, monkeypatch):
    marquez, service = a_marquez(monkeypatch, *TIMES["each its own"][100:103]), FakeService()
    an_importer(service, tmp_path).run(marquez_source("http://marquez"))
    late = a_run_event(run="01941f29-7c00-7ea7-b5a3-4d2d5ffffff0", eventTime="2025-11-20T00:00:00Z")
    marquez.events.append(late)
    an_importer(service, tmp_path).run(marquez_source("http://marquez"))
    assert late in service.accepted


def test_standard_input_is_read_from_its_start_once_it_was_imported(tmp_path, monkeypatch):
    service = FakeService()
    for number in (0, 1):
        line = json.dumps(EVENTS[number]).encode()
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(line)))
        an_importer(service, tmp_path).run(file_source(Path("-")))
    assert service.accepted == EVENTS[:2]


def test_the_command_imports_a_folder_and_says_how_much(
    service: Service, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.jsonl").write_bytes(LINES)
    refused = {"index": 1, "reason": "eventTime: must be a time", "retriable": False}
    service.body = json.dumps({"failed_events": [refused]}).encode()
    state = str(tmp_path / "state.json")
    assert main(["import", str(tmp_path), "--url", service.url, "--state", state]) == 1
    shown = capsys.readouterr()
    assert shown.out == "4 events accepted, 1 refused\n"
    assert f"{tmp_path}/a.jsonl:2: eventTime: must be a time" in shown.err
    assert [path for path, *_ in service.requested] == ["/api/v1/lineage/batch"]
