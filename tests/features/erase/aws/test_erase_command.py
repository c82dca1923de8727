"""`headwater erase` at the command line: refused, counted, confirmed, allowed."""

from __future__ import annotations

import json

import boto3
import pytest

from headwater.cli.main import main
from headwater.features.erase.settings import OUTPUT, PARTITION
from tests.aws.test_lost_graph_table import deployed
from tests.features.erase.aws.planted import Estate, places_of

__all__ = ["deployed"]


@pytest.fixture
def erasing(deployed):
    """A second stack of the same stores, with the context value."""
    names = ("ArchiveBucketName", "GraphTableName", "RecordsTableName", "RecordsDeadLettersUrl")
    outputs = {**{name: deployed.outputs[name] for name in names}, "EventsFunctionName": "events", OUTPUT: PARTITION}
    template = {
        "Resources": {"Topic": {"Type": "AWS::SNS::Topic"}},
        "Outputs": {name: {"Value": value} for name, value in outputs.items()},
    }
    boto3.client("cloudformation").create_stack(StackName="Headwater-dev", TemplateBody=json.dumps(template))
    return deployed


def test_a_stack_that_keeps_nothing_out_is_refused(deployed, capsys):
    assert (main(["erase", "--root", "flights"]), main(["erase", "--confirm"])) == (1, 1)
    assert capsys.readouterr().err.splitlines() == [
        "headwater erase: the stack Headwater-prod keeps nothing out; deploy it with the context value erase=true",
        "headwater erase: give at least one of --root, --namespace, --dataset and --job",
    ]


def test_a_target_is_counted_then_removed_then_allowed(erasing, capsys):
    estate = Estate(30)
    erasing.load(*estate.records())
    erasing.load_events(*estate.events())
    target = ["erase", "--stage", "dev", "--root", estate.root, "--dataset", "lake", estate.dataset]
    targets = [*target, "--job", "emissions", estate.job, "--namespace", estate.namespace]
    capsys.readouterr()

    assert main(targets) == 0
    output = capsys.readouterr().out
    assert "           6  records\n" in output
    assert output.endswith("nothing is changed yet\n")
    assert places_of(erasing, [estate.root]) != []
    assert main([*targets, "--confirm"]) == 0
    assert "tombstones are set" in capsys.readouterr().out
    assert places_of(erasing, estate.texts) == []
    assert main([*targets, "--allow"]) == 0
    assert capsys.readouterr().out == "allowed again: 4\n"
