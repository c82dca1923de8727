"""The events function: events a second for a core.

The baseline puts every resulting item by itself with `boto3.resource` in as many threads, after the same parsing and
the same raw log. The items are made and compressed before; nothing is compared. *With conditions*: no update is lost,
as with ours; an item with a version is read, and written if still current. *batch_writer* guarantees less: it
overwrites concurrent updates. Events are START and COMPLETE of 3 inputs and 2 outputs, 8 to 9 KB each, of 50 existing
jobs. A batch holds STARTs or COMPLETEs, so a run is in a batch once. Events for a second of the function's CPU: AWS is
a separate process, with a table in memory. *With columnLineage*: datasets have schemas of 20 columns, and the same
events without lineage are the baseline.
"""

from __future__ import annotations

from benchmarks.events_work import BATCH, WORKS
from benchmarks.processes import Figures, Report, in_turns, instant_endpoint, run
from benchmarks.rows import Row, events_per_second, more
from headwater import settings

# An event with columns is more than twice as large, and is parsed whole. Runs of an afternoon gave 0.70, 0.71 and 0.74.
_COLUMNS_AT_LEAST = 0.6


def measure(report: Report, *, quick: bool) -> list[Row]:
    """Measure all variants in turns."""
    rounds = "1" if quick else "4"
    works = {variant: lambda variant=variant: run_variant(variant, rounds) for variant in WORKS}
    rates = {name: each["per_cpu_s"] for name, each in in_turns(1 if quick else 3, works, report).items()}
    of, show, ours, weaker = f"events: batches of {BATCH}", events_per_second, rates["ours"], rates["weaker"]
    return [
        more(f"{of}; put plainly, with conditions", ours, rates["plain"], at_least=1.2, show=show),
        Row(f"{of}; batch_writer, which loses updates", show(ours), show(weaker), f"{ours / weaker:.2f}x", ""),
        more(
            "events: with columnLineage of 20 columns, not without",
            rates["lineage"],
            rates["schemas"],
            at_least=_COLUMNS_AT_LEAST,
            show=show,
        ),
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
