"""`headwater mcp`: its tools by the SDK's own client, and whose token goes on to the service."""

import asyncio
import json
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import anyio
import anyio.to_thread
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from headwater.features.mcp.graphs import paths, upstream
from headwater.features.mcp.result import CHARACTERS_MAX, JSON_MAX, ROWS_MAX, Result
from headwater.features.mcp.server import Turns, make_server
from tests.waiting import until

PROJECT = Path(__file__).parents[3]
TOOLS = ["changes", "column_usage", "dataset_status", "downstream", "find", "paths", "record_trace", "upstream"]
NOTHING = json.dumps({"results": [], "totalCount": 0, "truncated": False}).encode()


def call(server, tool, **arguments):
    """Return the result of one call by the SDK's client."""

    async def calling():
        async with Client(server) as client:
            return await client.call_tool(tool, arguments)

    return asyncio.run(calling())


def served(service):
    return make_server(service.url, None, version="0", over_http=False)


def test_all_tools_are_read_only_and_say_what_they_take():
    async def listing():
        async with Client(make_server("http://127.0.0.1:1", None, version="0", over_http=False)) as client:
            return (await client.list_tools()).tools, client.instructions

    tools, instructions = asyncio.run(listing())
    assert sorted(tool.name for tool in tools) == TOOLS
    assert all(tool.annotations.read_only_hint and not tool.annotations.destructive_hint for tool in tools)
    assert all(tool.description and tool.title for tool in tools)
    assert f"at most {ROWS_MAX} rows" in " ".join(instructions.split())


def test_what_the_service_refuses_is_an_error_of_the_tool(service):
    service.status, service.body = 404, b'{"code":404,"message":"Node \'job:a:b\' not found."}'
    result = call(served(service), "upstream", node_id="job:a:b")
    assert result.is_error
    assert result.content[0].text.endswith(f"{service.url}: HTTP 404: Node 'job:a:b' not found.")


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, json.dumps({"message": "x\x1b" * 50_000}).encode()),
        (503, json.dumps({"errors": ["y" * 900] * 900}).encode()),
        (500, b'{"message": "' + b"z" * 1_100_000 + b'"}'),
        (200, json.dumps(["k" * 50_000]).encode()),
        (200, json.dumps({"results": [{"type": "JOB", "nodeId": "q" * 50_000}], "totalCount": 1}).encode()),
        (200, b'{"' + b"k" * 50_000),
    ],
)
def test_the_error_of_a_tool_is_short_whatever_the_service_sends(status, body, service):
    service.status, service.body = status, body
    for tool, arguments in (("find", {"q": "x"}), ("upstream", {"node_id": "job:a:b"})):
        result = call(served(service), tool, **arguments)
        text = result.content[0].text
        assert result.is_error
        assert "\x1b" not in text
        assert len(text) < 1_300


def test_a_caller_holds_at_most_a_fourth_of_the_threads_and_keeps_nobody_waiting():
    running, most, released, turns = set(), [], threading.Event(), Turns()

    def hold(number):
        running.add(number)
        most.append(len(running))
        released.wait()
        running.discard(number)

    def other():
        until(lambda: len(running) == 10)
        released.set()

    async def calls():
        async with anyio.create_task_group() as tasks:

            async def start(caller, work, *arguments):
                async with turns.of(caller):
                    await anyio.to_thread.run_sync(work, *arguments)

            for number in range(60):
                tasks.start_soon(start, "many", hold, number)
            tasks.start_soon(start, None, other)

    anyio.run(calls)
    assert len(most) == 60
    assert max(most) == 10
    assert turns._callers == {}


@pytest.mark.parametrize("body", [b"{}", b"[]", b"<html>", b'{"graph": 1}'])
def test_a_response_of_another_service_is_an_error_of_the_tool(body, service):
    service.body = body
    result = call(served(service), "upstream", node_id="job:a:b")
    assert result.is_error
    assert service.url in result.content[0].text


def test_a_long_list_is_cut_and_says_so_in_text_and_json(service):
    hits = [
        {"type": "JOB", "name": "x", "namespace": "n", "nodeId": f"job:n:{number}\x1b" + "x" * 5_000}
        for number in range(80)
    ]
    service.body = json.dumps({"results": hits[:20], "totalCount": 80, "truncated": True}).encode()
    result = call(served(service), "find", q="x")
    text, form = result.content[0].text, result.structured_content
    assert len(text) <= CHARACTERS_MAX
    assert "\x1b" not in text
    assert len(form["results"]) == 20
    assert len(form["cut"]) == 2
    assert "CUT: more match" in text
    assert "more lines; the JSON has them" in text
    assert service.requested[0][1] == {"limit": ["20"], "sort": ["relevance"], "form": ["summary"], "q": ["x"]}


