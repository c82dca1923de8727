"""The price of an event: of the units that docs/cost.md counts, and the prices of benchmarks/prices.json."""

import json
import re
from pathlib import Path

import pytest

from benchmarks.cost import PRICES as PRICE_FILE
from headwater.features import cost
from headwater.features.cost.usage import PRICES, Payer, Use, sum_up, use_of

DOCS = Path(__file__).resolve().parents[3] / "docs"
README = Path(cost.__file__).with_name("README.md")
EVENT = {"eventType": "Running", "job": {"namespace": "flink", "name": "j"}}


def usd(name):
    price = json.loads(PRICE_FILE.read_text("utf-8"))["prices"][name]
    return price["usd"] / price["per"]


def test_the_dollars_of_an_event_are_its_units_at_the_prices_of_the_benchmarks():
    page = (DOCS / "cost.md").read_text("utf-8")
    writes, reads = (
        float(units) for units in re.findall(r"^\| (?:\*\*write|read) units.* ([\d.]+) \|$", page, re.MULTILINE)
    )

    assert PRICES["DynamoDB"] == pytest.approx(writes * usd("dynamodb_write") + reads * usd("dynamodb_read"))
    assert PRICES["Lambda"] == pytest.approx(2 * usd("lambda_request") + 0.02 * usd("lambda_gb_s"))
    assert PRICES["S3"] == pytest.approx(usd("s3_put"))
    of_one = sum(PRICES.values()) + 3 * usd("sqs_request")
    assert use_of(EVENT, 1000).usd == pytest.approx(of_one)
    assert f"about {round(of_one * 1e6)} for a million events" in README.read_text("utf-8")


def test_the_dearest_payer_is_first_and_equal_ones_go_by_name():
    uses = [
        (Payer("b", "t"), Use(1, 0, 1, 1.0)),
        (Payer("a", "t"), Use(1, 0, 1, 1.0)),
        (Payer("c", "t"), use_of(EVENT, 1)),
    ]
    assert [payer.namespace for payer in sum_up([*uses, (Payer("c", "t"), Use(usd=9.0))])] == ["c", "a", "b"]
    assert sum_up(uses)[Payer("c", "t")].running == 1
