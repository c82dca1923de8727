"""`headwater mcp` over stdio, by the SDK's own client, on the example company in the local stack."""

import asyncio
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from mcp import Client, StdioServerParameters

from headwater.cli.service import fetch_json
from headwater.features.mcp.result import CHARACTERS_MAX, ROWS_MAX

REVENUE = ("snowflake://nordwind.eu-central-1", "nordwind.gold.revenue")
DATASET, COLUMN = f"dataset:{':'.join(REVENUE)}", f"datasetField:{':'.join(REVENUE)}:amount"
ORDERS = "kafka://broker.nordwind.example:9092:cdc.shop.order_items"
DIGESTS = {"state": "live", "fault": None, "object": None, "digests": 0, "end": None}


# Takes long: six hundred events, the widest of which have 150 columns.
@pytest.mark.slow
@pytest.mark.large
@pytest.mark.timeout(900)
def test_each_tool_returns_what_the_api_has_within_its_bounds(local_stack):
    url = local_stack.api_url
    subprocess.run([sys.executable, "-m", "examples.company", url, "--nights", "1"], capture_output=True, check=True)
    local_stack.drain()

    def fetch(path, **query):
        return fetch_json(url, path, query)

    async def calling():
        server = StdioServerParameters(command=sys.executable, args=["-m", "headwater", "mcp", "--url", url])
        async with Client(server) as client:

            async def call(tool, **arguments):
                result = await client.call_tool(tool, arguments)
                text = result.content[0].text
                assert not result.is_error, text
                assert len(text) <= CHARACTERS_MAX
                lists = [value for value in result.structured_content.values() if isinstance(value, list)]
                assert max(map(len, lists)) <= ROWS_MAX
                assert [line for line in text.splitlines() if line.startswith("CUT: ")][
                    : len(result.structured_content["cut"])
                ] == [f"CUT: {cut}" for cut in result.structured_content["cut"]]
                return result.structured_content

            response = await call("find", q="gold revenue", filter="dataset")
            assert response["results"][0]["nodeId"] == DATASET

            above = await call("upstream", node_id=DATASET, depth=2)
            graph = fetch("/api/v1/lineage", nodeId=DATASET, depth=2, direction="up")["graph"]
            assert {row["nodeId"] for row in above["upstream"]} == {node["id"] for node in graph} - {DATASET}
            assert above["upstream"][0]["nodeId"] == "job:dbt:nordwind.gold.revenue"

            below = await call("downstream", node_id=DATASET)
            impact = fetch("/api/v1/reports/impact", nodeId=DATASET)["impacted"]
            assert [row["nodeId"] for row in below["downstream"]] == [node["nodeId"] for node in impact][:ROWS_MAX]

            columns = await call("upstream", node_id=COLUMN, depth=1)
            sources = {edge["source"] for edge in columns["edges"] if edge["destination"] == COLUMN}
            assert len(sources) == 2

            (way,) = (await call("paths", source=f"datasetField:{ORDERS}:price", destination=COLUMN))["paths"]
            assert (way["nodes"][0], way["nodes"][-1]) == (f"datasetField:{ORDERS}:price", COLUMN)
            (way,) = (await call("paths", source=f"dataset:{ORDERS}", destination=DATASET))["paths"]
            assert [node_id.partition(":")[0] for node_id in way["nodes"]][:3] == ["dataset", "job", "dataset"]

            changes = (await call("changes", node_id=DATASET, start="2020-01-01"))["changes"]
            history = fetch("/api/v1/lineage/history", nodeId=DATASET, start="2020-01-01", depth=5, direction="up")
            assert [change["time"] for change in changes] == [change["time"] for change in history["changes"]]

            usage = await call("column_usage", node_id=COLUMN)
            assert {"READ", "WRITE"} <= {use["kind"] for use in usage["uses"]}

            status = await call("dataset_status", namespace=REVENUE[0], name=REVENUE[1])
            assert status["stale"] is False
            assert status["versions"][0]["job"] == "job:dbt:nordwind.gold.revenue"

            record = fetch("/api/v1/records/search", location="s3://nordwind-lake/bronze/erp/", limit=1)["records"][0]
            groups = (await call("record_trace", root_id=record["root_id"]))["groups"]
            assert groups[0]["action_taken"] == "READ"
            trace = await call("record_trace", root_id=record["root_id"], node_id=record["node_id"])
            assert trace["path"][-1]["node_id"] == record["node_id"]
            assert trace["proof"] == DIGESTS

    # In a thread of its own: a worker that drives a browser has a loop that runs.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, calling()).result()
    assert local_stack.errors == []
