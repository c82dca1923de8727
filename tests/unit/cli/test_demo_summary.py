"""The demo's summary: what it shows of a good run and of a bad one, in few lines."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from headwater.cli.column_graph import parse_columns, sources_of
from headwater.cli.demo.column_story import ColumnStory
from headwater.cli.demo.records import Reconciliation, Step
from headwater.cli.demo.run import DemoResults, summary_of
from headwater.cli.job_graph import Dataset, Job, JobGraph
from headwater.cli.program import command
from headwater.cli.text.terminal import output_console, print_part
from tests.unit.cli.column_responses import CO2, RESPONSE, id_of

ACTIONS = ("READ", "CHECK", "CHECKED", "REJECTED", "ESTIMATED")
SENT = Counter(dict(zip(ACTIONS, (7, 14, 6043, 56, 6043), strict=True)))
COLUMNS = parse_columns(RESPONSE)


def a_step(action: str) -> Step:
    return {"node_id": "n", "parent_id": "p", "action_taken": action, "recordedAt": 0, "storage_location": "s"}


def some_results() -> DemoResults:
    jobs = {f"job:a:{name}": Job(f"job:a:{name}", "a", name) for name in ("check", "estimate")}
    datasets = {
        f"dataset:a:{name}": Dataset(f"dataset:a:{name}", "a", name) for name in ("raw", "checked", "estimated")
    }
    return DemoResults(
        days=7,
        jobs=JobGraph({**jobs, **datasets}, ()),
        columns=ColumnStory(CO2, "", COLUMNS, COLUMNS, "", "", ""),
        reconciliation=Reconciliation(SENT, SENT, SENT, undelivered=0, dead=0),
        traces=6099,
        flight={"record_id": "UA1545-co2", "root_id": "flights-2013-01-01", "lineage": [*map(a_step, ACTIONS[:3])]},
        failures=(),
        archive=Path("archive"),
        elapsed_s=59.6,
    )


def printed(results: DemoResults, capsys: pytest.CaptureFixture[str]) -> list[str]:
    print_part(output_console(), summary_of(results))
    return capsys.readouterr().out.splitlines()


def test_what_ran_the_counts_a_flight_a_column_and_where_things_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(some_results(), capsys) == [
        "",
        "Pipeline   PySpark over 7 days of flights: 2 jobs, 3 datasets",
        "Records           sent    loaded  archived",
        "  READ               7         7         7",
        "  CHECK             14        14        14",
        "  CHECKED        6,043     6,043     6,043",
        "  REJECTED          56        56        56",
        "  ESTIMATED      6,043     6,043     6,043",
        "  total         12,163    12,163    12,163",
        "A flight   UA1545-co2",
        "           flights-2013-01-01 > READ > CHECK > CHECKED",
        "A column   co2_kg of estimated, from distance of landing and seats of planes",
        "Archive    archive: 6,099 traces",
        f"Done in 60 s. With the trees behind these lines: {command('demo --verbose')}",
    ]


def test_what_is_wrong_is_shown_and_the_summary_stays_short(capsys: pytest.CaptureFixture[str]) -> None:
    archived = Counter({**SENT, "READ": 6, "LOST": 1})
    bad = replace(
        some_results(),
        reconciliation=Reconciliation(SENT, SENT, archived, undelivered=2, dead=3),
        flight=None,
        failures=[f"Trace\x1b[2J: failure {number}" for number in range(9)],
    )

    lines = printed(bad, capsys)

    assert "  READ               7         7         6" in lines
    assert "  LOST               0         0         1" in lines
    assert "A flight   no trace ends in an estimate" in lines
    assert any(
        "2 records or events were not delivered, 3 messages are in the dead-letter queues" in line for line in lines
    )
    assert [line[-9:] for line in lines if line.startswith("a function failed")] == [f"failure {n}" for n in range(3)]
    assert not any("\x1b" in line for line in lines)
    # Two or three more follow, the last of which is the explorer's address.
    assert len(lines) + 3 <= 25


def test_the_sources_of_a_column_are_the_first_columns_of_its_values() -> None:
    assert [column.id for column in sources_of(COLUMNS, id_of("checked", "distance"))] == [id_of("landing", "distance")]
    assert [column.id for column in sources_of(COLUMNS, id_of("landing", "distance"))] == [id_of("landing", "distance")]
