"""Every command without a server, a token or credentials: one line with what to do, and a status."""

from __future__ import annotations

import json
import socket
import threading

import pytest

from headwater.cli.main import main
from headwater.cli.program import command

NOWHERE = "http://127.0.0.1:1"
GATEWAY = "http://a1.execute-api.eu-west-1.amazonaws.com/prod"
CREATE = "token create --scope read --scope records --all-namespaces"
CREATE_LOCALLY = command(f"{CREATE} --local http://127.0.0.1:4566")
# Each command with the least that it takes, and its status of failure.
QUERIES = {"graph": ["job:a:b"], "column": ["dataset:a:b"], "search": []}
STACKS = {"token": (["list"], 1), "replay": ([], 1), "verify": ([], 2)}
SET_CREDENTIALS = "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"


@pytest.fixture(autouse=True)
def _without_credentials(monkeypatch):
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "PROFILE", "REGION", "DEFAULT_REGION"):
        monkeypatch.delenv(f"AWS_{name}", raising=False)
    for name in ("CONFIG_FILE", "SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(f"AWS_{name}", "/nowhere")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.delenv("HEADWATER_TOKEN", raising=False)


@pytest.fixture
def printed(capsys):
    """Run a command; return its status and the last line of its errors, without the name of the command."""

    def run(name, *arguments):
        status = main([name, *arguments])
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith(f"headwater {name}: ")
        return status, err.splitlines()[-1].removeprefix(f"headwater {name}: ")

    return run


@pytest.fixture
def chatter():
    """A server that speaks no HTTP."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def respond():
            with server.accept()[0] as connection:
                connection.recv(1000)
                connection.sendall(b"220 mail\r\n")

        thread = threading.Thread(target=respond)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        thread.join()


@pytest.mark.parametrize(("name", "arguments"), {**QUERIES, "explore": []}.items())
def test_where_no_server_is_the_way_to_start_one_is_shown(name, arguments, printed):
    start = f"nothing answers at {NOWHERE}; start {command('serve')} or give --url"
    assert printed(name, *arguments, "--url", NOWHERE) == (1, start)


REFUSALS = {
    "no token": (401, None, f"; set HEADWATER_TOKEN to a token, as {CREATE_LOCALLY} makes it"),
    "no token for a proxy": (403, None, f"; set HEADWATER_TOKEN to a token, as {CREATE_LOCALLY} makes it"),
    "an expired token": (
        401,
        "hw_x",
        f"; set HEADWATER_TOKEN to another token, as {CREATE_LOCALLY} makes it, or unset it where requests are signed",
    ),
    "a token for something else": (
        403,
        "hw_x",
        f"; set HEADWATER_TOKEN to another token, as {CREATE_LOCALLY} makes it, or unset it where requests are signed",
    ),
    "no such node": (404, "hw_x", ""),
}


@pytest.mark.parametrize(("name", "arguments"), QUERIES.items())
@pytest.mark.parametrize(("status", "token", "advice"), REFUSALS.values(), ids=REFUSALS)
def test_a_refusal_is_shown_with_what_the_caller_can_do(
    name, arguments, status, token, advice, service, printed, monkeypatch
):
    service.status, service.body = status, json.dumps({"code": status, "message": "the API's words"}).encode()
    if token:
        monkeypatch.setenv("HEADWATER_TOKEN", token)

    message = f"{service.url}: HTTP {status}: the API's words{advice}"
    assert printed(name, *arguments, "--url", service.url) == (1, message)


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (403, "; the AWS credentials of the environment, which sign the request, need execute-api:Invoke on this API"),
        (401, f"; set HEADWATER_TOKEN to a token, as {command(CREATE)} makes it"),
    ],
)
def test_a_signed_request_that_is_refused_needs_a_permission_or_a_token(status, advice, service, printed, monkeypatch):
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY"):
        monkeypatch.setenv(f"AWS_{name}", "key")
    monkeypatch.setenv("http_proxy", service.url)  # stands in for the way to AWS
    service.status, service.body = status, b'{"message": "no"}'

    assert printed("graph", "job:a:b", "--url", GATEWAY) == (1, f"{GATEWAY}: HTTP {status}: no{advice}")


@pytest.mark.parametrize(("name", "arguments"), {**QUERIES, "explore": []}.items())
def test_without_credentials_nothing_is_signed(name, arguments, printed):
    status, message = printed(name, *arguments, "--url", GATEWAY)
    assert status == 1
    assert message.startswith("cannot sign for a1.execute-api.eu-west-1.amazonaws.com: no AWS credentials")
    assert message.endswith(f"; {SET_CREDENTIALS}, or HEADWATER_TOKEN for an API of tokens")


@pytest.mark.parametrize(("name", "arguments"), QUERIES.items())
def test_another_server_is_no_api(name, arguments, service, chatter, printed):
    assert printed(name, *arguments, "--url", chatter) == (1, f"{chatter}: 220 mail")
    assert printed(name, *arguments, "--url", "http://127.0.0.1:x")[1].startswith("http://127.0.0.1:x: nonnumeric port")
    service.status, service.body = 404, b"<h1>Not Found</h1>"
    elsewhere = "HTTP 404: Not Found; no API of a stack answers there, give another --url"
    assert printed(name, *arguments, "--url", service.url) == (1, f"{service.url}: {elsewhere}")


AWS = {
    "no region": ({}, "no AWS region; set AWS_REGION, or name a stack on this machine by --local"),
    "no credentials": (
        {"AWS_REGION": "eu-west-1"},
        f"no AWS credentials; {SET_CREDENTIALS}, or name a stack on this machine by --local",
    ),
    "no such profile": (
        {"AWS_PROFILE": "nobody"},
        "the stack Headwater-prod cannot be read: The config profile (nobody) could not be found",
    ),
}


@pytest.mark.parametrize(("name", "arguments", "failure"), [(name, *case) for name, case in STACKS.items()])
@pytest.mark.parametrize(("environment", "message"), AWS.values(), ids=AWS)
def test_without_what_aws_needs_a_command_names_it(
    name, arguments, failure, environment, message, printed, monkeypatch
):
    # A session that another test opened knows credentials.
    monkeypatch.setattr("boto3.DEFAULT_SESSION", None)
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    assert printed(name, *arguments) == (failure, message)


AWS_RESPONSES = {
    "no such stack": (
        "ValidationError",
        "there is no stack Headwater-test in this account and region; name another by --stage or --stack, or name a "
        "stack on this machine by --local",
    ),
    "not permitted": (
        "AccessDenied",
        "the stack Headwater-test cannot be read: An error occurred (AccessDenied) when calling the DescribeStacks "
        "operation: the reason",
    ),
}


@pytest.mark.parametrize(("name", "arguments", "failure"), [(name, *case) for name, case in STACKS.items()])
@pytest.mark.parametrize(("code", "message"), AWS_RESPONSES.values(), ids=AWS_RESPONSES)
def test_a_stack_that_aws_does_not_show_is_named(
    name, arguments, failure, code, message, service, printed, monkeypatch
):
    for variable in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY"):
        monkeypatch.setenv(f"AWS_{variable}", "key")
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", service.url)
    error = f"<Error><Type>Sender</Type><Code>{code}</Code><Message>the reason</Message></Error>"
    service.status, service.body = 400, f"<ErrorResponse>{error}</ErrorResponse>".encode()

    assert printed(name, *arguments, "--stage", "test") == (failure, message)


@pytest.mark.parametrize(("name", "arguments", "failure"), [(name, *case) for name, case in STACKS.items()])
def test_where_no_aws_endpoint_is_the_way_to_start_one_is_shown(name, arguments, failure, service, printed):
    start = f"nothing answers at {NOWHERE}; start {command('serve')} or give --local"
    assert printed(name, *arguments, "--local", NOWHERE) == (failure, start)
    # The API of a stack, for instance.
    service.status, service.body = 405, b'{"code":405,"message":"method: must be GET, HEAD, got \'POST\'"}'
    elsewhere = (
        f"no AWS endpoints of a stack answer at {service.url}; give those that {command('serve')} prints as --local"
    )
    assert printed(name, *arguments, "--local", service.url) == (failure, elsewhere)
