"""The start of the real local stack, still empty: its button and its curl, with Spark and the functions behind them."""

from __future__ import annotations

import json
import subprocess
from types import SimpleNamespace
from urllib.parse import quote
from urllib.request import urlopen

import pytest

from local_stack.stack import LocalStack


# Takes long: a stack of its own, which is empty, and a Spark session over a day of flights.
@pytest.mark.slow
def test_the_button_leads_to_the_demos_column_and_the_curl_works_as_it_is_shown(
    open_view, template, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    with LocalStack(template, window_cap_s=0.2, logs=tmp_path / "logs") as stack:
        page = open_view(SimpleNamespace(url=stack.api_url, also=()))
        command = page.get_by_role("group", name="the curl that sends a run").inner_text()
        page.get_by_role("button", name="Load the demo’s data").click()
        page.get_by_role("status").filter(has_text="Running the pipeline").wait_for()

        page.wait_for_url("**/explore/columns?**")
        # A window of a test is smaller than a picture with names that can be read.
        page.get_by_role("button", name="Fit").click()
        for name in ("landing", "checked", "planes.csv", "factors.json", "estimated"):
            page.locator(".react-flow__node", has_text=name).first.wait_for()
        assert page.url == (
            f"{stack.api_url}/explore/columns?"
            f"node={quote(f'datasetField:file:{tmp_path}/.headwater/demo/estimated:co2_kg', safe='')}&dir=up"
        )

        done = subprocess.run(["bash", "-ec", command], capture_output=True, text=True, check=True)
        assert (done.stdout, done.stderr) == ("", "")
        stack.drain()
        with urlopen(f"{stack.api_url}/api/v1/column-lineage?nodeId=datasetField:example:emissions:co2_kg") as response:
            [column] = json.load(response)["graph"]
        assert [source["field"] for source in column["data"]["inputFields"]] == ["distance"]
        assert stack.errors == []
