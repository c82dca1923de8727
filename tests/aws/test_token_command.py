"""`headwater token`: the tokens that it makes, and what it prints of them."""

import argparse
import json
import re
from datetime import datetime, timezone

import pytest

from headwater.api.tokens import SCOPES
from headwater.cli import token as command
from headwater.facts.table import Row
from headwater_model.errors import Invalid
from lambdas import wiring
from tests.token_texts import id_of, secret_of

DAY_S = 24 * 3600


def parse(*arguments):
    parser = argparse.ArgumentParser()
    command.add_parser(parser.add_subparsers())
    return parser.parse_args(["token", *arguments])


def run(*arguments):
    given = parse(*arguments)
    given.act(given, wiring.tokens())


def create(capsys, *arguments):
    """Make a token by the command; return its text and how it is stored."""
    run("create", *arguments)
    text = capsys.readouterr().out.strip()
    return text, next(token for token in wiring.tokens().all().good if token.id == id_of(text))


def test_a_new_token_names_its_namespaces_and_expires_in_90_days(cloud, capsys):
    text, token = create(capsys, "--scope", "write", "--namespace", "airflow*", "--namespace", "s3://lake")

    assert re.fullmatch(r"hw_[0-9a-f]{16}_[\w-]{43}", text)
    assert (token.scopes, token.namespaces, token.roots) == (("write",), ("airflow*", "s3://lake"), ())
    assert token.expires - token.created == 90 * DAY_S


@pytest.mark.parametrize(
    ("options", "lifetime_s"), [(["--expires-days", "7"], 7 * DAY_S), (["--never-expires"], None), ([], 90 * DAY_S)]
)
def test_how_long_it_lasts_may_be_given(cloud, capsys, options, lifetime_s):
    _, token = create(capsys, "--scope", "read", "--all-namespaces", *options)
    assert token.namespaces == ("*",)
    assert token.expires == (None if lifetime_s is None else token.created + lifetime_s)


def test_records_are_limited_by_roots_and_need_no_namespace(cloud, capsys):
    assert create(capsys, "--scope", "records")[1].roots == ("*",)
    _, token = create(capsys, "--scope", "records", "--root", "flights-*", "--root", "trains")
    assert (token.namespaces, token.roots) == ((), ("flights-*", "trains"))


def test_references_are_all_namespaces_unless_some_are_given(cloud, capsys):
    assert create(capsys, "--scope", "write", "--namespace", "a")[1].references == ("*",)
    _, token = create(capsys, "--scope", "write", "--namespace", "a", "--reference", "s3://b*", "--reference", "c")
    assert token.references == ("c", "s3://b*")
    assert create(capsys, "--scope", "read", "--namespace", "a")[1].references == ()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--namespace", "a", "--all-namespaces"],
        ["--expires-days", "7", "--never-expires"],
        ["--expires-days", "0"],
        ["--expires-days", "3651"],
        ["--scope", "admin"],
    ],
)
def test_options_that_contradict_each_other_or_mean_nothing_are_refused(arguments, capsys):
    with pytest.raises(SystemExit):
        parse("create", "--scope", "read", *arguments)
    assert arguments[0] in capsys.readouterr().err


def test_the_list_shows_what_each_token_may_and_until_when(cloud, capsys):
    everything = [option for scope in SCOPES for option in ("--scope", scope)]
    text, token = create(capsys, *everything, "--namespace", "airflow*", "--root", "flights-*")

    run("list")
    printed = capsys.readouterr().out
    assert printed.rstrip("\n").split("\t") == [
        token.id,
        "records+read+write+delete",
        f"created {minute(token.created)}",
        f"expires {minute(token.expires)}",
        "namespaces airflow*, references *, roots flights-*",
        "never used",
    ]
    assert secret_of(text) not in printed

    run("revoke", token.id)
    assert "revoked " in capsys.readouterr().out


def minute(moment_s):
    return f"{datetime.fromtimestamp(moment_s, timezone.utc):%Y-%m-%d %H:%M}"


def test_the_list_is_one_document_as_json(cloud, capsys):
    text, token = create(capsys, "--scope", "read", "--namespace", "größe*")
    _, revoked = create(capsys, "--scope", "records", "--never-expires")
    run("revoke", revoked.id)
    wiring.tokens().record_use(token, now_s=1_763_640_000)
    capsys.readouterr()

    run("list", "--json")

    printed = capsys.readouterr().out
    assert secret_of(text) not in printed
    assert token.hash not in printed
    listed = {token["id"]: token for token in json.loads(printed)}
    assert listed[token.id] == {
        "id": token.id,
        "state": "valid",
        "scopes": ["read"],
        "namespaces": ["größe*"],
        "references": [],
        "roots": [],
        "eventsPerMinute": None,
        "created": datetime.fromtimestamp(token.created, timezone.utc).isoformat(),
        "expires": datetime.fromtimestamp(token.expires, timezone.utc).isoformat(),
        "revoked": None,
        "lastUsed": "2025-11-20",
    }
    assert (listed[revoked.id]["state"], listed[revoked.id]["expires"]) == ("revoked", None)


DAMAGES = [
    {"scopes": None},
    {"namespaces": "a"},
    {"roots": [1]},
    {"created": "2025"},
    {"created": None},
    {"expires": 1.5},
    {"revoked": True},
    {"hash": 7},
    {"hash": "\x1b[2J", "references": {}},
]


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_damaged_token_is_refused_and_breaks_no_list(cloud, capsys, form):
    text, good = create(capsys, "--scope", "read", "--namespace", "a")
    table, ids = wiring.graph_table(), [f"{number:016x}" for number in range(len(DAMAGES) + 1)]
    whole = table.get([("TOKENS", good.id)])["TOKENS", good.id].data
    table.put(Row("TOKENS", id_, {**whole, **damage}) for id_, damage in zip(ids, DAMAGES, strict=False))
    table.put([Row("TOKENS", ids[-1], {}), Row("TOKEN_USES", good.id, {})])

    run("list", *form)

    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    listed = (
        [token["id"] for token in json.loads(printed)] if form else [line.split()[0] for line in printed.splitlines()]
    )
    assert listed == [good.id, *ids]
    assert printed.count("broken") == len(ids)
    assert [wiring.tokens().find(f"hw_{id_}_{secret_of(text)}", now_s=good.created) for id_ in ids] == [None] * len(ids)
    with pytest.raises(Invalid, match=f"token {ids[0]}: scopes: must be a list of texts"):
        run("revoke", ids[0])
