"""`headwater serve --alerts`: the lines that it prints."""

import json

from headwater.features.alerts.serve import greet, show

LINK = "http://127.0.0.1:8080/explore/job"


def test_an_alert_is_a_line_that_no_name_can_leave_and_its_link():
    event = {"DetailType": "RunFailed", "Detail": json.dumps({"summary": "a\x1b[2J\n", "link": LINK})}
    assert show(event) == f"alert RunFailed: a\ufffd[2J\ufffd\n  {LINK}"
    assert show({"DetailType": "Other", "Detail": "{}"}) == "alert Other: "


def test_the_bus_of_alerts_is_named_where_there_are_alerts():
    assert greet({}) == ""
    assert "Rules for the event bus the-bus work, too." in greet({"AlertsBusName": "the-bus"})
