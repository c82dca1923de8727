"""Events for the tests of the explorer: the emissions pipeline with neighbours, a hub, hostile names."""

from __future__ import annotations

from uuid import NAMESPACE_URL, uuid5

from tests.builders_events import a_facet, a_run_event, a_schema

JOBS, LAKE, MARTS = "emissions", "s3://flights", "postgres://marts.example:5432"

RAW = [
    ("flight", "string"),
    ("date", "date"),
    ("tailnum", "string"),
    ("distance", "int"),
    ("passenger_email", "string"),
]
ERROR = "org.apache.spark.SparkException: Job aborted due to stage failure:\n  No space left on device"
PLANES = [("tailnum", "string"), ("seats", "int"), ("engine", "string"), ("year", "int")]
CHECKED = [("flight", "string"), ("date", "date"), ("distance", "int"), ("seats", "int"), ("contact", "string")]
ESTIMATED = [("flight", "string"), ("date", "date"), ("fuel_kg", "double"), ("co2_kg", "double"), ("contact", "string")]
BY_DAY = [("date", "date"), ("flights", "bigint"), ("co2_t", "double")]


PII = {"key": "pii", "value": "true", "source": "catalog"}
_OF_DATASETS = {
    "raw": {"tags": {"tags": [{**PII, "field": "passenger_email"}]}},
    "estimated": {
        "tags": {"tags": [{"key": "tier", "value": "gold", "source": "catalog"}]},
        "ownership": {"owners": [{"name": "team:emissions", "type": "MAINTAINER"}]},
    },
}


def a_dataset(name, fields=None, lineage=None, namespace=LAKE):
    facets = {facet: a_facet(**body) for facet, body in _OF_DATASETS.get(name, {}).items()}
    if fields:
        facets["schema"] = a_schema(*fields)
    if lineage:
        columns = {
            column: {"inputFields": [_source(*source) for source in sources]} for column, sources in lineage.items()
        }
        facets["columnLineage"] = a_facet(fields=columns)
    return {"namespace": namespace, "name": name, "facets": facets}


def _source(dataset, field, description="", masking=False):
    subtype = "TRANSFORMATION" if description else "IDENTITY"
    how = {"type": "DIRECT", "subtype": subtype, "description": description, "masking": masking}
    return {"namespace": LAKE, "name": dataset, "field": field, "transformations": [how]}


def _a_day(day):
    partitions = [{"dimensions": {"day": f"2025-11-{day:02}"}}]
    return a_facet(inputCondition={"type": "partition", "partitions": partitions})


def run_of(job, number=1):
    return str(uuid5(NAMESPACE_URL, f"{job} {number}"))


def a_run(
    job,
    day,
    inputs=(),
    outputs=(),
    *,
    state="COMPLETE",
    hour=6,
    minutes=4,
    namespace=JOBS,
    error=None,
    facets=None,
    run_facets=None,
    number=None,
):
    """The first and the last event of a run."""
    failed = {"errorMessage": a_facet(message=error, programmingLanguage="python")} if error else {}

    def event(kind, minute, run_facets, inputs=(), outputs=()):
        about = {"eventType": kind, "eventTime": f"2025-11-{day:02}T{hour:02}:{minute:02}:00Z"}
        of = {"run": run_of(job, day if number is None else number), "job": job, "namespace": namespace}
        used = {"inputs": list(inputs), "outputs": list(outputs)}
        return a_run_event(**of, run_facets=run_facets, job_facets=facets, **about, **used)

    end = event(state, minutes, {**failed, **(run_facets or {})}, inputs, outputs)
    return [event("START", 0, {}), end]


_CHECK = {
    "flight": [("raw", "flight")],
    "date": [("raw", "date")],
    "distance": [("raw", "distance")],
    "seats": [("planes", "seats")],
    "contact": [("raw", "passenger_email", "sha2(passenger_email, 256)", True)],
}
_ESTIMATE = {
    "flight": [("checked", "flight")],
    "date": [("checked", "date")],
    "fuel_kg": [("checked", "distance", "0.03 * distance * seats"), ("checked", "seats", "0.03 * distance * seats")],
    "co2_kg": [("checked", "distance", "3.16 * fuel_kg"), ("checked", "seats", "3.16 * fuel_kg")],
    "contact": [("checked", "contact")],
}


