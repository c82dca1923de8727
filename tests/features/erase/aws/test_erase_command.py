"""`headwater erase` at the command line: refused, counted, confirmed, allowed."""

import boto3
import pytest

from headwater.cli.deployment import Deployment
from headwater.cli.main import main
from headwater.features.erase.deployed import check_queue, paused
from headwater.features.erase.settings import OUTPUT, PARTITION
from headwater.features.erase.tables import delete_hidden, run_machine
from headwater_model.errors import Conflict, Unavailable
from tests.aws.test_lost_graph_table import deployed
from tests.features.erase.aws.planted import Estate, places_of

__all__ = ["deployed"]


@pytest.fixture
def erasing(deployed):
    """A second stack of the same stores, with the context value."""
    more = {"EventsFunctionName": "events", OUTPUT: PARTITION}
    deployed.deploy("RecordsTableName", "RecordsDeadLettersUrl", stack="Headwater-dev", **more)
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


def test_the_events_function_takes_no_message_meanwhile(deployed):
    functions, queue = boto3.client("lambda"), deployed.url("EventsQueue")
    arn = deployed.sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    mapping = functions.create_event_source_mapping(EventSourceArn=arn, FunctionName="events")["UUID"]

    def state():
        return functions.get_event_source_mapping(UUID=mapping)["State"]

    waits = []
    with paused(Deployment({"EventsFunctionName": "events"}, {}), waits.append):
        assert (state(), waits) == ("Disabled", [180])
    assert state() == "Enabled"


def test_hidden_versions_of_tables_go_and_present_objects_stay(deployed):
    bucket = deployed.outputs["ArchiveBucketName"]
    for key, bodies in {"tables/a": (b"1", b"2"), "tables/b": (b"3",)}.items():
        for body in bodies:
            deployed.s3.put_object(Bucket=bucket, Key=key, Body=body)
    deployed.s3.delete_object(Bucket=bucket, Key="tables/b")
    assert delete_hidden(deployed.s3, bucket, "tables/") == 3
    assert deployed.objects("tables/") == {"tables/a": b"2"}
    assert delete_hidden(deployed.s3, bucket, "tables/") == 0


def test_a_forwarder_with_work_to_do_is_waited_for(erasing, capsys):
    outputs = {"ForwardQueueUrl": erasing.url("TraceQueue")}
    erasing.sqs.send_message(QueueUrl=outputs["ForwardQueueUrl"], MessageBody="{}")
    with pytest.raises(Conflict, match="the forward queue must be empty"):
        check_queue(Deployment(outputs, {}))
    assert check_queue(Deployment({}, {})) is None


def test_an_execution_is_waited_for_and_its_failure_is_raised(deployed):
    machines, role = boto3.client("stepfunctions"), boto3.client("iam").get_role(RoleName="events")["Role"]["Arn"]
    form = {"name": "compaction", "definition": '{"StartAt": "a", "States": {"a": {"Type": "Pass", "End": true}}}'}
    arn = machines.create_state_machine(roleArn=role, **form)["stateMachineArn"]
    waits = []

    def stop(seconds):
        waits.append(seconds)
        [execution] = machines.list_executions(stateMachineArn=arn)["executions"]
        machines.stop_execution(executionArn=execution["executionArn"])

    with pytest.raises(Unavailable, match="ended with ABORTED"):
        run_machine(machines, arn, '{"day": "2025-11-20", "publish_again": true}', stop)
    assert waits == [30]
