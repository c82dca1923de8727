"""The page docs/benchmarks.md: the rows of a whole run, the baselines, and the machine."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from benchmarks.rows import Row
from benchmarks.tables import render_row, render_table

_ABOUT = """# Benchmarks

Written by `make bench`. Each figure is a median; ours and the baseline ran in turns, each run in a process of its own.
"""

_BASELINES = """
The baselines:

- **index, walk, render**: a dict of all records, then for each leaf a walk to the root and orjson of the whole path.
  It makes the same lines as ours. The root is shaped like the Carbonlake pipeline: 4 steps in a row, 1,000 splits of
  the last, 1,000 results of each split; UUIDs as node ids and in S3 locations. Input is a list of records, output is
  not compressed; CPU seconds of the process. Half of the plain walk's CPU is the goal. A third of ours is one record
  for each node, their order and their parents; most of the rest is reading records that lie scattered in memory, since
  leaves of one parent stand together. The values of a field are rendered by one call of orjson for some hundred leaves.
  Slower: a call for each leaf; one call for the steps of many leaves; blocks of a few dozen leaves.
- **the whole object**: the same compression, hash and file, from lines rendered before. By the clock, since ours
  compresses on a second core, where one is free, while it renders.
- **peak memory**: the plain rendering into the same compression; records arrive one at a time, as from the table. The
  limit is of ours alone.
- **load**: `boto3.resource` with the same parsing, validation, conditional writes and marks of dirty roots, in as many
  threads. Both run against an endpoint that responds at once; records for a second of the process's CPU. (One write
  after the other, the plain variant takes about as little CPU as ours, but waits for each write.)
- **client**: the same functions with boto3's client of DynamoDB instead of `headwater/aws/dynamodb.py`. AWS is another
  process that responds at once, without TLS. Seconds of the function's CPU. The other clients that were measured are
  in [a decision record](decisions/0001-own-dynamodb-client.md). Requests have become few, so most of the CPU is
  the same on both sides. Measured apart, on a loaded machine: a request of **events** takes 0.2 ms of CPU, with
  boto3's client 1.0 ms; the 7 requests of the hub, whose responses are large, 6 ms and 19 ms, of 49 ms and 68 ms in
  all. A client that costs nothing would reach about 2.5x for events and 1.6x for the hub: the hub's goal is out of a
  client's reach. The goals were set beside the code before this client, with boto3's and many more requests. Beside
  that code, in turns of five: events 3.9x, the chain 3.6x, the hub 7.2x (257 and 36 ms), records 4.6x and 5.4x.
- **events**: every item that the events function leaves, put one at a time with `boto3.resource` in as many threads,
  after the same parsing and the same raw log. The items are made and compressed before; nothing is compared. *With
  conditions*: no update is lost, as with ours; an item with a version is read, and written if still current.
  *batch_writer* guarantees less: it overwrites concurrent updates. Events are START and COMPLETE of 3 inputs and 2
  outputs, 8 to 9 KB each, of 50 jobs that exist already. A batch holds STARTs or COMPLETEs, so a run is in a batch
  once. Events for a second of the function's CPU: AWS is another process, with a table in memory. *One at a time*: the
  same function, a batch for each event. RRU and WRU are the units that DynamoDB bills, for jobs with 100 earlier
  runs.
- **graph**: the same query of a table with fewer jobs, or with one run a job. Rounds are of parallel reads (a call with
  nothing to read is none), bytes are those of the items read. Both are counted on a table in memory with DynamoDB's
  pages and batches. The milliseconds are ours alone, without a network. Jobs have 3 inputs and 2 outputs, and one
  output is an input of the next job in the chain; readers of the hub have 1 and 1. The query is of a job in the middle,
  or of the hub. Runs after a job's first have the COMPLETE alone. In the table of many jobs, only the queried chain has
  many runs: the benchmark checks that the query reads the same partitions as without other jobs.
- **fields**: the same query, by the API's routes, of a table with one run a job, or before later runs. 100 chains of 10
  jobs; each job derives a dataset of 20 columns from the dataset before: 16 are copies, 4 are computed from four
  columns each. Half of the jobs report it by `columnLineage`, half by operations, and runs share a parent run. The
  queries are of a column of the last or first dataset, or of the dataset in the middle. Results are counted whole,
  behind a link too; objects read from S3 count with the items. A time range of all runs reads a row for each run, so
  its rows have no goal. *One operation*: from every column to every column, with the seconds, units and memory that
  such an event takes; ten times the columns are a hundred times the pairs. *columnLineage* lists each pair, so the
  event of full width is larger than the API accepts (32 MB). *Events with columns*: those of **events**, with schemas
  of 20 columns, with and without the columns' lineage. A run reports what the run before it did, as in production, so
  the function knows its facets by their content.