def emissions(days=(17, 18, 19, 20)):
    """Four nights of the pipeline; the third and fourth also write a report, and the report of the fourth fails."""
    # The first run of the first night failed, and was cleared.
    events = a_run("emissions.land", days[0], hour=4, minutes=1, state="FAIL")
    for day in days:
        events += a_run("emissions.land", day, (), [a_dataset("raw", RAW)], hour=5, minutes=3)
        events += a_run("emissions.planes", day, (), [a_dataset("planes", PLANES)], hour=5, minutes=1)
        fields = CHECKED if day > 17 else CHECKED[:-1]
        lineage = {column: sources for column, sources in _CHECK.items() if column in dict(fields)}
        checked, rejected = a_dataset("checked", fields, lineage), a_dataset("rejected", RAW[:3])
        events += a_run(
            "emissions.check", day, [a_dataset("raw", RAW), a_dataset("planes", PLANES)], [checked, rejected], minutes=7
        )
        sql = a_facet(
            query="SELECT flight, date, 0.03 * distance * seats AS fuel_kg,\n  3.16 * fuel_kg AS co2_kg\nFROM checked"
        )
        estimated = a_dataset("estimated", ESTIMATED, _ESTIMATE)
        estimated["facets"]["version"] = a_facet(datasetVersion=str(8_300 + day))
        rows = a_facet(table="f392", sequence=day, firstRow=10 * day, nextRow=10 * day + 10)
        estimated["outputFacets"] = {"headwater_rows": rows}
        took = {"hour": 7, "minutes": 11 + day % 3}
        events += a_run(
            "emissions.estimate", day, [a_dataset("checked", fields)], [estimated], **took, facets={"sql": sql}
        )
        sources = {"date": [("estimated", "date")], "co2_t": [("estimated", "co2_kg", "sum(co2_kg) / 1000")]}
        by_day = a_dataset("public.co2_by_day", BY_DAY, sources, MARTS)
        of_marts = {"namespace": "marts"}
        events += a_run(
            "marts.co2_by_day", day, [a_dataset("estimated", ESTIMATED)], [by_day], hour=8, minutes=2, **of_marts
        )
        if day > 18:
            report = a_dataset("public.airline_report", BY_DAY, None, MARTS)
            end = {"state": "FAIL", "error": ERROR} if day == days[-1] else {}
            read = [a_dataset("estimated", ESTIMATED)]
            events += a_run("marts.airline_report", day, read, [report], hour=9, minutes=21, **of_marts, **end)
        failed_test = {"assertion": "not_null", "column": "flight", "success": False, "actual": "3", "expected": "0"}
        tests = a_facet(assertions=[failed_test, {"assertion": "unique", "column": "flight", "success": True}])
        read = {**a_dataset("rejected"), "inputFacets": {"subset": _a_day(day), "dataQualityAssertions": tests}}
        partly = {"extractionError": a_facet(totalTasks=2, failedTasks=1, errors=[])}
        temporary = a_dataset("tmp.rejections")
        events += a_run("ops.rejections", day, [read], [temporary], hour=9, namespace="ops", run_facets=partly)
        waits = a_facet(upstream=[{"job": {"namespace": "ops", "name": "ops.rejections"}}], downstream=[])
        board = "bi.dashboard_of_emissions_per_airline_and_day"
        events += a_run(board, day, [by_day], hour=10, namespace="bi", run_facets={"jobDependencies": waits})
    return events


def a_hub(readers):
    """A dataset with thousands of readers, each with an output of its own."""
    events = a_run("hub.load", 1, (), [a_dataset("hub", [("id", "int")])])
    for number in range(readers):
        when = {"day": 2 + number % 20, "minutes": number % 60, "number": number}
        copy = a_dataset(f"copy.{number:04}")
        events += a_run(f"reader.{number:04}", inputs=[a_dataset("hub")], outputs=[copy], **when)[1:]
    return events


def a_wide_graph(chains=95, length=10):
    """A dataset at the head of many chains of jobs: two thousand nodes, and only the first has many neighbours."""
    events = a_run("wide.load", 1, (), [a_dataset("wide", [("id", "int")])])
    for chain in range(chains):
        before = "wide"
        for step in range(length):
            target, job = f"chain.{chain:03}.{step}", f"job.{chain:03}.{step}"
            events += a_run(job, 2 + step, [a_dataset(before)], [a_dataset(target)], number=chain)[1:]
            before = target
    return events


def a_growing_hub(old=12):
    """A dataset read by many jobs on two days, and by two more jobs on a day between."""
    events = a_run("grow.load", 1, (), [a_dataset("grown", [("id", "int")])])
    for number in range(old):
        for day in (2, 20):
            name = f"old.{number:02}"
            events += a_run(name, day, [a_dataset("grown")], [a_dataset(f"of.{name}")], minutes=number)
    for name in ("new.a", "new.b"):
        events += a_run(name, 10, [a_dataset("grown")], [a_dataset(f"of.{name}")])
    return events


def a_failure_far_upstream(length=7):
    """A chain of jobs; the first job fails on the second day."""
    events = []
    for day in (1, 2):
        before = "source"
        for step in range(length):
            end = {"state": "FAIL", "error": ERROR} if day == 2 and step == 0 else {}
            target = f"step.{step}"
            events += a_run(f"far.{step}", day, [a_dataset(before)], [a_dataset(target)], hour=6 + step, **end)
            before = target
    return events


ATTACK = '<img src=x onerror="document.title=1"><script>document.title=2</script>'


def attacks():
    """Names and facets of markup, of spreadsheets' formulas, or too long."""
    fields = [(ATTACK, ATTACK), ("=1+1", "int"), ("x" * 300, "string"), ("‮override", "string")]
    output = a_dataset(f"out {ATTACK}", fields, {ATTACK: [(f"in {ATTACK}", ATTACK, ATTACK)]})
    return a_run(
        f"=cmd {ATTACK}",
        20,
        [a_dataset(f"in {ATTACK}", fields)],
        [output],
        namespace=f"ns {ATTACK}",
        state="FAIL",
        error=ATTACK,
        facets={
            "sql": a_facet(query=ATTACK),
            "documentation": a_facet(description=ATTACK),
            "sourceCodeLocation": a_facet(type="git", url="javascript:alert(1)"),
        },
    )


ODD_NAMES = ("weird?&#%/../name", "a#b")


def odd_names():
    """Datasets whose names mean something in a URL."""
    return [event for name in (*ODD_NAMES, "..") for event in a_run(f"write {name}", 1, [], [a_dataset(name)])]


def circles():
    """A job with its own table as input and output, and three jobs in a circle."""
    names = ["round.0", "round.1", "round.2"]
    events = a_run("merge.totals", 1, [a_dataset("arrivals"), a_dataset("totals")], [a_dataset("totals")])
    for source, target in zip(names, [*names[1:], names[0]], strict=True):
        events += a_run(f"to.{target}", 1, [a_dataset(source)], [a_dataset(target)])
    return events
