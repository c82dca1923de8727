"""MiniStack with a line for each decision of its IAM, in the file `DECISIONS`; its own Python runs this file.

It decides as AWS documents for batches of SQS (the right of a single message), PartiQL (a right for each verb),
DynamoDB's `LeadingKeys` (but not of PartiQL) and `Attributes`, and `aws:PrincipalArn` of a session (its role's ARN).
The port has no TLS: each request counts as sent over it.
"""

import json
import os
import re

from ministack.core import iam_actions
from ministack.core import iam_evaluator as iam
from ministack.core.responses import get_account_id

_SESSION = re.compile(r"^arn:(.+):sts::(\d+):assumed-role/([^/]+)/.*")
_VERB = re.compile(r'^(INSERT|UPDATE)\s+(?:INTO\s+)?"([^"]+)"')
_enforce, _resolve, _pin = iam.enforce, iam._resolve_condition_key, iam.pin_request_origin
_checks, _context = iam_actions.dynamodb_transaction_checks, iam_actions.dynamodb_service_context
_KEY = re.compile(r"(?:pk|root_id|node_id|#\w+) = (:\w+)")


def enforce(key, action, service, region, resource_arn="*", service_context=None):
    """Decide as MiniStack does, and write the decision."""
    action = re.sub(r"^(sqs:\w+)Batch$", r"\1", action)
    denied = _enforce(key, action, service, region, resource_arn, service_context)
    principal = getattr(iam.resolve_principal(key or "", get_account_id()), "arn", "nobody")
    line = {"principal": principal, "action": action, "resource": resource_arn, "denied": denied and str(denied)}
    with open(os.environ["DECISIONS"], "a", encoding="utf-8") as decisions:
        decisions.write(json.dumps(line) + "\n")
    return denied


def checks_of_items(action, body, region, account):
    """List the rights for each statement of PartiQL, too."""
    if action != "dynamodb:BatchExecuteStatement":
        return _checks(action, body, region, account)
    verbs = {_VERB.match(each["Statement"]).groups() for each in json.loads(body)["Statements"]}
    table = f"arn:aws:dynamodb:{region}:{account}:table"
    return [(f"dynamodb:PartiQL{verb.capitalize()}", f"{table}/{name}") for verb, name in sorted(verbs)]


def context_with_keys(body):
    """Add the partition keys of a request to DynamoDB, and the attributes that an update names."""
    request, context = json.loads(body or b"{}"), dict(_context(body))
    if keys := keys_in(request):
        context["dynamodb:LeadingKeys"] = keys
    if "UpdateExpression" in request:
        names = request.get("ExpressionAttributeNames", {})
        updated = re.findall(r"(?<![:\w])#?[a-z]\w*(?!\w*\()", request["UpdateExpression"])
        context["dynamodb:Attributes"] = [*request["Key"], *(names.get(name, name) for name in updated)]
    return context


def keys_in(part):
    """List the partition keys in a part of a request: of keys, items and conditions."""
    if isinstance(part, list):
        return [key for each in part for key in keys_in(each)]
    if not isinstance(part, dict):
        return []
    if "pk" in part or "root_id" in part:
        return [part.get("pk", part.get("root_id"))["S"]]
    condition = _KEY.match(part.get("KeyConditionExpression", ""))
    values = part.get("ExpressionAttributeValues", {})
    return [values[condition[1]]["S"]] if condition else [key for each in part.values() for key in keys_in(each)]


def resolve_condition_key(key, context):
    """Give a session's role as its ARN."""
    value = _resolve(key, context)
    return _SESSION.sub(r"arn:\1:iam::\2:role/\3", value) if key.lower() == "aws:principalarn" else value


iam.enforce, iam._resolve_condition_key = enforce, resolve_condition_key
iam.pin_request_origin = lambda address, _: _pin(address, True)
iam_actions.dynamodb_transaction_checks, iam_actions.dynamodb_service_context = checks_of_items, context_with_keys

if __name__ == "__main__":
    from ministack.app import main

    main()
