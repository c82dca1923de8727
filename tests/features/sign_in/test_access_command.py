"""`headwater access`: grants in the table and in the log, and what a caller may see and why."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from headwater.api.tokens import Tokens
from headwater.facts.table import QUERY_ROWS_MAX, RowQuery
from headwater.features.sign_in import command
from headwater.features.sign_in.grants import Grants
from headwater.settings import TOKENS
from headwater_model.errors import Conflict, Invalid, NotFound
from tests.fakes.memory_table import MemoryTable


class Stack:
    """A table, and a queue of changes; `run` runs the command."""

    def __init__(self):
        self.outputs = {"ChangesQueueUrl": "changes"}
        self.tokens = Tokens(MemoryTable())
        self.sent = []

    def client(self, _service):
        return SimpleNamespace(send_message_batch=self._send)

    def _send(self, *, QueueUrl, Entries):  # noqa: N803 - as in boto3
        self.sent += [json.loads(entry["MessageBody"]) for entry in Entries]
        return {}

    def run(self, *arguments):
        parser = argparse.ArgumentParser()
        command.add_parser(parser.add_subparsers())
        given = parser.parse_args(["access", *arguments])
        given.act(given, self, Grants(self.tokens))


@pytest.fixture
def stack():
    return Stack()


def test_a_grant_and_its_end_are_lines_of_the_log_and_rows_of_the_table(stack, capsys):
    stack.run("grant", "groups=analysts", "--scope", "read", "--namespace", "gold*", "--never-expires")
    stack.run("revoke", "groups=analysts")
    changes = [{name: value for name, value in change.items() if name != "eventTime"} for change in stack.sent]
    assert changes == [
        {
            "change": "GRANT",
            "grantee": "groups=analysts",
            "scopes": ["read"],
            "namespaces": ["gold*"],
            "references": [],
            "roots": [],
        },
        {"change": "REVOKE", "grantee": "groups=analysts"},
    ]
    [grant] = Grants(stack.tokens).list().good
    assert (grant.id, grant.scopes, grant.namespaces, grant.hash) == ("groups=analysts", ("read",), ("gold*",), "")
    assert grant.revoked is not None
    stack.run("list", "--json")
    [listed] = json.loads(capsys.readouterr().out.split("revoked: groups=analysts\n")[1])
    assert (listed["id"], listed["state"], listed["scopes"]) == ("groups=analysts", "revoked", ["read"])


def test_a_faulty_grant_reaches_neither_the_log_nor_the_table(stack):
    with pytest.raises(Invalid, match="namespace: must be given"):
        stack.run("grant", "groups=analysts", "--scope", "read")
    for to in ("analysts", "=a", "groups=", f"groups={'a' * 500}"):
        with pytest.raises(SystemExit):
            stack.run("grant", to, "--scope", "read", "--all-namespaces")
    with pytest.raises(NotFound):
        stack.run("revoke", "groups=unknown")
    assert Grants(stack.tokens).list().good == []


def test_a_grant_beyond_the_read_grants_is_refused_and_a_list_says_that_it_is_cut(stack, capsys):
    stack.run("grant", "groups=0", "--scope", "read", "--all-namespaces")
    [row] = stack.tokens.table.query([RowQuery(TOKENS)])[0].rows
    stack.tokens.table.put(replace(row, sk=f"grant:groups={number}") for number in range(1, QUERY_ROWS_MAX))
    stack.run("grant", "groups=0", "--scope", "read", "--all-namespaces")
    stack.run("list")
    assert capsys.readouterr().err == ""
    with pytest.raises(Conflict, match="grant groups=x: there must be at most 10,000 grants"):
        stack.run("grant", "groups=x", "--scope", "read", "--all-namespaces")
    assert [change["grantee"] for change in stack.sent] == ["groups=0", "groups=0"]
    stack.tokens.table.put([replace(row, sk="grant:groups=x")])
    stack.run("list")
    assert capsys.readouterr().err == "headwater access: there are more grants; only these are listed, and count\n"


def test_explain_names_the_grant_behind_each_right(stack, capsys):
    stack.run("grant", "email=ann@example.org", "--scope", "read", "--scope", "write", "--namespace", "team-a")
    stack.run("grant", "groups=analysts", "--scope", "read", "--namespace", "gold*", "--never-expires")
    stack.run("grant", "groups=other", "--scope", "delete", "--all-namespaces")
    capsys.readouterr()
    stack.run("explain", "ann@example.org", "--claim", "groups=analysts")
    lines = [line.split("  created")[0] for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        "ann@example.org has read in gold*, team-a",
        "  by the grant email=ann@example.org  read+write",
        "  by the grant groups=analysts  read",
        "ann@example.org has write in team-a",
        "  by the grant email=ann@example.org  read+write",
    ]


def test_explain_reads_the_claims_of_a_token(stack, capsys, issuer):
    stack.run("grant", "groups=analysts", "--scope", "records", "--root", "flights*")
    capsys.readouterr()
    stack.run("explain", issuer.token(sub="bob", groups=["analysts"]))
    assert capsys.readouterr().out.startswith("user:bob has records in flights*\n  by the grant groups=analysts")
    stack.run("explain", issuer.token(sub="bob", groups=["else"]))
    assert capsys.readouterr().out == "user:bob: no grant fits, so all but the page itself is refused\n"
