"""The text that `headwater serve` prints when it is up."""

import json
import shlex
from types import SimpleNamespace

import pytest

from headwater.cli.serve import greeting

URL = "http://127.0.0.1"


def a_stack(token_api_url=""):
    return SimpleNamespace(
        api_url=f"{URL}:8080",
        token_api_url=token_api_url,
        endpoint_url=f"{URL}:4566",
        environment={"AWS_ENDPOINT_URL": f"{URL}:4566"},
        outputs={"RecordsTableName": "records", "CompactionStateMachineArn": "arn"},
        now=0.0,
    )


@pytest.mark.parametrize(("token_api_url", "shown"), [("", False), (f"{URL}:8081", True)])
def test_how_to_get_a_token_is_shown_where_one_is_of_use(token_api_url, shown):
    message = greeting(a_stack(token_api_url))
    assert (f"headwater token create --local {URL}:4566 --scope read --scope write" in message) is shown
    assert ("bearer tokens" in message) is shown


def test_an_empty_stack_is_filled_by_the_button_an_event_or_a_captured_job():
    _, _, ways = greeting(a_stack()).partition("Nothing is stored yet.")
    button, event, job = ways.splitlines()[1:4]
    sent = json.loads(shlex.split(event)[-1])
    assert button == """  press "Load the demo's data" there"""
    assert event.startswith(f"  send an event: curl -s {URL}:8080/api/v1/lineage -d ")
    assert [
        (sent["eventType"], sent["job"]["name"]),
        *(dataset["name"] for dataset in sent["inputs"] + sent["outputs"]),
    ] == [
        ("COMPLETE", "estimate"),
        *("flights", "emissions"),
    ]
    assert job == f"  call `capture(spark)` in a PySpark job, with HEADWATER_URL={URL}:8080 in its environment"
