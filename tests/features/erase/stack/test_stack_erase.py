"""Erasures in the stack: nothing without the context value; with it, two functions may read the tombstones."""

from tests.policies import decide


def test_the_loading_functions_read_the_tombstones_and_nobody_writes_them(named):
    stack = named["largest"]
    functions = stack.of_type("AWS::Lambda::Function")
    screened = {name for name, function in functions.items() if "ERASE" in function["Environment"]["Variables"]}
    assert screened == {"LoadFunction", "EventsFunction"}
    assert stack.content["Outputs"]["ErasePartition"]["Value"] == "ERASED"
    assert {name for name in functions if _may(stack, name, "GetItem")} == {*screened, "ApiFunction"}
    assert [name for name in functions if _may(stack, name, "PutItem") or _may(stack, name, "UpdateItem")] == []


def _may(stack, name, action):
    statements = stack.statements(name)
    return decide(statements, f"dynamodb:{action}", "GraphTable.Arn", dynamodb_LeadingKeys=["ERASED"]) == "allowed"
