"""The stack of a template, running on this machine."""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

import boto3
from botocore.config import Config

from local_stack.aws.endpoint import EVENTS_PATH, Endpoint, settings_at
from local_stack.compute.functions import Functions, InvocationResult
from local_stack.compute.http_api import InvokeApi, RestApi, Route
from local_stack.compute.poller import Failure, Feeder, Poller, failure_of
from local_stack.compute.queues import QueuePoller
from local_stack.compute.schedules import Scheduler
from local_stack.compute.spark_jobs import RUNS_PATH, SparkJobs, run_requested
from local_stack.compute.state_machines import Machines
from local_stack.compute.streams import StreamPoller
from local_stack.demo import DEMO_PATH, Demo
from local_stack.deploy import Deployed, deploy
from local_stack.errors import ChildFailed, NotDrained
from local_stack.processes.clock import Clock
from local_stack.template.resources import StateMachine
from local_stack.template.template import RawTemplate, parse_template
from local_stack.web.server import Reply, Request, Server, behind_secret
from local_stack.wiring import api_routes, feeds, scheduled_starts

_ROOT = Path(__file__).resolve().parent.parent
# A wheel is no place for logs.
_LOGS = (_ROOT if (_ROOT / "pyproject.toml").is_file() else Path.cwd()) / ".headwater" / "logs"
_IDLE_POLL_S = 0.1
_EVENTS_KEPT = 1_000
# The length of the secret of the functions' port: any process and any page of this machine can reach the port.
_SECRET_BYTES = 32


