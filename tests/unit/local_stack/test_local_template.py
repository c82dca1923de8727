"""A template is read, or refused with everything that is wrong in it."""

from __future__ import annotations

import pytest

from local_stack.compute.schedules import ScheduledStart, parse_schedule
from local_stack.compute.streams import refuse_wide_filter
from local_stack.errors import UnknownInTemplate
from local_stack.template.template import parse_template
from local_stack.wiring import api_routes, feeds, scheduled_starts


def a_template(**resources):
    return {"Resources": resources}


def a_queue(**properties):
    return {"Type": "AWS::SQS::Queue", "Properties": properties}


def a_mapping(**properties):
    known = {"EventSourceArn": {"Fn::GetAtt": ["Work", "Arn"]}, "FunctionName": {"Ref": "Load"}}
    return {"Type": "AWS::Lambda::EventSourceMapping", "Properties": known | properties}


def a_function():
    return {"Type": "AWS::Lambda::Function", "Properties": {"Handler": "lambdas.load.handler"}}


@pytest.mark.parametrize(
    ("resources", "complaint"),
    [
        (
            {"Work": a_queue(FifoThroughputLimit="perQueue")},
            "Work (AWS::SQS::Queue): property FifoThroughputLimit is not known to the local stack; honour it, or "
            "ignore it with a reason",
        ),
        (
            {"Fast": {"Type": "AWS::DAX::Cluster"}},
            "Fast (AWS::DAX::Cluster): this resource type is not known to the local stack",
        ),
        (
            {"Work": a_queue() | {"Condition": "IsProd"}},
            "Work (AWS::SQS::Queue): attribute 'Condition' is not known to the local stack",
        ),
        (
            {"Work": a_queue(RedrivePolicy={"deadLetterTargetArn": "arn:aws:sqs:::q", "maxReceiveCount": 3})},
            "Work (AWS::SQS::Queue): property RedrivePolicy.deadLetterTargetArn: Value error, must be a Ref or "
            "Fn::GetAtt of a resource in this template, got 'arn:aws:sqs:::q'",
        ),
        (
            {"Feed": a_mapping(ScalingConfig={"MaximumConcurrency": 5, "MinimumPollers": 2})},
            "Feed (AWS::Lambda::EventSourceMapping): property ScalingConfig.MinimumPollers is not known to the local "
            "stack; honour it, or ignore it with a reason",
        ),
        (
            {"Load": a_function() | {"Properties": {"Handler": "a.b", "Timeout": "soon"}}},
            "Load (AWS::Lambda::Function): property Timeout: Input should be a valid integer, unable to parse string "
            "as an integer, got 'soon'",
        ),
    ],
)
def test_what_is_unknown_or_wrong_is_named(resources, complaint):
    with pytest.raises(UnknownInTemplate) as refused:
        parse_template(a_template(**resources))
    assert str(refused.value) == complaint


@pytest.mark.parametrize(
    ("properties", "complaint"),
    [
        ({"BatchSize": 100}, "Feed: property BatchSize: above 10 needs a window, got 100"),
        ({"FilterCriteria": {"Filters": [{"Pattern": "{}"}]}}, "the local stack filters streams, not queues"),
        ({"EventSourceArn": {"Fn::GetAtt": ["Load", "Arn"]}}, "must be a queue or a table's stream"),
    ],
)
def test_a_mapping_that_could_not_be_polled_as_written_is_refused(properties, complaint):
    template = parse_template(a_template(Work=a_queue(), Load=a_function(), Feed=a_mapping(**properties)))
    with pytest.raises(UnknownInTemplate, match=complaint):
        feeds(template, {"Work": "http://localhost/1/work"}, window_cap_s=None)


@pytest.mark.parametrize(
    "pattern", ["{}", '{"eventName": ["REMOVE"]}', '{"eventName": ["INSERT"]}', '{"userIdentity": {"type": ["User"]}}']
)
def test_a_stream_s_filter_that_wants_more_or_less_than_ttl_removals_is_refused(pattern):
    with pytest.raises(UnknownInTemplate, match=r"Feed .*: property FilterCriteria: of a stream"):
        refuse_wide_filter("Feed", [pattern])


