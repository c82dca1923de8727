"""The prices in the guide of forwarding, from the list prices that the page of costs has."""

import re
from pathlib import Path

import pytest

from benchmarks.cost import read_prices
from headwater.features.forwarding.announcements import LANES

GUIDE = Path(__file__).parents[3] / "headwater" / "features" / "forwarding" / "README.md"
# List prices that no other page has, in USD (Amazon SQS pricing, AWS Secrets Manager pricing; 2026-11-20).
FIFO_REQUEST, SECRET_MONTH = 0.50 / 1e6, 0.40
EVENTS, MEMORY_GB, POST_S = 1_000_000, 0.5, 0.05
# SQS sends, and Lambda takes, ten messages a call.
CALL = 10
POLLERS, POLL_S, MONTH_S = 5, 20, 30 * 86_400


def price(name):
    quoted = read_prices().prices[name]
    return quoted.usd / quoted.per


def of_a_million(batch):
    """Return the prices of a million events that come in such batches, of which each fills all lanes that it can."""
    batches, messages = EVENTS / batch, min(batch, LANES)
    calls = -(-messages // CALL) * batches
    return [
        3 * calls * FIFO_REQUEST,  # sent, received, deleted
        calls * price("lambda_request"),
        EVENTS * POST_S * MEMORY_GB * price("lambda_gb_s"),
        calls * price("s3_get"),
        EVENTS * (price("dynamodb_read") + price("dynamodb_write")),
    ]


@pytest.mark.parametrize(("batch", "column"), [(100, 2), (1, 3)])
def test_the_guide_has_the_prices_of_a_million_events(batch, column):
    rows = re.findall(
        r"^\|(.*)\|(.*)\|(.*)\|$", GUIDE.read_text(encoding="utf-8").partition("## Cost")[2], re.MULTILINE
    )
    shown = [
        float(row[column - 1].strip(" *")) for row in rows if re.search(r"\d", row[column - 1]) and "100" not in row[1]
    ]
    prices = of_a_million(batch)
    assert shown == [*(round(each, 2) for each in prices), round(sum(prices), 2)]


def test_the_guide_has_the_price_of_a_month():
    polls = POLLERS * MONTH_S / POLL_S * FIFO_REQUEST
    month = [polls, 5 * price("alarm"), 4 * price("metric"), SECRET_MONTH]
    text = GUIDE.read_text(encoding="utf-8")
    assert "idle polls {:.2f}, five alarms {:.2f}, four metrics {:.2f}, a secret {:.2f}".format(*month) in text
    assert f"A month costs {sum(month):.2f} USD more" in " ".join(text.split())
