"""A month's bill, computed from a small ledger by hand."""

from __future__ import annotations

from benchmarks.cost import Line, bill, read_prices
from benchmarks.cost_events import bill_events
from benchmarks.day import Day, polled_queues
from benchmarks.ledger import Ledger, Tally
from tests.fakes.capacity import read_units, write_units


def a_ledger():
    """A thousand records in ten batches: each put costs three units, for the table and its two indexes."""
    ledger = Ledger(item_bytes=400_000)
    ledger.invocations["load"], ledger.at_once["load"] = 10, 4
    ledger.tallies["load"]["dynamodb", "PutItem"] = Tally(calls=1000, write_units=3000)
    return ledger


def a_day(**changes):
    of_stack = {"memory_mb": {"load": 1024}, "polled_queues": 1, "alarm_metrics": 20}
    return Day(**{"ledgers": {"any": a_ledger()}, **of_stack, **changes})


def test_a_million_records_a_day_are_ninety_million_writes_a_month():
    (writes,) = [line for line in bill(a_ledger(), a_day()) if line.price == "dynamodb_write"]

    assert writes == Line("DynamoDB", "writes of load", "dynamodb_write", 90_000_000)
    assert writes.usd(read_prices()) == 56.25


def test_queues_with_an_event_source_mapping_are_polled_while_idle_and_a_stream_is_not():
    resources = {
        **{name: {"Type": "AWS::SQS::Queue"} for name in ("One", "Two", "Dead")},
        "Table": {"Type": "AWS::DynamoDB::Table"},
        **{
            f"From{name}{attribute}{number}": {
                "Type": "AWS::Lambda::EventSourceMapping",
                "Properties": {"EventSourceArn": {"Fn::GetAtt": [name, attribute]}},
            }
            for number, (name, attribute) in enumerate(
                (("One", "Arn"), ("One", "Arn"), ("Two", "Arn"), ("Table", "StreamArn"))
            )
        },
    }
    assert polled_queues(resources) == 2

    (polls,) = (line for line in bill(a_ledger(), a_day(polled_queues=2)) if line.what == "polled while idle")
    assert polls.quantity == 2 * 5 * 3 * 60 * 24 * 30


def test_a_transaction_costs_twice_and_a_missing_item_as_much_as_a_small_one():
    put = {"Put": {"Item": {"pk": {"S": "x" * 1500}}}}
    check = {"ConditionCheck": {"Key": {"pk": {"S": "x"}}}}

    assert write_units("TransactWriteItems", {"TransactItems": [put, check]}, {}) == 2 * 2 + 2
    requested = {"RequestItems": {"t": {"Keys": [{}, {}], "ConsistentRead": True}}}
    assert read_units("BatchGetItem", requested, {"Responses": {"t": [{"pk": {"S": "x"}}]}}) == 2


def test_a_million_events_cost_their_units_requests_and_seconds():
    calls = {"read": 20.0, "requests": 9.99, "JOB FACTS": 1.0, "RUN FACTS": 39.0}
    costs = {(line.service, line.what): round(line.usd(read_prices()), 4) for line in bill_events(calls)}

    assert costs == {
        ("SQS", "sent, received, deleted"): 0.124,
        ("Lambda", "requests"): 0.002,
        ("Lambda", "events"): round(10_000 * (0.005 + 1000 * 0.010 / 4) * 0.0000133334, 4),
        ("DynamoDB", "writes"): 25.0,
        ("DynamoDB", "reads"): 2.5,
        ("S3", "raw log"): 0.05,
    }