_values = st.recursive(
    st.text(max_size=5) | st.integers() | st.just("y" * 3_000),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(st.lists(st.dictionaries(st.sampled_from("abc"), _values), max_size=8), st.integers(1, 40))
def test_every_result_is_within_its_bounds_and_says_what_it_leaves_out(rows, times):
    result = Result("title")
    rows = rows * times
    result.rows("rows", rows, (json.dumps(row) for row in rows))
    assert len(result.text) <= CHARACTERS_MAX
    assert len(json.dumps({**result.json, "cut": []})) <= JSON_MAX + 20
    if len(result.json["rows"]) < len(rows):
        assert result.json["cut"]


DIAMOND = {("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("d", "e"), ("e", "b"), ("x", "d")}


def test_paths_are_all_ways_without_a_circle_the_shortest_first():
    nodes = sorted({end for edge in DIAMOND for end in edge})
    graph = [
        {"id": node, "inEdges": [{"origin": a, "destination": b} for a, b in sorted(DIAMOND) if b == node]}
        for node in nodes
    ]
    result = paths(lambda *_: {"graph": graph, "truncated": False}, "a", "e")
    assert [path["nodes"] for path in result.json["paths"]] == [["a", "b", "d", "e"], ["a", "c", "d", "e"]]
    assert result.json["cut"] == []


class Aliased:
    """A service with a -> load -> b, in which the old names are other names of a and b, and of their columns."""

    def __init__(self):
        self.requested = []

    def get(self, path, query):
        self.requested.append((path, query["nodeId"]))
        if path == "/api/v1/reports/impact":
            return {"nodeId": query["nodeId"].replace("old", "new"), "impacted": [], "truncated": False}
        edges = [("dataset:new:a", "job:etl:load"), ("job:etl:load", "dataset:new:b")]
        nodes = [
            {
                "id": node,
                "type": "DATASET" if node.startswith("dataset") else "JOB",
                "data": None,
                "inEdges": [{"origin": origin, "destination": end} for origin, end in edges if end == node],
            }
            for node in ("dataset:new:a", "job:etl:load", "dataset:new:b")
        ]
        return {"graph": nodes, "truncated": False}


def test_what_is_upstream_of_a_dataset_is_the_same_by_each_of_its_names():
    service = Aliased()
    by_old, by_new = (upstream(service.get, f"dataset:{name}:b", 9).json["upstream"] for name in ("old", "new"))
    assert by_old == by_new
    assert [row["hops"] for row in by_old] == [1, 2]
    # The name of the response costs no request.
    assert [path for path, node_id in service.requested if "impact" in path] == ["/api/v1/reports/impact"]


@contextmanager
def over_http(url, **environment):
    """Start the command with --http; yield the address of the server."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "headwater", "mcp", "--http", "--port", str(port), "--url", url]
    process = subprocess.Popen(
        command, cwd=PROJECT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr.readline() == f"http://127.0.0.1:{port}/mcp\n"
        until(lambda: is_open(port))
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        printed, _ = process.communicate()
    assert printed == ""


def is_open(port):
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def find_over_http(address, **headers):
    async def calling():
        async with (
            create_mcp_http_client(headers=headers) as http,
            Client(streamable_http_client(address, http_client=http)) as client,
        ):
            return await client.call_tool("find", {"q": "x"})

    return asyncio.run(calling())


def test_over_http_each_callers_own_token_goes_on_and_never_the_servers(service):
    service.body = NOTHING
    with over_http(service.url, HEADWATER_TOKEN="of-the-server") as address:
        assert not find_over_http(address, Authorization="Bearer one").is_error
        assert not find_over_http(address, Authorization="bearer two").is_error
        assert not find_over_http(address).is_error
    assert [authorization for _, _, authorization in service.requested] == ["Bearer one", "Bearer two", None]


def test_over_http_no_request_is_signed_with_the_servers_credentials():
    url = "http://a1.execute-api.eu-west-1.amazonaws.com/prod"
    with over_http(url, AWS_ACCESS_KEY_ID="AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY="secret") as address:
        result = find_over_http(address)
    assert result.is_error
    assert "send Authorization: Bearer <token>" in result.content[0].text


def test_over_stdio_the_token_is_that_of_the_environment(service):
    service.body = NOTHING
    environment = {"HEADWATER_TOKEN": "mine"}
    arguments = ["-m", "headwater", "mcp", "--url", service.url]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=environment, cwd=PROJECT)
    assert call(server, "find", q="x").structured_content["totalCount"] == 0
    assert [authorization for _, _, authorization in service.requested] == ["Bearer mine"]
