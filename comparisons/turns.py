"""Requests to two services in turns: seconds on the clock, and CPU of the services' processes."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPConnection
from statistics import median
from typing import NamedTuple

import orjson

from comparisons.servers import Server
from comparisons.world import Counts, Json, Query

_TURNS = 5
# A request that takes longer is the only one of its turn.
_TURN_S = 1.0
# No turn begins after so long.
_TURNS_MAX_S = 120.0
_WARM_S = 2.0
_TIMEOUT_S = 600.0
# A load's connections; with more, Marquez is not faster on two cores.
_LOADERS = 3
_TRIES = 5


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of a request: on the clock (the median), and CPU by server (median of the turns' means)."""

    s: float
    cpu_s: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Result:
    """A query's costs at both services, with the counts of their responses, at a number of jobs."""

    query: Query
    jobs: int
    ours: Cost
    marquez: Cost
    our_counts: Counts
    marquez_counts: Counts


class Service:
    """A service on a port, with the servers that work for it by name.

    Its connection is closed before it is idle for long, since a server would close it; the next request opens it.
    """

    def __init__(self, port: int, servers: Mapping[str, Server]) -> None:
        self.port = port
        self._servers = servers
        self._connection = HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT_S)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def get(self, path: str) -> bytes:
        """Return the body of a successful response."""
        return _send(self._connection, "GET", path, 200)

    def cpu_s(self) -> dict[str, float]:
        """Return the CPU so far, by server."""
        return {name: server.cpu_s() for name, server in self._servers.items()}


def _send(connection: HTTPConnection, method: str, path: str, status: int, body: bytes | None = None) -> bytes:
    connection.request(method, path, body, {"Content-Type": "application/json"})
    response = connection.getresponse()
    content = response.read()
    if response.status != status:
        raise ValueError(f"{method} {path}: must return {status}, got {response.status}: {content[:1000]!r}")
    return content


def warm_up(query: Query, ours: Service, marquez: Service) -> None:
    """Send a query to both services for some seconds."""
    for service, path in ((ours, query.ours), (marquez, query.marquez)):
        for _ in _repeated(_WARM_S):
            service.get(path)
        service.close()


def measure(query: Query, jobs: int, ours: Service, marquez: Service) -> Result:
    """Send a query to both services in turns: five, or fewer slow ones."""
    our_turns: list[_Turn] = []
    marquez_turns: list[_Turn] = []
    end_s = time.monotonic() + _TURNS_MAX_S
    while len(our_turns) < _TURNS and (not our_turns or time.monotonic() < end_s):
        our_turns.append(_turn(ours, query.ours))
        marquez_turns.append(_turn(marquez, query.marquez))
    counts = (query.count(orjson.loads(turns[-1].response)) for turns in (our_turns, marquez_turns))
    return Result(query, jobs, _cost(our_turns), _cost(marquez_turns), *counts)


class _Turn(NamedTuple):
    """Seconds of each request of a turn, the mean CPU of one by server, and the last response."""

    seconds: Sequence[float]
    cpu_s: Mapping[str, float]
    response: bytes


def _turn(service: Service, path: str) -> _Turn:
    before, seconds, response = service.cpu_s(), [], b""
    for begin in _repeated(_TURN_S):
        response = service.get(path)
        seconds.append(time.perf_counter() - begin)
    service.close()
    cpu_s = {name: (spent - before[name]) / len(seconds) for name, spent in service.cpu_s().items()}
    return _Turn(seconds, cpu_s, response)


def _repeated(least_s: float) -> Iterator[float]:
    """Yield the clock before each request, of which there is at least one, until that many seconds are over."""
    begin = now = time.perf_counter()
    while now - begin < least_s:
        yield now
        now = time.perf_counter()


def _cost(turns: Sequence[_Turn]) -> Cost:
    """Return the cost over all turns."""
    wall_s = median(seconds for turn in turns for seconds in turn.seconds)
    return Cost(wall_s, {name: median(turn.cpu_s[name] for turn in turns) for name in turns[0].cpu_s})


def load_marquez(marquez: Service, jobs: Iterable[Sequence[Json]]) -> Iterator[int]:
    """Post the events of each job in their order, some jobs at a time; yield the number of events so far."""

    def post(connection: HTTPConnection, event: Json) -> None:
        for attempt in range(1, _TRIES + 1):
            try:
                _send(connection, "POST", "/api/v1/lineage", 201, orjson.dumps(event))
            except ValueError:  # a deadlock between connections, which producers retry, too
                if attempt == _TRIES:
                    raise
            else:
                return

    def load(events: Sequence[Json]) -> int:
        connection = HTTPConnection("127.0.0.1", marquez.port, timeout=_TIMEOUT_S)
        for event in events:
            post(connection, event)
        connection.close()
        return len(events)

    with ThreadPoolExecutor(_LOADERS) as pool:
        yield from itertools.accumulate(pool.map(load, jobs))