class LocalStack:
    """A running stack, from `start` or `with` until `stop`; it leaves nothing behind.

    A port of 0 is any free port. `window_cap_s` shortens batching windows of up to a minute. With `schedules` the
    template's schedules fire; every `sweep_s` seconds expired items are removed, None is never (see `sweep_ttl`).
    Handlers are imported from the folder `code`. With a folder `data`, records, events, tokens and the archive outlive
    the stack, after any end. Failures without a caller are kept in `errors` and given to `on_failure`; the last events
    of the event buses are kept in `events`, and given to `on_event` at once.
    """

    def __init__(
        self,
        template: RawTemplate,
        *,
        api_port: int = 0,
        token_port: int = 0,
        aws_port: int = 0,
        window_cap_s: float | None = None,
        schedules: bool = False,
        sweep_s: float | None = None,
        code: Path = _ROOT,
        logs: Path = _LOGS,
        data: Path | None = None,
        on_failure: Callable[[Failure], None] | None = None,
        on_event: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> None:
        self._template = parse_template(template)
        self._routes = api_routes(self._template)
        self._api_port, self._token_port, self._aws_port = api_port, token_port, aws_port
        self._window_cap_s = window_cap_s
        self._schedules, self._sweep_s = schedules, sweep_s
        self._code, self._logs, self._data = code, logs, data
        self._on_failure, self._on_event = on_failure, on_event
        self._clock = Clock()
        self._stopping = threading.Event()
        self._on_stop = ExitStack()
        self.errors: list[Failure] = []
        self.events: deque[Mapping[str, Any]] = deque(maxlen=_EVENTS_KEPT)
        self.api_url = ""
        """The URL of the HTTP API; empty if the template has none."""
        self.token_api_url = ""
        """The address of the API for bearer tokens; empty if the template has none."""
        self.function_port = 0
        """The port at which moto runs functions and Spark jobs; requests need the secret in their path."""
        self._rest_apis: dict[str, RestApi] = {}

    def __enter__(self) -> LocalStack:
        """Start the stack."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the stack."""
        self.stop()

    # -- life

    def start(self) -> None:
        """Listen, deploy and poll. Raises PortInUse; after any error, nothing is left running."""
        try:
            self._start()
        except BaseException:
            self.stop()
            raise

    def _start(self) -> None:
        invokes = self._invokes = InvokeApi(lambda: self._functions, self._report_async)
        replies: dict[str, Callable[[Request], Reply]] = {
            RUNS_PATH: lambda request: run_requested(self._jobs, request),
            EVENTS_PATH: self._keep_events,
        }
        secret = secrets.token_urlsafe(_SECRET_BYTES)
        invoke_server = Server(
            0, behind_secret(secret, lambda request: replies.get(request.target, invokes.reply_to)(request))
        )
        self.function_port = invoke_server.server_address[1]
        self._on_stop.callback(invoke_server.stop)
        invoke_server.open()
        self._on_stop.callback(invokes.stop)
        servers = self._bind_ports()
        self._endpoint = Endpoint(
            port=self._aws_port,
            functions_url=f"{invoke_server.url}/{secret}",
            logs=self._logs,
            state=self._data and self._data / "state.sqlite",
        )
        self._on_stop.callback(self._endpoint.stop)
        self._deployed: Deployed = deploy(
            self._template, self._endpoint, api_urls={name: f"{server.url}/" for name, server in servers.items()}
        )
        self._endpoint.restore()
        self._functions = Functions(
            self._deployed.functions, env=self.environment, code=self._code, logs=self._logs, clock=self._clock
        )
        self._jobs = SparkJobs(
            env=self.environment, code=self._code, logs=self._logs, clock=self._clock, report=self._report
        )
        self._on_stop.callback(self._jobs.stop)
        for route in self._routes:
            rest_api = RestApi(route, functions=self._functions, clock=self._clock)
            self._on_stop.callback(rest_api.stop)
            self._rest_apis[route.api_id] = rest_api
        self._machines = Machines(boto3.client("stepfunctions", **self.client_settings), report=self._report)
        self._on_stop.callback(self._machines.stop)
        self._start_pollers()
        self._demo = Demo(self.api_url, drain=self.drain, code=self._code, log=self._logs / "demo.log")
        self._on_stop.callback(self._demo.stop)  # before all else: it is a client of the rest
        for server in servers.values():
            server.open()

    def _bind_ports(self) -> dict[str, Server]:
        """Bind the APIs' ports before slow steps; return their servers by logical id. They open last."""
        servers: dict[str, Server] = {}
        for route in self._routes:
            port, option = (self._api_port, "--api-port") if route.signed else (self._token_port, "--token-port")
            server = Server(port, self._replier(route), option=option)
            self._on_stop.callback(server.stop)
            servers[route.api_id] = server
            if route.signed:
                self.api_url = server.url
            else:
                self.token_api_url = server.url
        return servers

    def _start_pollers(self) -> None:
        ids, cap_s = self._deployed.ids, self._window_cap_s
        shared: dict[str, Any] = {"functions": self._functions, "clock": self._clock, "report": self._report}
        sqs = boto3.client("sqs", **self.client_settings)
        s3 = boto3.client("s3", **self.client_settings)
        of_queues, of_streams = feeds(self._template, ids, window_cap_s=cap_s)
        self._queues = [QueuePoller(feed, sqs=sqs, **shared) for feed in of_queues]
        self._streams = [StreamPoller(feed, s3=s3, **shared) for feed in of_streams]
        scheduler = Scheduler(scheduled_starts(self._template, ids), clock=self._clock, start=self._start_scheduled)
        running: list[Poller] = [*self._queues, *self._streams, *([scheduler] if self._schedules else [])]
        for poller in running:
            self._on_stop.callback(poller.join)
        self._on_stop.callback(self._functions.stop)  # before the joins: no thread waits for a killed process
        self._on_stop.callback(self._endpoint.let_go)  # No request waits for a message that comes too late
        for poller in running:
            self._on_stop.callback(poller.stop)
        for poller in running:
            poller.start()
        if self._sweep_s is not None:
            sweeper = threading.Thread(target=self._sweep_often, args=(self._sweep_s,), name="ttl", daemon=True)
            self._on_stop.callback(sweeper.join)
            self._on_stop.callback(self._stopping.set)
            sweeper.start()

    def stop(self) -> None:
        """End everything, in an order without waits for ended parts."""
        self._stopping.set()
        self._on_stop.close()

    # -- what callers need to know

    @property
    def endpoint_url(self) -> str:
        """The address of the AWS services."""
        return self._endpoint.url

    @property
    def outputs(self) -> Mapping[str, str]:
        """The template's outputs."""
        return self._deployed.outputs

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment of a child process with boto3 or the AWS CLI for this stack."""
        return self._endpoint.environment

    @property
    def client_settings(self) -> dict[str, Any]:
        """The settings for `boto3.client(service, **stack.client_settings)` in this process."""
        settings = settings_at(self._endpoint.url)
        config = Config(retries={"mode": "standard", "max_attempts": 5}, max_pool_connections=32)
        return {**settings, "config": settings["config"].merge(config)}

    @property
    def now(self) -> float:
        """The stack's time in seconds since 1970."""
        return self._clock.now()

    @property
    def running(self) -> int:
        """The number of invocations and Spark jobs under way or waiting, and of pending messages."""
        return self._functions.busy + self._jobs.counted.now + sum(poller.pending for poller in self._feeders())

    # -- what callers do

    def invoke(self, function: str, event: object) -> InvocationResult:
        """Run a function, named by an output (`InputFunctionName`), logical id, physical name or ARN."""
        return self._functions.invoke(self.outputs.get(function, function), event)

    def run_state_machine(
        self,
        machine_input: object = None,
        *,
        machine: str | None = None,
        name: str | None = None,
        timeout_s: float = 600,
        progress: Callable[[str], None] | None = None,
    ) -> Any:
        """Run a state machine to its end and return its output; `machine` chooses among several.

        `progress` gets the name of each state entered. Raises MachineFailed.
        """
        arns = {arn for logical_id, arn in self._deployed.ids.items() if logical_id in self._template.of(StateMachine)}
        arn = self.outputs.get(machine, machine) if machine else arns.pop()
        given = {} if machine_input is None else machine_input
        return self._machines.run(arn, given, name=name, timeout_s=timeout_s, progress=progress)

    def advance(self, seconds: float) -> None:
        """Skip `seconds`: windows close, messages in flight come back, schedules fire, items expire.

        Functions see the new time from their next invocation on. Expired items stay until they are swept.
        """
        self._clock.advance(seconds)
        self._endpoint.skip_to(self._clock.offset_s)

    def sweep_ttl(self) -> int:
        """Remove every expired item, put it on its table's stream, and count the items."""
        removed = self._endpoint.expire()
        for stream in self._streams:
            stream.add(removed)
        return len(removed)

    def drain(self, timeout_s: float = 120, progress: Callable[[int], None] | None = None) -> None:
        """Wait until every queue of a function is empty and nothing runs; windows close at once meanwhile.

        `progress` gets the number of messages left. Raises NotDrained after `timeout_s`: a failed message is visible
        again after six times its function's timeout, unless `advance` skips the time.
        """
        pollers = self._feeders()
        deadline = time.monotonic() + timeout_s
        try:
            for poller in pollers:
                poller.flush_now = True
            while (left := self._left()) > 0:
                if progress is not None:
                    progress(left)
                if time.monotonic() > deadline:
                    raise NotDrained(f"{left} messages or invocations left after {timeout_s} s; {self._latest_error()}")
                time.sleep(_IDLE_POLL_S)
        finally:
            for poller in pollers:
                poller.flush_now = False

    # -- inside

    def _left(self) -> int:
        """Count messages in queues and streams and running invocations; 0 only if none moved during the count."""
        batches = self._batches()
        counts = self._endpoint.count_messages()
        left = self.running + sum(counts[poller.feed.source.rpartition("/")[2]] for poller in self._queues)
        return left or int(self._batches() != batches)

    def _feeders(self) -> list[Feeder]:
        return [*self._queues, *self._streams]

    def _batches(self) -> int:
        return sum(poller.batches for poller in self._queues)

    def _latest_error(self) -> str:
        return f"last failure: {self.errors[-1]}" if self.errors else "no failures"

    def _sweep_often(self, sweep_s: float) -> None:
        while not self._stopping.wait(sweep_s):
            try:
                self.sweep_ttl()
            except ChildFailed as error:
                self._report(Failure("sweep", "TTL", type(error).__name__, str(error)))
                return

    def _replier(self, route: Route) -> Callable[[Request], Reply]:
        """Choose the replies of an API's port: its function's and, without tokens, the demo's routes."""

        def reply(request: Request) -> Reply:
            if route.signed and request.target == DEMO_PATH:
                return self._demo.reply_to(request)
            return self._rest_apis[route.api_id].reply_to(request)

        return reply

    def _keep_events(self, request: Request) -> Reply:
        """Keep the events of moto's buses."""
        for event in json.loads(request.body):
            self.events.append(event)
            if self._on_event is not None:
                self._on_event(event)
        return Reply(204, [], b"")

    def _start_scheduled(self, target: str, text: str) -> None:
        """Start the target of a schedule: a function, by its name, or a state machine."""
        if target in self._functions:
            self._invokes.start(target, json.loads(text))
        else:
            self._machines.start(target, text)

    def _report_async(self, function: str, result: InvocationResult) -> None:
        self._report(failure_of(result, function=function, source="asynchronous invocation"))

    def _report(self, failure: Failure) -> None:
        self.errors.append(failure)
        if self._on_failure is not None:
            self._on_failure(failure)
