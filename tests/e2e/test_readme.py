"""The examples of the README and of the guide to the local stack, as they are written, on that stack."""

import json
import re
import subprocess
import sys
from pathlib import Path

from headwater.cli.serve import greeting
from tests.terminals import as_piped

PROJECT = Path(__file__).parents[2]
README = (PROJECT / "README.md").read_text(encoding="utf-8")
GUIDE = (PROJECT / "docs" / "getting-started.md").read_text(encoding="utf-8")
RUN = re.compile(r"<!-- run: tests/e2e/test_readme\.py -->\n```(?:sh|python)\n(.*?)```", re.DOTALL)


def run(block, stack, *command):
    """Return what the block prints: it runs with the stack's port and the tests' environment, and prints port 8080."""
    lines = block.replace("http://127.0.0.1:8080", stack.api_url.rstrip("/"))
    lines = lines.replace(".venv/bin/", f"{Path(sys.executable).parent}/")
    command = [*(command or ("bash", "-ec")), lines]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.replace(stack.api_url.rstrip("/"), "http://127.0.0.1:8080")


def test_the_requests_and_their_trace_are_as_the_readme_shows(local_stack):
    send, request = RUN.findall(README)
    (shown,) = re.findall(r"<!-- the response.*?-->\n```json\n(.*?)```", README, re.DOTALL)

    responses = re.findall(r"\{.*?\}", run(send, local_stack))
    local_stack.drain()
    trace = json.loads(run(request, local_stack))

    assert [sorted(json.loads(response)) for response in responses] == [
        ["action_taken", "node_id", "recordedAt", "root_id", "storage_location", "ttl_expiry"]
    ] * 2
    returned = json.loads(shown)
    for line in (trace, returned):
        for step in line["lineage"]:
            assert isinstance(step.pop("recordedAt"), int)
    assert trace == returned


def test_what_is_recorded_is_returned_as_the_guide_shows(local_stack):
    record, request = RUN.findall(GUIDE)
    (shown,) = re.findall(r"<!-- what the first prints -->\n```\n(.*?)```", GUIDE, re.DOTALL)

    run(record, local_stack, sys.executable, "-c")
    local_stack.drain()
    local_stack.advance(1)  # CDAP's `now` is whole seconds
    *printed, marquez, cdap = run(request, local_stack).replace('}{"fieldName', '}\n{"fieldName').splitlines()

    assert printed == as_piped(shown).splitlines()
    (distance,) = json.loads(marquez)["graph"]
    assert [edge["destination"] for edge in distance["outEdges"]] == ["datasetField:s3://emissions:estimated:co2_kg"]
    (way,) = json.loads(cdap)["paths"]
    assert [operation["name"] for operation in way["operations"]] == ["read", "multiply", "burn"]
    assert len(way["runs"]) == 1


def test_the_event_that_serve_prints_is_a_run_of_its_job(local_stack):
    run(re.search(r"send an event: (curl .*)", greeting(local_stack))[1], local_stack)
    local_stack.drain()
    job = json.loads(run("curl -s http://127.0.0.1:8080/api/v1/namespaces/example/jobs/estimate", local_stack))
    assert [job["latestRun"]["state"], *(dataset["name"] for dataset in job["inputs"] + job["outputs"])] == [
        "COMPLETED",
        *("flights", "emissions"),
    ]
