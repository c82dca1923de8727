"""The events function: events a second for a core, DynamoDB's requests and units for each event.

The baseline puts every resulting item by itself with `boto3.resource` in as many threads, after the same parsing and
the same raw log. The items are made and compressed before; nothing is compared. *With conditions*: no update is lost,
as with ours; an item with a version is read, and written if still current. *batch_writer* guarantees less: it
overwrites concurrent updates. Events are START and COMPLETE of 3 inputs and 2 outputs, 8 to 9 KB each, of 50 existing
jobs. A batch holds STARTs or COMPLETEs, so a run is in a batch once. Events for a second of the function's CPU: AWS is
a separate process, with a table in memory. *One at a time*: the same function, a batch for each event. RRU and WRU are
the billed units of DynamoDB, for jobs with 100 earlier runs. *With columnLineage*, *with operations*: datasets have
schemas of 20 columns, and the same events without lineage are the baseline.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from benchmarks.events_work import BATCH, COLUMNS, RUNS
from benchmarks.processes import Figures, Report, in_turns, instant_endpoint, run
from benchmarks.rows import Row, events_per_second, more, without_goal
from headwater import settings

QUICK_RUNS = 3
_VARIANTS = ("ours", "singly", "plain", "weaker", *COLUMNS)
# An event with columns is more than twice as large, and is parsed whole.
_COLUMNS_AT_LEAST, _UNITS_AT_MOST = 0.7, 1.2


def measure(report: Report, *, quick: bool) -> list[Row]:
    """Measure all variants in turns; count calls once, since they do not vary."""
    rounds = "1" if quick else "4"
    works = {variant: lambda variant=variant: run_variant(variant, rounds) for variant in _VARIANTS}
    figures = in_turns(1 if quick else 3, works, report)
    runs = QUICK_RUNS if quick else RUNS
    counted = ("calls", "calls-singly", *(f"calls-{variant}" for variant in COLUMNS))
    calls = {variant: run("events_work", variant, rounds, str(runs)) for variant in counted}
    of = f"events: batches of {BATCH}"
    ours = figures["ours"]["per_cpu_s"]
    return [
        more(
            f"{of}; put plainly, with conditions",
            ours,
            figures["plain"]["per_cpu_s"],
            at_least=1.2,
            show=events_per_second,
        ),
        without_goal(
            f"{of}; batch_writer, which loses updates", ours, figures["weaker"]["per_cpu_s"], show=events_per_second
        ),
        without_goal(f"{of}; one at a time", ours, figures["singly"]["per_cpu_s"], show=events_per_second),
        _calls(f"{of}; one at a time: DynamoDB", calls["calls"], calls["calls-singly"]),
        *_columns(figures, calls),
    ]


def run_variant(variant: str, rounds: str) -> Figures:
    """Run a variant with a table at an endpoint with immediate responses."""
    with instant_endpoint("table") as variables:
        environment = {
            **variables,
            "POWERTOOLS_SERVICE_NAME": "events",
            settings.GRAPH_TABLE: "graph",
            settings.ARCHIVE_BUCKET: "archive",
            settings.INTAKE_BUCKET: "intake",
            settings.EVENTS_QUEUE_URL: f"{variables['AWS_ENDPOINT_URL']}/123456789012/events",
            settings.CHANGES_QUEUE_URL: f"{variables['AWS_ENDPOINT_URL']}/123456789012/changes",
        }
        return run("events_work", variant, rounds, environment=environment)


def _columns(figures: Mapping[str, Figures], calls: Mapping[str, Figures]) -> Iterator[Row]:
    """Yield rows for loading events with column lineage, beside events without."""
    for variant, name in {"lineage": "columnLineage", "operations": "operations"}.items():
        what = f"events: with {name} of 20 columns, not without"
        ours, plain = figures[variant]["per_cpu_s"], figures["schemas"]["per_cpu_s"]
        yield more(what, ours, plain, at_least=_COLUMNS_AT_LEAST, show=events_per_second)
        with_columns, without = calls[f"calls-{variant}"], calls["calls-schemas"]
        ratio = with_columns["write_units"] / without["write_units"]
        of, goal = f"{what}: DynamoDB", f"≤ {_UNITS_AT_MOST:g}x WRU"
        yield Row(of, _sized(with_columns), _sized(without), f"{ratio:.2f}x WRU", goal, ratio <= _UNITS_AT_MOST)


def _sized(calls: Figures) -> str:
    return f"{calls['event_bytes'] / 1000:.1f} KB, {show_calls(calls)}"


def _calls(what: str, ours: Figures, baseline: Figures) -> Row:
    requests = (ours["reads"] + ours["writes"]) / (baseline["reads"] + baseline["writes"])
    units = ours["write_units"] / baseline["write_units"]
    return Row(what, show_calls(ours), show_calls(baseline), f"{requests:.2f}x requests, {units:.2f}x WRU", "")


def show_calls(calls: Figures) -> str:
    """Print the requests and units of an event on a line.

    >>> show_calls({"reads": 2.61, "writes": 4.25, "read_units": 30.5, "write_units": 80})
    '2.6 reads (30 RRU) and 4.2 writes (80 WRU) an event'
    """
    return (
        f"{calls['reads']:.1f} reads ({calls['read_units']:.0f} RRU) and "
        f"{calls['writes']:.1f} writes ({calls['write_units']:.0f} WRU) an event"
    )
