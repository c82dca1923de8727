"""Days of history in the stack: a variable of two functions, and a rule of the bucket."""

import json


def test_two_functions_get_the_days(named):
    functions = named["largest"].of_type("AWS::Lambda::Function")
    variables = {name: function["Environment"]["Variables"] for name, function in functions.items()}
    days = {name: json.loads(given["KEPT_DAYS"]) for name, given in variables.items() if "KEPT_DAYS" in given}
    assert days == {key: {"tests": 90, "runs": 400, "streams": 30} for key in ("EventsFunction", "ApiFunction")}


def test_the_bucket_and_an_output_get_the_days_of_events(turned):
    rules = turned.of_type("AWS::S3::Bucket")["ArchiveBucket"]["LifecycleConfiguration"]["Rules"]
    assert [rule for rule in rules if rule.get("Prefix") == "events/"] == [
        {
            "Id": "events",
            "Prefix": "events/",
            "ExpirationInDays": 400,
            "NoncurrentVersionExpiration": {"NoncurrentDays": 1},
            "Status": "Enabled",
        }
    ]
    assert turned.content["Outputs"]["EventsKeptDays"]["Value"] == "400"
