"""docs/benchmarks.md: the table of a whole run, and the machine that it was on."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from benchmarks.rows import Row

_ABOUT = """# Benchmarks

Written by `make bench`. Each figure is a median; ours and the baseline ran in turns, each run in a process of its own.

| what | ours | baseline | ratio | goal | met |
| --- | --: | --: | --: | --: | --- |"""

_BASELINES = """
The baselines:

- **index, walk, render**: a dict of all records, then for each leaf a walk up its parents and orjson of the whole path;
  the same lines as ours. The root is shaped like the Carbonlake pipeline: 4 single steps, 1,000 splits of the last,
  1,000 results of each split; UUIDs as node ids, S3 locations that hold them. From a list of records, not compressed;
  CPU seconds of the one process.
- **the whole object**: the same compression, hash and file, given the lines rendered before; seconds on the clock,
  since ours compresses beside the rendering where there is a second core that is free.
- **peak memory**: the plain way into the same compression; records arrive one at a time, as from the table. The limit
  is ours alone.
- **load**: `boto3.resource` doing the same parsing, validation, conditional writes and marks, in as many threads; both
  against an endpoint that answers at once, records for a second of the process's CPU. (One write after the other, the
  plain way costs about as little CPU as ours, but waits for each write.)
- **events**: every item that the events function leaves, put one at a time with `boto3.resource` in as many threads,
  after the same parsing and the same raw log; the items are made and compressed before, nothing is compared. *With
  conditions*: no update is lost, as with ours; what has a version is read before, and written if it is still that one.
  *batch_writer* guarantees less: it writes over what another function has written meanwhile.
  Events are START and COMPLETE of 3 inputs and 2 outputs, 8 to 9 KB each, of 50 jobs that are known already; a batch
  holds STARTs or COMPLETEs, so no run is in a batch twice. Events for a second of the function's CPU: AWS is a process
  of its own, with a table in memory. *One at a time*: the same function, a batch for each event. RRU and WRU are the
  units that DynamoDB bills, for jobs that have run 100 times.
- **graph**: the same question of a table with fewer jobs, or with one run a job. Rounds are of parallel reads (what
  has nothing to read is none), bytes those of the items read; they are counted, on a table in memory that answers as
  DynamoDB does (pages, batches), and the milliseconds are ours alone, with no network. Jobs have 3 inputs and 2
  outputs, of which one is the next job's in the chain; readers of the hub have 1 and 1; the question is asked of a job
  in the middle, or of the hub. Of runs after a job's first there is the COMPLETE alone, and in the table of many jobs
  only those of the asked chain have many runs: the question reads no partition that it does not read where there are
  no other jobs, which the benchmark checks.
- **fields**: the same question, over HTTP's routes, of a table with one run a job, or before later runs. 100 chains of
  10 jobs, of which each makes a dataset of 20 columns of the one before: 16 are that column, 4 are worked out of four;
  half of the jobs tell so by `columnLineage`, half by operations, and runs share a parent run. Asked are a column of
  the last or first dataset, or the dataset in the middle. Answers are counted whole, behind a link too; what is read
  from S3 counts with the items. A window of all runs reads a row for each of them: told, without a goal. *One
  operation*: every column made of every one, with the seconds, units and memory that such an event takes; ten times the
  columns are a hundred times the pairs. *columnLineage* tells each pair, so the full width is more than the API takes
  (32 MB an event). *Events with columns*: those of **events**, with schemas of 20 columns, with and without what each
  output's columns are made of.
