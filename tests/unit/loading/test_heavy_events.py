"""No event that the API accepts costs more than its estimate: a search over shapes tries to find one that does."""

from itertools import count

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.events.cost import BYTES_MAX, UNITS_MAX
from headwater.events.naming import AS_SENT, NamingRules
from headwater.events.parse import parse_event
from headwater.facts.apply import apply_statements
from headwater.loading.event_log import EventLog, RawEvent
from headwater_model.errors import Invalid, TooLarge
from headwater_model.json_checks import CONTAINERS_MAX
from headwater_model.named_datasets import DATASETS_MAX
from tests.examples import examples
from tests.fakes.memory_table import MemoryS3, MemoryTable
from tests.heavy_events import SHAPES
from tests.work import calls_of

# Calls of functions for each unit of the estimate, and for an event at all; a call takes about 100 ns.
CALLS_OF_UNIT, CALLS_OF_EVENT = 150, 12_000


def load(form):
    """The estimate of an event, the write units that it took, and the calls of functions that loaded it."""
    table = MemoryTable()

    def act():
        event = parse_event(form, NamingRules(), now=None)
        EventLog(table, MemoryS3().client(), "archive").put([RawEvent(event, form)], "2025-11-20")
        apply_statements([event], table)

    calls = calls_of(act)
    return parse_event(form, NamingRules(), now=None).units, table.dynamo.calls.write_units, calls


@examples(60)
@given(st.sampled_from(sorted(SHAPES)), st.integers(1, 60), st.sampled_from((1, 8, 60, 300, 1_900)))
def test_no_event_costs_more_than_its_estimate(shape, number, name_bytes):
    estimate, units, calls = load(SHAPES[shape](number, name_bytes))

    assert units <= estimate <= UNITS_MAX
    assert calls <= CALLS_OF_EVENT + CALLS_OF_UNIT * estimate


@pytest.mark.parametrize("shape", SHAPES)
def test_work_grows_as_the_event_does(shape):
    (_, few_units, few), (_, many_units, many) = (load(SHAPES[shape](number, 8)) for number in (20, 80))

    # Each dataset that operations write is made of all that they read: `SOURCE_NAME_BYTES_MAX` bounds the pairs.
    assert many <= (5 if shape == "operations" else 4) * few
    assert many_units <= 4 * few_units


@pytest.mark.parametrize("name_bytes", [4, 24, 200])
@pytest.mark.parametrize("shape", [name for name in SHAPES if "schema" in name])
def test_a_schema_takes_five_write_units_a_kilobyte(shape, name_bytes):
    forms = (SHAPES[shape](number, name_bytes) for number in count(100, 100))
    form = next(form for form in forms if len(orjson.dumps(form)) >= 35 * 1_024)

    assert load(form)[1] <= 5 * len(orjson.dumps(form)) / 1_024


@pytest.mark.parametrize(
    ("shape", "number", "name_bytes", "fault", "rule"),
    [
        ("datasets", DATASETS_MAX + 1, 1, TooLarge, f"an event may name {DATASETS_MAX} datasets, got 10001"),
        ("other_names", DATASETS_MAX, 1, TooLarge, f"an event may name {DATASETS_MAX} datasets, got 10001"),
        ("tags_and_owners", 45_000, 8, TooLarge, f"must cost at most {UNITS_MAX:,} write units to load, and may cost"),
        ("lists", 10, BYTES_MAX // 10, TooLarge, f"must have at most {BYTES_MAX:,} bytes of JSON"),
        ("lists", CONTAINERS_MAX, 1, Invalid, f"must hold at most {CONTAINERS_MAX:,} objects and lists"),
    ],
)
def test_a_heavier_event_is_refused_with_the_bound(shape, number, name_bytes, fault, rule):
    with pytest.raises(fault, match=rule):
        parse_event(SHAPES[shape](number, name_bytes), AS_SENT, now=None)
