"""Headwater beside Marquez: the command `python -m benchmarks.marquez`, with the same events and queries in both.

It starts PostgreSQL, Marquez, DynamoDB Local and the api function, loads 100, 1,000, then 10,000 jobs into both
services, and sends the queries to both in turns at each size. It exits with 1 if a goal is missed, and writes its
section of docs/benchmarks.md after each size with `--write`. Linux only, for the CPU of processes; an hour or more.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import boto3
from rich.console import Console

from benchmarks import machine
from benchmarks.client import function_environment
from benchmarks.peers import servers
from benchmarks.peers.marquez_page import Load, join_section, render_section, render_size, split_section
from benchmarks.peers.turns import Result, Service, load_marquez, measure, warm_up
from benchmarks.peers.world import events_of, queries, steps
from benchmarks.processes import PROJECT, Report, Stopwatch, run
from headwater.settings import GRAPH_TABLE, PK, SK, TRACE_QUEUE_URL

_RESULTS = PROJECT / "docs" / "benchmarks.md"
_SIZES = (100, 1_000, 10_000)


@dataclass(frozen=True, slots=True)
class World:
    """Both services, and the environment of ours."""

    ours: Service
    marquez: Service
    environment: dict[str, str]
    database: servers.Server


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the comparison and print its section; return 1 if a goal is missed."""
    parsed = _parse(arguments)
    load_before, console = machine.load(), Console()
    with tempfile.TemporaryDirectory(prefix="headwater-marquez-") as folder, console.status("starting") as status:
        Path(folder).chmod(0o755)  # PostgreSQL may run as another user
        results: list[Result] = []
        loads: list[Load] = []
        with _world(parsed, Path(folder)) as world:
            for begin, end in zip((0, *parsed.jobs), parsed.jobs, strict=False):
                loads.append(_load(world, begin, end, status.update))
                servers.vacuum(parsed.postgresql, world.database)
                measured = list(_measure(world, end, status.update))
                _print(console, "\n".join(render_size(measured)))
                results += measured
                about = [*machine.describe(), ("load before and after", f"{load_before}; {machine.load()}")]
                section, met = render_section(results, loads, about)
                if parsed.write:
                    page, _ = split_section(_RESULTS.read_text(encoding="utf-8"))
                    _RESULTS.write_text(join_section(page, section), encoding="utf-8")
    _print(console, section)
    return 0 if met else 1


def _measure(world: World, jobs: int, report: Report) -> Iterator[Result]:
    """Yield the results of the queries at a number of jobs."""
    for query in queries():
        report(f"{jobs:,} jobs: {query.name}")
        warm_up(query, world.ours, world.marquez)
        yield measure(query, jobs, world.ours, world.marquez)


def _print(console: Console, text: str) -> None:
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the options; exit with a message that names the option where a part is missing."""
    parser = argparse.ArgumentParser(prog="benchmarks.marquez", description=__doc__)
    parser.add_argument(
        "--marquez-jar", type=_path, metavar="FILE", help="Marquez's jar, for `java -jar FILE server ...`"
    )
    parser.add_argument("--postgresql", type=_path, metavar="FOLDER", help="the programs of PostgreSQL 15, with initdb")
    parser.add_argument(
        "--dynamodb-local", type=_path, metavar="FOLDER", help="the jars and native libraries of DynamoDB Local"
    )
    parser.add_argument("--postgresql-user", default="postgres", help="who runs PostgreSQL where the caller is root")
    parser.add_argument("--jobs", type=int, nargs="+", default=_SIZES, help="the sizes, ascending tens of jobs")
    parser.add_argument("--write", action="store_true", help="write the section of docs/benchmarks.md")
    parsed = parser.parse_args(arguments)
    parts = (
        ("--marquez-jar", parsed.marquez_jar, "a jar of Marquez", Path.is_file),
        ("--postgresql", parsed.postgresql, "a folder with the programs of PostgreSQL 15", _has_postgresql),
        ("--dynamodb-local", parsed.dynamodb_local, "a folder with DynamoDBLocal's jars", _has_dynamodb_local),
    )
    for option, path, what, exists in parts:
        if path is None or not exists(path):
            parser.error(f"{option} must name {what}, got {path or 'nothing'}")
    return parsed


def _path(text: str) -> Path:
    """Return a path that is the same from every folder: servers start in folders of their own."""
    return Path(text).resolve()


def _has_postgresql(folder: Path) -> bool:
    return all((folder / program).is_file() for program in ("initdb", "postgres", "createdb", "vacuumdb"))


def _has_dynamodb_local(folder: Path) -> bool:
    return any(folder.glob("DynamoDBLocal*.jar"))


@contextmanager
def _world(parsed: argparse.Namespace, folder: Path) -> Iterator[World]:
    """Start all servers."""
    with (
        servers.postgresql(parsed.postgresql, _made(folder, "postgresql"), parsed.postgresql_user) as database,
        servers.marquez(parsed.marquez_jar, database, folder) as marquez,
        servers.dynamodb_local(parsed.dynamodb_local, folder) as dynamodb,
        function_environment(("table",)) as variables,
    ):
        address = {"AWS_ENDPOINT_URL_DYNAMODB": f"http://127.0.0.1:{dynamodb.port}"}
        environment = {**variables, **address, TRACE_QUEUE_URL: f"{variables['AWS_ENDPOINT_URL']}/123456789012/trace"}
        _make_table(environment)
        with servers.headwater(environment, folder) as api:
            our_servers = {"function": api, "DynamoDB Local": dynamodb}
            marquez_servers = {"JVM": marquez, "PostgreSQL": database}
            with (
                closing(Service(api.port, our_servers)) as ours,
                closing(Service(marquez.port, marquez_servers)) as theirs,
            ):
                yield World(ours, theirs, environment, database)


def _made(folder: Path, name: str) -> Path:
    subfolder = folder / name
    subfolder.mkdir()
    return subfolder


def _make_table(environment: dict[str, str]) -> None:
    """Create the graph table with its keys."""
    dynamodb = boto3.client(
        "dynamodb",
        endpoint_url=environment["AWS_ENDPOINT_URL_DYNAMODB"],
        region_name=environment["AWS_DEFAULT_REGION"],
        aws_access_key_id=environment["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=environment["AWS_SECRET_ACCESS_KEY"],
    )
    dynamodb.create_table(
        TableName=environment[GRAPH_TABLE],
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": PK, "KeyType": "HASH"}, {"AttributeName": SK, "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in (PK, SK)],
    )


def _load(world: World, begin: int, end: int, report: Report) -> Load:
    """Load the jobs from a number to another into both; with the first, the readers of the hub."""
    report(f"loading {end:,} jobs")
    readers = not begin
    before = world.ours.cpu_s()
    ours = run("peers.load_work", str(begin), str(end), *["hub"] * readers, environment=world.environment)
    our_cpu_s = {"function": ours["cpu_s"], "DynamoDB Local": _since(before, world.ours)["DynamoDB Local"]}
    before, watch = world.marquez.cpu_s(), Stopwatch()
    for loaded in load_marquez(world.marquez, map(events_of, steps(begin, end, readers=readers))):
        report(f"loading {end:,} jobs: {loaded:,} of {ours['events']:,} events into Marquez")
    assert loaded == ours["events"]
    return Load(end, loaded, ours["s"], our_cpu_s, watch.read()["s"], _since(before, world.marquez))


def _since(before: dict[str, float], service: Service) -> dict[str, float]:
    return {name: cpu_s - before[name] for name, cpu_s in service.cpu_s().items()}


if __name__ == "__main__":
    sys.exit(main())