- **capture**: the same job without it, in a process of its own: six pairs, whose first changes; the median of the
  pairs' ratios, and their range, which holds the true median with 97 %. Measured from `capture(spark)` to the end of
  its last flush, after the session's first few writes; events go over HTTP to an endpoint that takes them at once. CPU
  is that of the driver's two processes. Small writes read 1,000 rows and write some of them, or sums. *Once in a job*:
  the writes are done before any is told, so that nothing but capture runs; what the JVM compiles of it beside is waited
  for and counted, and differs from run to run, as do the pairs; the median of five. *Plans*: written first, and then
  read, understood and rendered as events; of these alone seconds and memory (the most that the JVM's heap grew beyond
  what a collection left, garbage included, and Python's peak). Whether the plan was told in full, by sources without
  kinds, or by tables stands beside it, and how many columns the event tells: there is no room for 1,500 × 1,500 pairs
  in it, so it tells none, and says so. Threads have 16 MB of stack, without which Spark itself fails at 400 expressions
  inside each other.
- **emit_records**: a message for each row, ten a call, by boto3 in each task. Rows for a second of CPU, of the JVM and
  of its Python workers: working out the rows, checking them, JSON, packing, `SendMessageBatch`, and sending failed
  entries again. The queue is a process of its own on loopback, which answers as SQS does and fails every fiftieth
  message: no network, no throttling. A run of as many rows before warms up.
- **verify**: coreutils' `sha256sum` of the same files; ours lists the folder, reads the digest, hashes and compares.
  Bytes for a second of CPU, on one core, files in the system's cache. OpenSSL uses the processor's own instructions for
  SHA-256, as Python's hashlib does by way of it; not every build of coreutils does: so its `dgst` stands beside it.
- **compact_archive**: plain PySpark that trusts what it finds: the day's prefix read as JSON with the schema given, for
  `records` the steps exploded and `dropDuplicates`; both sorted, zstd, a file each as ours. Ours reads the digest,
  proves each object by its SHA-256, leaves out what does not count, checks the counts, and makes `records` of the
  `traces` it wrote. Objects of 100 traces with paths of 4 to 6 steps, UUIDs as node ids, S3 locations that hold them;
  read from the disk's cache and written to disk, two cores, each run in a session of its own that is not warm. Lines
  are counted before their compression.
- **cold start**: a process that makes the same boto3 clients and does nothing else; compiled bytecode, warm disk. Ours
  is all that a handler makes before its first call of AWS, what it imports late too.

For context, not as a ratio: the recursive SQL of Marquez 0.51's `/lineage` alone (PostgreSQL 15, 2 cores, warm; no JVM,
no loading of runs, no JSON) took 0.37 s (depth 2) and 0.53 s (depth 20) on 10,000 jobs in chains of 10, and 0.12 s,
3.1 s and 49.5 s (depth 1, 2, 20) on a hub of 2,000 readers.

What a thousand records cost in AWS calls and money is in [cost.md](cost.md).

The machine:
"""


def render_results_page(rows: Sequence[Row], machine: Sequence[tuple[str, str]]) -> str:
    """The whole page."""
    return "\n".join((_ABOUT, *_rows(rows), _BASELINES, *(f"- {name}: {value}" for name, value in machine), ""))


def update_results_page(page: str, rows: Sequence[Row], about: str) -> str:
    """The page of an earlier run with these rows in the place of those of the same benchmarks, and a line about them.

    A benchmark is told by the first word of its rows; one that is not there comes after the others.
    """
    lines = page.rstrip("\n").splitlines()
    table = [number for number, line in enumerate(lines) if line.startswith("| ")]
    told = {_benchmark(row.what) for row in rows}
    old = [number for number in table[1:] if _benchmark(lines[number][2:]) in told]
    place = old[0] if old else table[-1] + 1
    above = [line for number, line in enumerate(lines[:place]) if number not in old]
    below = [line for number, line in enumerate(lines[place:], place) if number not in old]
    notes = [line for line in below if not line.startswith(f"- {_again(told)}")]
    return "\n".join((*above, *_rows(rows), *notes, f"- {_again(told)}: {about}", ""))


def _again(benchmarks: Collection[str]) -> str:
    return f"{', '.join(sorted(benchmarks))} by themselves"


def _benchmark(what: str) -> str:
    return what.partition(" ")[0].rstrip(":")


def _rows(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        met = "yes" if row.met else "**no**"
        yield f"| {row.what} | {row.ours} | {row.baseline} | {row.ratio} | {row.goal} | {met} |"