- **capture**: the same job without it, in a process of its own: six pairs, each of them first in every other pair; the
  median of the pairs' ratios, and their range, which holds the true median with 97 %. Measured from `capture(spark)` to
  the end of its last flush, after the session's first few writes; an endpoint accepts the events over HTTP at once. CPU
  is that of the driver's two processes. Small writes read 1,000 rows and write a part or sums of them. *Once in a job*:
  all writes are done before the first is captured, so that nothing but capture runs. The JVM's compilation of it is
  waited for and counted; it varies from run to run, as do the pairs; the median of five. *Plans*: written first, then
  read, extracted and rendered as events; only these are measured, in seconds and memory (the growth of the JVM's heap
  over a collection, garbage included, and Python's peak). Beside it stands the captured detail (full, sources without
  kinds, or tables) and the number of columns in the event. 1,500 × 1,500 pairs exceed its size limit: it lists no
  columns, and is marked so. Threads have 16 MB of stack; with less, Spark itself fails at 400 nested expressions.
- **emit_records**: a message for each row, ten a call, by boto3 in each task. Rows for a second of CPU, of the JVM and
  of its Python workers: computing the rows, checking them, JSON, packing, `SendMessageBatch`, and sending failed
  entries again. The queue is another process on loopback, which responds as SQS does and fails every fiftieth message:
  no network, no throttling. A run of as many rows before warms up. *Over HTTP*: `foreachPartition`, which iterates over
  the rows in Python and posts `json.dumps` of as many as a request of ours holds (10,000), one after the other, over a
  connection that is kept; it checks, compresses and repeats nothing. A process on loopback accepts at once. Rows for a
  second by the clock, where ours packs the next requests while others are sent, and for a second of CPU.
- **verify**: coreutils' `sha256sum` of the same files; ours lists the folder, reads the digest, hashes and compares.
  Bytes for a second of CPU, on one core, files in the system's cache. OpenSSL uses the processor's instructions for
  SHA-256, and so does Python's hashlib by OpenSSL; not every build of coreutils does, so `openssl dgst` stands beside.
- **compact_archive**: plain PySpark without checks: the day's prefix read as JSON with a given schema, for `records`
  the steps exploded and `dropDuplicates`; both sorted, zstd, a file each as ours. Ours reads the digest, checks each
  object's SHA-256, skips objects that do not count, checks the counts, and makes `records` from the `traces` it wrote.
  Objects of 100 traces with paths of 4 to 6 steps, UUIDs as node ids and in S3 locations; read from the disk's cache
  and written to disk, two cores, each run in a new session. Lines are counted before their compression.
- **cold start**: a process that makes boto3's clients of the services that a function may use and does nothing else;
  compiled bytecode, warm disk. Ours is all that a handler does before its first call of AWS, late imports included. It
  makes its clients of S3 and SQS at their first use: *api, of a query* makes neither.

Both services in one run are [beside each other below](#beside-marquez). On a hub of 2,000 readers, which is not in that
run, the recursive SQL of Marquez 0.51's `/lineage` alone (PostgreSQL 15, 2 cores, warm; no JVM, no loading of runs, no
JSON) took 0.12 s, 3.1 s and 49.5 s (depth 1, 2, 20).

The price of a thousand records in AWS calls and money is in [cost.md](cost.md).

The machine:
"""


def render_results_page(rows: Sequence[Row], machine: Sequence[tuple[str, str]]) -> str:
    """Return the whole page."""
    return "\n".join(
        (_ABOUT, *render_results(rows), _BASELINES, *(f"- {name}: {value}" for name, value in machine), "")
    )


def render_results(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of the table."""
    return render_table(("what", "ours", "baseline", "ratio", "goal", "met"), "lrrrrl", map(_cells, rows))


def update_results_page(page: str, rows: Sequence[Row], about: str) -> str:
    """Replace the rows of these benchmarks in the page of an earlier run, and add a line about this run.

    The first word of a row names its benchmark. Rows of a new benchmark come last.
    """
    lines = page.rstrip("\n").splitlines()
    table = [number for number, line in enumerate(lines) if line.startswith("| ")]
    measured = {_benchmark(row.what) for row in rows}
    old = [number for number in table[1:] if _benchmark(lines[number][2:]) in measured]
    start = old[0] if old else table[-1] + 1
    above = [line for number, line in enumerate(lines[:start]) if number not in old]
    below = [line for number, line in enumerate(lines[start:], start) if number not in old]
    notes = [line for line in below if not line.startswith(f"- {_again(measured)}")]
    return "\n".join((*above, *map(render_row, map(_cells, rows)), *notes, f"- {_again(measured)}: {about}", ""))


def _again(benchmarks: Collection[str]) -> str:
    return f"{', '.join(sorted(benchmarks))} by themselves"


def _benchmark(what: str) -> str:
    return what.partition(" ")[0].rstrip(":")


def _cells(row: Row) -> Sequence[str]:
    return row.what, row.ours, row.baseline, row.ratio, row.goal, "yes" if row.met else "**no**"
