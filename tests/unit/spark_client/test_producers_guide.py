"""The guide's records of many files, as they are written."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from headwater_model.ids import derive_node_id

GUIDE = (Path(__file__).parents[3] / "docs" / "producers.md").read_text(encoding="utf-8")
SECTION = GUIDE.partition("### Records of many files or rows\n")[2].partition("\n#")[0]


def test_the_guides_records_and_steps_are_recorded_and_their_results_are_as_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HEADWATER_FILE", str(tmp_path / "lineage.jsonl"))
    (snippet,) = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)

    exec(snippet, {})

    many, *steps = [json.loads(line) for line in (tmp_path / "lineage.jsonl").read_bytes().splitlines()]
    jetblue = derive_node_id("flights", "landed", "SPLIT", many["request_id"], 1)
    assert [tuple(record.values()) for record in many["records"]] == [
        ("ua", "s3://split/ua.csv"),
        (jetblue, "s3://split/b6.csv"),
    ]
    assert {step["parent_id"]: step["records"][0]["storage_location"] for step in steps} == {
        "ua": "s3://checked/ua.csv",
        jetblue: "s3://checked/b6.csv",
    }
    assert capsys.readouterr().out == "True ua 2 0\n"


def test_the_guide_names_the_fields_of_every_result() -> None:
    from spark_client import DeliveryCounts, Record, RecordedNode, RecordResult, Step

    for kind in (Record, RecordedNode, Step, DeliveryCounts):
        assert f"{kind.__name__}({', '.join(kind._fields)})" in SECTION
    assert set(RecordResult.__annotations__) <= set(re.findall(r"\w+", SECTION))