def test_schedules_of_state_machines_and_functions_are_read_in_all_spellings():
    def target(**more):
        return {"Arn": {"Ref": "Machine"}, "RoleArn": "r", **more}

    machine = {"Type": "AWS::StepFunctions::StateMachine", "Properties": {"DefinitionString": "{}"}}
    rule = {"ScheduleExpression": "cron(30 0 * * ? *)", "Targets": [target(Id="T", Input='{"a":1}')]}
    schedule = {"ScheduleExpression": "cron(0,15 * * * ? *)", "Target": target(), "FlexibleTimeWindow": {"Mode": "OFF"}}
    rate = {"ScheduleExpression": "rate(30 minutes)", "Targets": [{"Arn": {"Fn::GetAtt": ["Load", "Arn"]}, "Id": "T"}]}
    pattern = {"EventPattern": {"source": ["us"]}, "EventBusName": "bus", "Targets": [target(Id="T", InputPath="$.a")]}
    off = {"ScheduleExpression": "cron(0 * * * ? *)", "Targets": [target(Id="T")], "State": "DISABLED"}
    template = parse_template(
        a_template(
            Machine=machine,
            Load=a_function(),
            Rate={"Type": "AWS::Events::Rule", "Properties": rate},
            Pattern={"Type": "AWS::Events::Rule", "Properties": pattern},
            Rule={"Type": "AWS::Events::Rule", "Properties": rule},
            Schedule={"Type": "AWS::Scheduler::Schedule", "Properties": schedule},
            Off={"Type": "AWS::Events::Rule", "Properties": off},
        )
    )
    assert scheduled_starts(template, {"Machine": "arn", "Load": "load"}) == [
        ScheduledStart("Rate", "load", "{}", frozenset({0, 30}), None),
        ScheduledStart("Rule", "arn", '{"a":1}', frozenset({30}), frozenset({0})),
        ScheduledStart("Schedule", "arn", "{}", frozenset({0, 15}), None),
    ]


@pytest.mark.parametrize(
    "expression",
    [
        "rate(7 minutes)",
        "rate(0 minutes)",
        "rate(1 day)",
        "cron(0 0 1 * ? *)",
        "cron(0/5 * * * ? *)",
        "cron(0 0 * * ?)",
    ],
)
def test_a_schedule_that_we_would_misread_is_refused(expression):
    with pytest.raises(UnknownInTemplate, match="Daily: property ScheduleExpression: "):
        parse_schedule("Daily", expression)


def an_api(name, authorization, **stage):
    of_api = {"RestApiId": {"Ref": name}}
    integration = {"Type": "AWS_PROXY", "Uri": {"Fn::GetAtt": ["Load", "Arn"]}}
    part = {"ParentId": {"Fn::GetAtt": [name, "RootResourceId"]}, "PathPart": "{proxy+}", **of_api}
    method = {"HttpMethod": "ANY", "ResourceId": {"Ref": f"{name}Part"}, "Integration": integration, **of_api}
    method["AuthorizationType"] = authorization
    return {
        name: {"Type": "AWS::ApiGateway::RestApi"},
        f"{name}Part": {"Type": "AWS::ApiGateway::Resource", "Properties": part},
        f"{name}Any": {"Type": "AWS::ApiGateway::Method", "Properties": method},
        f"{name}Stage": {"Type": "AWS::ApiGateway::Stage", "Properties": {"StageName": "prod", **of_api, **stage}},
    }


def test_each_api_is_served_and_gives_its_function_its_own_stage_variables():
    apis = {
        **an_api("Tokens", "NONE", Variables={"auth": "token"}),
        **an_api("Signed", "AWS_IAM", Variables={"auth": "iam"}),
    }
    routes = api_routes(parse_template(a_template(Load=a_function(), **apis)))
    assert [(route.api_id, route.function, route.variables) for route in routes] == [
        ("Signed", "Load", {"auth": "iam"}),
        ("Tokens", "Load", {"auth": "token"}),
    ]
