"""The lineage that two captures report of a case is compared column by column, and by deciding columns."""

from __future__ import annotations

import pytest

from comparisons.reported import of_events, of_lines
from comparisons.score import MEASURES, CaseResult, differences, render, verdict

WANTED = of_lines(
    ["out:", "* <- flights.day FILTER", "far <- flights.s.far AGGREGATION MASKED (by f)", "inputs: flights"]
)


def an_event(*sources: tuple[str, str], whole: tuple[tuple[str, str], ...] = ()) -> dict[str, object]:
    """Return a run event with the column lineage of `far`."""
    flights = {"namespace": "file", "name": "/data/flights"}
    returned = [
        [{**flights, "field": field, "transformations": [{"subtype": kind, "masking": True}]} for field, kind in fields]
        for fields in (sources, whole)
    ]
    facet = {"fields": {"far": {"inputFields": returned[0]}}, "dataset": returned[1]}
    return {
        "inputs": [flights],
        "outputs": [{"namespace": "file", "name": "/out", "facets": {"columnLineage": facet}}],
    }


def test_an_event_is_read_as_the_lines_of_a_case_are() -> None:
    returned = of_events([an_event(("far", "AGGREGATION"), whole=(("day", "FILTER"),))])
    assert returned == of_lines(
        ["out:", "far <- flights.far AGGREGATION MASKED", "* <- flights.day FILTER MASKED", "inputs: flights"]
    )


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (an_event(("s", "IDENTITY"), whole=(("day", "JOIN"),)), ["exactly", "exactly", "exactly", "nothing"]),
        (an_event(("s", "AGGREGATION")), ["exactly", "exactly", "less", "nothing"]),
        (an_event(("s", "IDENTITY"), ("s", "CONDITIONAL")), ["exactly", "exactly", "less", "nothing"]),
        (an_event(("s", "IDENTITY"), ("day", "IDENTITY")), ["exactly", "more", "less and more", "nothing"]),
        (an_event(("day", "FILTER")), ["exactly", "nothing", "less", "nothing"]),
        ({"inputs": [], "outputs": []}, ["nothing", "nothing", "nothing", "nothing"]),
    ],
)
def test_reported_lineage_is_judged_by_every_measure(event: dict[str, object], words: list[str]) -> None:
    assert [verdict(measure, WANTED, of_events([event])) for measure in MEASURES.values()] == words


def test_results_are_counted_by_measure_and_by_kind_of_case() -> None:
    reported = {"jar": of_events([an_event(("s", "IDENTITY"))]), "ours": WANTED}
    lines = list(render([CaseResult("aggregates", "a case", WANTED, reported)]))
    assert lines[3] == "| direct sources, by columns (1) | 1 | 0 | 0 | 0 | 0 | 1 | 0 | 0 | 0 | 0 |"
    assert lines[-1] == "| aggregates (1) | 1 | 0 | 0 | 1 | 0 | 0 |"


def test_every_difference_is_listed() -> None:
    reported = {"jar": of_events([an_event(("day", "IDENTITY"))]), "ours": WANTED}
    assert list(differences([CaseResult("aggregates", "a case", WANTED, reported)])) == [
        "aggregates: a case [jar] inputs and outputs: exactly; direct sources, by columns: nothing; "
        "and what decides, by datasets: nothing; to the letter: nothing",
        "    - out.* <- flights.day FILTER",
        "    - out.far <- flights.s.far AGGREGATION MASKED",
        "    + out.far <- flights.day IDENTITY MASKED",
    ]
