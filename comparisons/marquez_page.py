"""The page docs/marquez-speed.md: tables of each size, growth, and the counts of the responses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.tables import render_table
from comparisons.turns import Cost, Result
from comparisons.world import Counts

_ABOUT = r"""# Speed beside Marquez

The same events and the same queries, in both services, with 100, 1,000 and 10,000 jobs. Written by the command below,
which needs three parts that are not installed with the rest:

```sh
python -m comparisons.marquez --marquez-jar marquez-api.jar --postgresql /usr/lib/postgresql/15/bin \
    --dynamodb-local dynamodb_local --write
```

- `--marquez-jar`: Marquez's jar, which starts by `java -jar`, on Java 17 or newer;
- `--postgresql`: the folder of PostgreSQL 15's programs (Debian: `postgresql-15`); `--postgresql-user` is who runs it
  where the caller is root;
- `--dynamodb-local`: a folder with DynamoDB Local's jars and native libraries
  ([tests/README.md](../tests/README.md#reference-models)).

The command starts all servers on loopback, loads the same OpenLineage events into both services, and sends both the
same queries, one at a time, in turns. Both are warm: two seconds of a query, then five turns of a second each, of
which none begins after two minutes. Times by the clock are medians. CPU is that of all processes of a server, for one
request. Jobs are in chains of ten and ran once (START and COMPLETE, 3 inputs, 2 outputs); each output has ten columns
with `columnLineage`. A hub of 200 readers stands beside them at every size. Marquez gets its events by `POST
/api/v1/lineage`, ours go to the handler of the events function in batches of 100. PostgreSQL has 1 GB of shared
buffers and no fsync, and is vacuumed and analyzed before the queries.

How to read it:

- *Function* is the process of the api function with an HTTP server, in Python. *Ahead* compares Marquez's JVM and
  PostgreSQL with it, and both services by the clock; both must be at least 1x from 1,000 jobs on. *Flat* allows
  1.2 times the time and CPU of the smallest size. The text of the second search is in one name of each chain, so its
  matches grow with the jobs, from 10 to 1,000. A search returns ten and counts all.
- DynamoDB Local is not DynamoDB: it is SQLite in a JVM, on the same two cores. Its CPU says nothing about AWS, where a
  request is paid for instead ([cost.md](cost.md)). But our time by the clock includes it.
- AWS adds what is not here: a few milliseconds for each round of reads ([benchmarks.json](benchmarks.json) has the
  rounds of a query), API Gateway, a smaller processor (the function has 1,024 MB, about 0.6 of a core), and cold
  starts. At 5 ms a round, a graph of 7 rounds takes 35 ms more. So on AWS, by the clock, small queries of a Marquez
  with few jobs and a machine of its own stay ahead of ours.
- Marquez runs all day on its own machine and database; the function costs nothing between requests.
- On a hub of 2,000 readers, which is not in this run, the recursive SQL of Marquez 0.51's `/lineage` alone (PostgreSQL
  15, 2 cores, warm; no JVM, no loading of runs, no JSON) took 0.12 s, 3.1 s and 49.5 s (depth 1, 2, 20).
"""
# Goals: ahead from so many jobs on, and no more than so many times the cost of the fewest jobs.
_AHEAD_FROM = 1_000
_GROWTH_MAX = 1.2


@dataclass(frozen=True, slots=True)
class Load:
    """The load of events up to a number of jobs into both services: seconds, and CPU by server."""

    jobs: int
    events: int
    our_s: float
    our_cpu_s: Mapping[str, float]
    marquez_s: float
    marquez_cpu_s: Mapping[str, float]


def render_page(results: Sequence[Result], loads: Sequence[Load], about: Sequence[tuple[str, str]]) -> tuple[str, bool]:
    """Return the page, and True if every goal is met."""
    sizes = list(dict.fromkeys(result.jobs for result in results))
    lines = [_ABOUT]
    for jobs in sizes:
        lines += [*render_size([result for result in results if result.jobs == jobs]), ""]
    growth = list(_growth(results, sizes))
    lines += [f"## {sizes[-1]:,} jobs, not {sizes[0]:,}", "", *_growth_table(growth), ""]
    lines += ["## Responses", "", *_responses([result for result in results if result.jobs == sizes[-1]]), ""]
    lines += ["## Loading", "", *_loads(loads), ""]
    lines += ["## Machine", "", *(f"- {name}: {value}" for name, value in about), ""]
    met = all(_is_ahead(result) for result in results if result.jobs >= _AHEAD_FROM)
    return "\n".join(lines), met and all(flat for *_, flat in growth)


def render_size(results: Sequence[Result]) -> Iterator[str]:
    """Yield the heading and the table of a size."""
    yield from (f"## {results[0].jobs:,} jobs", "")
    columns = (
        *("query", "ours", "CPU: function", "CPU: DynamoDB Local"),
        *("Marquez", "CPU: JVM", "CPU: PostgreSQL", "by the clock", "by CPU", "ahead"),
    )
    yield from render_table(columns, "lrrrrrrrrl", (_cells(result) for result in results))


def _cells(result: Result) -> Sequence[str]:
    wall, cpu = _ratios(result)
    return (
        result.query.name,
        *_times(result.ours),
        *_times(result.marquez),
        f"{wall:.1f}x",
        f"{cpu:.1f}x",
        _yes(_is_ahead(result)),
    )


def _times(cost: Cost) -> Iterator[str]:
    yield _ms(cost.s)
    yield from map(_ms, cost.cpu_s.values())


def _ratios(result: Result) -> tuple[float, float]:
    """Return Marquez's seconds over ours by the clock, and its CPU with PostgreSQL's over the function's."""
    return result.marquez.s / result.ours.s, sum(result.marquez.cpu_s.values()) / _function_cpu_s(result)


def _function_cpu_s(result: Result) -> float:
    return result.ours.cpu_s["function"]


def _is_ahead(result: Result) -> bool:
    return min(_ratios(result)) >= 1


def _growth(results: Sequence[Result], sizes: Sequence[int]) -> Iterator[tuple[str, float, float, float, float, bool]]:
    """Yield each query with its growth from the fewest to the most jobs, and True if ours is flat."""
    of = {(result.query.name, result.jobs): result for result in results}
    for name in dict.fromkeys(result.query.name for result in results):
        few, many = of[name, sizes[0]], of[name, sizes[-1]]
        wall, cpu = many.ours.s / few.ours.s, _function_cpu_s(many) / _function_cpu_s(few)
        marquez = many.marquez.s / few.marquez.s
        marquez_cpu = sum(many.marquez.cpu_s.values()) / sum(few.marquez.cpu_s.values())
        yield name, wall, cpu, marquez, marquez_cpu, max(wall, cpu) <= _GROWTH_MAX


def _growth_table(growth: Iterable[tuple[str, float, float, float, float, bool]]) -> Iterator[str]:
    columns = ("query", "ours by the clock", "ours by CPU", "Marquez by the clock", "Marquez by CPU", "ours flat")
    rows = ((name, *(f"{ratio:.1f}x" for ratio in ratios), _yes(flat)) for name, *ratios, flat in growth)
    return render_table(columns, "lrrrrl", rows)


def _responses(results: Sequence[Result]) -> Iterator[str]:
    """Yield the table of what the responses hold; the reason stands where they differ."""
    rows = (
        (
            result.query.name,
            _counts(result.our_counts),
            _counts(result.marquez_counts),
            (result.query.differs or "**unknown**") if result.our_counts != result.marquez_counts else "",
        )
        for result in results
    )
    return render_table(("query", "ours", "Marquez's", "why they differ"), "lrrl", rows)


def _counts(counts: Counts) -> str:
    return ", ".join(f"{number:,} {name}" for name, number in counts.items())


def _loads(loads: Sequence[Load]) -> Iterator[str]:
    """Yield the table of the load; times are of one event."""
    columns = (
        *("jobs", "events", "ours", "CPU: function", "CPU: DynamoDB Local"),
        *("Marquez", "CPU: JVM", "CPU: PostgreSQL"),
    )
    rows = (
        (
            f"{load.jobs:,}",
            f"{load.events:,}",
            *(_ms(spent / load.events) for spent in (load.our_s, *load.our_cpu_s.values())),
            *(_ms(spent / load.events) for spent in (load.marquez_s, *load.marquez_cpu_s.values())),
        )
        for load in loads
    )
    return render_table(columns, "rrrrrrrr", rows)


def _ms(seconds: float) -> str:
    """Render seconds as milliseconds, to two digits where they are few.

    >>> _ms(0.00214), _ms(1.2341)
    ('2.1 ms', '1,234 ms')
    """
    return f"{seconds * 1000:.1f} ms" if seconds < 0.01 else f"{seconds * 1000:,.0f} ms"


def _yes(met: bool) -> str:
    return "yes" if met else "**no**"
