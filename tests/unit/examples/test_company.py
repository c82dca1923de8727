"""The example company: what it has, that its events are good ones, and that a seed and a time determine it."""

from datetime import datetime, timezone

import pytest

from examples.company.estate import build_estate
from examples.company.history import history_of
from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater_model.times import parse_time

END = datetime(2025, 11, 20, 11, 30, tzinfo=timezone.utc)


@pytest.fixture(scope="module")
def estate():
    return build_estate()


@pytest.fixture(scope="module")
def nights(estate):
    return list(history_of(estate, end=END, days=3))


def test_every_source_of_a_column_is_a_column_that_the_job_reads(estate):
    for job in estate.jobs:
        for write in job.writes:
            sources = [source for origins in write.columns.values() for source in origins] + list(write.rows)
            assert {source.dataset for source in sources} <= set(job.reads), job.name
            assert all(source.column in source.dataset.columns for source in sources), job.name
            assert set(write.columns) <= set(write.dataset.columns), job.name


def test_every_event_is_accepted_and_none_is_later_than_the_end(nights):
    for event in nights:
        parse_event(event, NamingRules(), now=parse_time(END.isoformat()))
    assert max(event["eventTime"] for event in nights) < "2025-11-20T11:30"
