"""`python -m infra.check`, which is a part of `make check`, is able to find something."""

import pytest

pytestmark = pytest.mark.slow


def test_a_queue_without_dead_letters_or_tls_is_found(tmp_path):
    import aws_cdk as cdk
    from aws_cdk import aws_sqs as sqs

    from infra.check import nag
    from infra.synth import make_app

    app = make_app(tmp_path)
    sqs.Queue(cdk.Stack(app, "Bare"), "Queue")
    rules = [finding.split(": ")[:2] for finding in nag(app)]
    assert sorted(rules) == [
        ["AwsSolutions-SQS3", "Bare/Queue/Resource"],
        ["AwsSolutions-SQS4", "Bare/Queue/Resource"],
    ]


def test_a_property_that_cloudformation_does_not_know_is_found(tmp_path):
    from infra.check import lint

    template = tmp_path / "bare.template.json"
    template.write_text('{"Resources": {"Queue": {"Type": "AWS::SQS::Queue", "Properties": {"Colour": "red"}}}}')
    [finding] = lint(template)
    assert finding.startswith("E3002: ")
    assert "'Colour' was unexpected" in finding
