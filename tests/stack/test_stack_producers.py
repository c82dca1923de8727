"""The policy for the roles of jobs: what a producer outside the stack may do."""


def test_a_producer_may_send_to_two_queues_and_invoke_the_input_function(template):
    (policy,) = template.of_type("AWS::IAM::ManagedPolicy").values()
    allowed = [
        (statement["Effect"], statement["Action"], statement["Resource"], statement.get("Condition"))
        for statement in policy["PolicyDocument"]["Statement"]
    ]

    assert allowed == [
        ("Allow", "sqs:SendMessage", ["EventsQueue.Arn", "PackedQueue.Arn"], None),
        ("Allow", "lambda:InvokeFunction", "InputFunction.Arn", None),
    ]
    assert not {"Roles", "Users", "Groups"} & set(policy)
