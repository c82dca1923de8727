"""Days of history in the stack: a variable of two functions, and a rule of the bucket."""

import json


def test_a_stack_without_days_keeps_all_history(template):
    assert "KEPT_DAYS" not in json.dumps(template.content)
    assert "EventsKeptDays" not in template.content["Outputs"]


def test_functions_and_the_bucket_get_the_days(named):
    stack = named["largest"]
    functions = stack.of_type("AWS::Lambda::Function")
    variables = {name: function["Environment"]["Variables"] for name, function in functions.items()}
    days = {name: json.loads(given["KEPT_DAYS"]) for name, given in variables.items() if "KEPT_DAYS" in given}
    assert days == {name: {"events": 400, "tests": 90} for name in ("EventsFunction", "ApiFunction")}
    rules = stack.of_type("AWS::S3::Bucket")["ArchiveBucket"]["LifecycleConfiguration"]["Rules"]
    assert [rule for rule in rules if rule.get("Prefix") == "events/"] == [
        {
            "Id": "events",
            "Prefix": "events/",
            "ExpirationInDays": 400,
            "NoncurrentVersionExpiration": {"NoncurrentDays": 1},
            "Status": "Enabled",
        }
    ]
    assert stack.content["Outputs"]["EventsKeptDays"]["Value"] == "400"
