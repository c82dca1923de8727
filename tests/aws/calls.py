"""The calls that a function with a queue makes, as actions of IAM."""

# Lambda's own calls in the function's name; who may list gets 404 for a missing key.
BY_LAMBDA = {
    "logs:CreateLogStream",
    "logs:PutLogEvents",
    "sqs:ReceiveMessage",
    "sqs:DeleteMessage",
    "sqs:GetQueueAttributes",
    "s3:ListBucket",
}


def calls_of(*clients):
    """Return the actions of Lambda, and of every call that the clients make from now on."""
    calls = set(BY_LAMBDA)

    def note(model, params, **_):
        version = "Version" if params.get("VersionId") else ""
        calls.add(f"{model.service_model.service_name}:{model.name.removesuffix('Batch')}{version}")

    for client in clients:
        client.meta.events.register("provide-client-params.*.*", note)
    return calls


def grants_of(template, function):
    return {action for actions in template.allowed(function).values() for action in actions}
