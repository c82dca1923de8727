"""The servers of a comparison, each with the CPU of its processes: PostgreSQL, Marquez, DynamoDB Local, our API."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from socket import create_connection, socket

from benchmarks.processes import PROJECT
from local_stack.toolchain import find_java

_START_S = 120.0
_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
_MARQUEZ = """
server:
  applicationConnectors: [{{type: http, port: {port}, bindHost: 127.0.0.1, httpCompliance: RFC7230_LEGACY}}]
  adminConnectors: [{{type: http, port: {admin_port}, bindHost: 127.0.0.1}}]
  requestLog: {{appenders: []}}
db: {{driverClass: org.postgresql.Driver, url: "jdbc:postgresql://127.0.0.1:{database_port}/marquez", user: marquez}}
migrateOnStartup: true
graphql: {{enabled: false}}
search: {{enabled: false}}
logging: {{level: WARN, appenders: [{{type: console}}]}}
"""


class NotStarted(Exception):
    """Failure of a server to start; the message ends with its log."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server on a port of 127.0.0.1, and its first process."""

    port: int
    pid: int

    def cpu_s(self) -> float:
        """Return the seconds of CPU of its processes so far, to a hundredth; Linux only."""
        return cpu_s(self.pid)


def cpu_s(pid: int) -> float:
    """Return the seconds of CPU of a process, its children, and its children that ended."""
    stats = {int(path.name): fields for path in Path("/proc").glob("[0-9]*") if (fields := _stat(path))}
    children = (fields for fields in stats.values() if int(fields[1]) == pid)
    # User and system time, then the same of ended children (proc(5); fields from the third on).
    ticks = sum(map(int, stats[pid][11:15])) + sum(int(time) for fields in children for time in fields[11:13])
    return ticks / _TICKS_A_SECOND


def _stat(process: Path) -> list[str]:
    """Return the fields after the process's name, which may hold spaces; none if it ended."""
    try:
        return (process / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


@contextmanager
def postgresql(programs: Path, folder: Path, user: str) -> Iterator[Server]:
    """Start a new PostgreSQL with the empty database `marquez`; `user` runs it, since PostgreSQL refuses root."""
    data, port = folder / "data", free_port()
    account = user if os.getuid() == 0 else None
    if account:
        subprocess.run(["chown", account, folder], check=True)  # noqa: S603, S607 - our own folder

    def run(program: str, *arguments: str | Path) -> None:
        command = [programs / program, *arguments]
        done = subprocess.run(command, user=account, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603 - given by option
        if done.returncode:
            raise NotStarted(f"{programs / program}:\n{done.stdout}{done.stderr}")

    run("initdb", "--pgdata", data, "--username", "marquez", "--auth", "trust", "--encoding", "UTF8", "--no-sync")
    options = [f"-p{port}", f"-k{folder}", "-clisten_addresses=127.0.0.1", "-cfsync=off", "-cshared_buffers=1GB"]
    command: list[str | Path] = [programs / "postgres", "-D", data, *options]
    with _started(command, port, folder / "postgresql.log", user=account) as server:
        run("createdb", "--host", "127.0.0.1", "--port", str(port), "--username", "marquez", "marquez")
        yield server


def vacuum(programs: Path, server: Server) -> None:
    """Have PostgreSQL clean its tables and count their rows for its plans."""
    address = ["--host", "127.0.0.1", "--port", str(server.port), "--username", "marquez"]
    subprocess.run([programs / "vacuumdb", "--quiet", "--analyze", *address, "marquez"], check=True)  # noqa: S603 - given by option


@contextmanager
def marquez(jar: Path, database: Server, folder: Path) -> Iterator[Server]:
    """Start Marquez on an empty database."""
    port, settings = free_port(), folder / "marquez.yml"
    settings.write_text(_MARQUEZ.format(port=port, admin_port=free_port(), database_port=database.port))
    with _started([_java(), "-jar", jar, "server", settings], port, folder / "marquez.log") as server:
        yield server


@contextmanager
def dynamodb_local(programs: Path, folder: Path) -> Iterator[Server]:
    """Start DynamoDB Local with tables in memory; its jars and native libraries are in the folder `programs`."""
    port = free_port()
    main = "com.amazonaws.services.dynamodbv2.local.main.ServerRunner"
    libraries = [f"-Djava.library.path={programs}", "-cp", f"{programs}/*"]
    command: list[str | Path] = [_java(), *libraries, main, "-inMemory", "-port", str(port)]
    with _started(command, port, folder / "dynamodb.log") as server:
        yield server


@contextmanager
def headwater(environment: Mapping[str, str], folder: Path) -> Iterator[Server]:
    """Start the api function behind an HTTP server."""
    port = free_port()
    command = [sys.executable, "-m", "comparisons.api_server", str(port)]
    with _started(
        command, port, folder / "headwater.log", environment={**environment, "PYTHONPATH": str(PROJECT)}
    ) as server:
        yield server


@contextmanager
def _started(
    command: Sequence[str | Path],
    port: int,
    log: Path,
    *,
    user: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Server]:
    """Start a server in the folder of its log, wait until it accepts connections, and stop it at the end."""
    variables = {**os.environ, **(environment or {})}
    with (
        log.open("w") as out,
        subprocess.Popen(command, cwd=log.parent, env=variables, user=user, stdout=out, stderr=out) as process,  # noqa: S603 - ours, or given by option
    ):
        try:
            _wait(process, port, log)
            yield Server(port, process.pid)
        finally:
            process.terminate()


def _wait(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Wait until the port accepts connections. Raises NotStarted if the process ends, or the time is over."""
    until = time.monotonic() + _START_S
    while process.poll() is None and time.monotonic() < until:
        try:
            create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise NotStarted(f"{process.args!r}:\n{log.read_text(errors='replace')[-4000:]}")


def free_port() -> int:
    """Return a port of 127.0.0.1 that is free now."""
    with socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _java() -> Path:
    return find_java() / "bin" / "java"
