"""Bearer tokens: kept as hashes, checked by the function at the door where API Gateway lets everybody through."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest

from lambdas import api as api_function
from lambdas import wiring
from lineage.api.tokens import Tokens, new_token
from lineage_model.errors import Conflict, Invalid, NotFound
from tests.builders import NOON
from tests.builders_events import (
    NAMESPACE,
    STORE,
    a_dataset,
    a_dataset_event,
    a_facet,
    a_job_event,
    a_parent,
    a_run_event,
)

DAY_S = 24 * 3600
BYTES = iter(range(1, 1000))
NODE = f"job:{NAMESPACE}:emissions.read_flights"


def a_token(cloud, *scopes, namespaces=("*",), roots=(), lifetime_s=None):
    """Return the text of a new token of the stack; without scopes it may read and write."""
    number = next(BYTES)
    text, token = new_token(
        scopes=scopes or ("read", "write"),
        namespaces=() if scopes == ("records",) else namespaces,
        roots=roots,
        now_s=cloud.now_s,
        lifetime_s=lifetime_s,
        random=lambda size: number.to_bytes(size, "big"),
    )
    Tokens(wiring.graph_table()).put(token)
    return text


def an_event(token, method="GET", path="/api/v1/namespaces", *, body=None, door="token", headers=None, **query):
    """Return the event of API Gateway for a request with the token; `headers` replace the token's."""
    named = headers if headers is not None else {"Authorization": f"Bearer {token}"}
    return {
        "resource": "/{proxy+}",
        "path": path,
        "httpMethod": method,
        "headers": named,
        "multiValueHeaders": {name: value if isinstance(value, list) else [value] for name, value in named.items()},
        "queryStringParameters": query or None,
        "multiValueQueryStringParameters": {name: [value] for name, value in query.items()} or None,
        "pathParameters": {"proxy": path[1:]},
        "stageVariables": {"auth": door} if door else None,
        "requestContext": {"stage": "prod", "path": f"/prod{path}", "requestId": "r", "httpMethod": method},
        "body": None if body is None else json.dumps(body),
        "isBase64Encoded": False,
    }


def send(cloud, token, *args, **kwargs):
    """Return the status, the message of a refusal, and the headers."""
    return send_whole(cloud, token, *args, **kwargs)[:3]


def send_whole(cloud, token, *args, **kwargs):
    """Return what `send` does, and the body of the response."""
    response = api_function.handler(an_event(token, *args, **kwargs), cloud.context(29))
    returned = json.loads(response["body"]) if response["body"] else {}
    if response["statusCode"] >= 400:
        assert returned == {"code": response["statusCode"], "message": returned["message"]}
    headers = response.get("multiValueHeaders") or response.get("headers")
    return response["statusCode"], returned.get("message") if isinstance(returned, dict) else None, headers, returned


def status(*args, **kwargs):
    return send(*args, **kwargs)[0]


def graph(cloud, token, **query):
    """The nodes of the graph around one."""
    code, _, _, returned = send_whole(cloud, token, path="/api/v1/lineage", **query)
    assert code == 200
    return returned["graph"]


def test_a_token_is_known_by_its_hash_alone(cloud):
    text = a_token(cloud)

    assert text.startswith("hw_")
    assert text.rpartition("_")[2] not in repr(cloud.items("Graph"))
    found = wiring.tokens().find(text, now_s=NOON)
    assert (found.scopes, found.namespaces, found.created) == (("read", "write"), ("*",), NOON)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text[:-1] + ("A" if text[-1] != "A" else "B"),
        lambda text: text + "A",
        lambda text: text.upper(),
        lambda text: "hw_" + "0" * 16 + "_" + "A" * 43,
        lambda _: "",
        lambda _: "hw__",
        lambda _: "é" * 64,
    ],
)
def test_what_is_not_quite_a_token_finds_none(cloud, spoil):
    assert Tokens(wiring.graph_table()).find(spoil(a_token(cloud)), now_s=NOON) is None


def test_a_token_ends_at_its_stated_time(cloud):
    text = a_token(cloud, lifetime_s=DAY_S)

    assert wiring.tokens().find(text, now_s=NOON + DAY_S - 1) is not None
    assert wiring.tokens().find(text, now_s=NOON + DAY_S) is None


def test_a_revoked_token_is_listed_and_refused_within_a_minute(cloud):
    text = a_token(cloud)
    known = wiring.tokens()
    assert known.find(text, now_s=NOON) is not None

    id_ = text.split("_")[1]
    assert Tokens(wiring.graph_table()).revoke(id_, now_s=NOON + 1).revoked == NOON + 1
    assert known.find(text, now_s=NOON + 59) is not None
    assert known.find(text, now_s=NOON + 60) is None
    assert known.revoke(id_, now_s=NOON + 99).revoked == NOON + 1
    assert [(token.id, token.revoked) for token in known.all()] == [(id_, NOON + 1)]


def test_a_token_is_looked_up_with_one_request_a_minute(cloud):
    text, known, calls = a_token(cloud), wiring.tokens(), []
    cloud.dynamodb.meta.events.register("before-call.dynamodb.*", lambda **_: calls.append(1))

    for second in range(59):
        known.find(text, now_s=NOON + second)
    assert len(calls) == 1


def test_tokens_have_ids_of_their_own_and_unknown_ones_are_not_revoked(cloud):
    _, token = new_token(scopes=["read"], namespaces=["*"], now_s=NOON, lifetime_s=None, random=bytes)
    wiring.tokens().put(token)

    with pytest.raises(Conflict, match="there is one of this id"):
        wiring.tokens().put(token)
    with pytest.raises(NotFound, match="there is none with the id 'x'"):
        wiring.tokens().revoke("x", now_s=NOON)


NAME = "must be a name, or the beginning of names and then `*`"


@pytest.mark.parametrize(
    ("scopes", "limits", "message"),
    [
        ([], {}, "scope: must be at least one of records, read, write, delete, got []"),
        (["admin"], {}, "scope: must be at least one of records, read, write, delete, got ['admin']"),
        (
            ["read"],
            {},
            "namespace: must be given with the scopes read, write, delete (`*` for all namespaces)",
        ),
        (
            ["records"],
            {"namespaces": ["*"]},
            "namespace: must not be given with the scope records alone, which roots limit, got ['*']",
        ),
        (
            ["read"],
            {"namespaces": ["a"], "roots": ["b"]},
            "root: must not be given without the scope records, got ['b']",
        ),
        (["read"], {"namespaces": [""]}, f"namespace: {NAME}, got ''"),
        (["read"], {"namespaces": ["a*b"]}, f"namespace: {NAME}, got 'a*b'"),
        (["records"], {"roots": ["*b"]}, f"root: {NAME}, got '*b'"),
    ],
)
def test_a_token_without_meaning_is_not_made(scopes, limits, message):
    with pytest.raises(Invalid) as refused:
        new_token(scopes=scopes, **limits, now_s=NOON, lifetime_s=None, random=bytes)
    assert str(refused.value) == message


def test_the_signed_api_needs_no_token_and_ignores_one(cloud):
    assert status(cloud, "nonsense", door="iam") == 200


@pytest.mark.parametrize("door", [None, "", "IAM", "none", "tokens"])
def test_a_caller_is_refused_where_no_stage_variable_says_who_checks_callers(cloud, door):
    """A stage without the variable, as a third API or a console test would have: nobody may have checked the caller."""
    for path in ("/", "/openapi.json", "/api/v1/namespaces", "/nowhere"):
        assert send(cloud, a_token(cloud), path=path, door=door)[:2] == (
            403,
            "stage variable auth: must be iam or token",
        )


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        ({}, "Authorization: must be `Bearer` and a token"),
        ({"Authorization": "Basic eA=="}, "Authorization: must be `Bearer` and a token"),
        ({"Authorization": "Bearer"}, "Authorization: must be `Bearer` and a token"),
        ({"Authorization": ["Bearer a", "Bearer b"]}, "Authorization: must be `Bearer` and a token"),
        ({"Authorization": "Bearer hw_x"}, "Authorization: the token is unknown, expired or revoked"),
    ],
)
@pytest.mark.parametrize("path", ["/", "/openapi.json", "/api/v1/namespaces", "/nowhere"])
def test_a_caller_without_a_valid_token_is_challenged_whatever_the_path(cloud, headers, message, path):
    code, returned, responded = send(cloud, None, path=path, headers=headers)

    assert (code, returned) == (401, message)
    assert responded["WWW-Authenticate"] in ("Bearer", ["Bearer"])


def test_the_header_may_be_spelled_as_clients_do(cloud):
    text = a_token(cloud)

    for name, kind in (("authorization", "Bearer"), ("AUTHORIZATION", "bearer")):
        assert status(cloud, None, headers={name: f"{kind} {text}"}) == 200


def test_an_expired_token_is_refused(cloud):
    text = a_token(cloud, lifetime_s=10)
    assert status(cloud, text) == 200
    cloud.now_s += 10
    assert status(cloud, text) == 401


OTHER_NAME = a_facet("SymlinksDataset", identifiers=[{"namespace": "hive", "name": "db.raw", "type": "TABLE"}])
OLD_NAME = a_facet(
    "LifecycleStateChange", lifecycleStateChange="RENAME", previousIdentifier={"namespace": "hive", "name": "old"}
)
SECRET = {"namespace": "s3://secret", "name": "ages"}
AGE = {**SECRET, "field": "age"}
COLUMNS = a_facet("ColumnLineageDataset", fields={"seats": {"inputFields": [AGE]}})
WHOLE = a_facet("ColumnLineageDataset", fields={}, dataset=[AGE])
OF_DATASET = a_facet("Lineage", inputs=[{"type": "DATASET", **SECRET}])
OF_JOB = a_facet("Lineage", entries=[{"type": "DATASET", **SECRET, "inputs": []}])
READ_SECRET = {"type": "READ", "name": "read", "source": SECRET, "outputs": ["age"]}
WRITE_SECRET = {"type": "WRITE", "name": "write", "inputs": [{"origin": "read", "name": "age"}], "destination": SECRET}
OF_HERE = {"namespace": STORE, "name": "raw"}


def operations(*listed):
    return {"headwater_operations": a_facet("HeadwaterOperations", operations=list(listed))}


@pytest.mark.parametrize(
    ("event", "refused"),
    [
        (a_run_event(), None),
        (a_job_event(), None),
        (a_run_event(namespace="elsewhere"), "elsewhere"),
        (a_run_event(inputs=[a_dataset(namespace="s3://secret")]), "s3://secret"),
        (a_run_event(outputs=[a_dataset(namespace="s3://secret")]), "s3://secret"),
        (a_run_event(run_facets={"parent": a_parent(namespace="airflow")}), "airflow"),
        (a_run_event(outputs=[a_dataset(facets={"symlinks": OTHER_NAME})]), "hive"),
        (a_run_event(outputs=[a_dataset(facets={"lifecycleStateChange": OLD_NAME})]), "hive"),
        (a_run_event(outputs=[a_dataset(facets={"columnLineage": COLUMNS})]), "s3://secret"),
        (a_run_event(outputs=[a_dataset(facets={"columnLineage": WHOLE})]), "s3://secret"),
        (a_dataset_event(a_dataset(facets={"columnLineage": COLUMNS})), "s3://secret"),
        (a_dataset_event(a_dataset(facets={"lineage": OF_DATASET})), "s3://secret"),
        (a_run_event(job_facets={"lineage": OF_JOB}), "s3://secret"),
        (a_job_event(job_facets={"lineage": OF_JOB}), "s3://secret"),
        (a_run_event(run_facets=operations(READ_SECRET, {**WRITE_SECRET, "destination": OF_HERE})), "s3://secret"),
        (a_run_event(run_facets=operations({**READ_SECRET, "source": OF_HERE}, WRITE_SECRET)), "s3://secret"),
    ],
)
@pytest.mark.parametrize("batch", [False, True])
def test_an_event_is_taken_if_all_that_it_names_is_within_the_tokens_namespaces(cloud, event, refused, batch):
    text = a_token(cloud, namespaces=[NAMESPACE, f"{STORE}*"])
    path, body = ("/api/v1/lineage/batch", [a_run_event(), event]) if batch else ("/api/v1/lineage", event)
    code, returned, _ = send(cloud, text, "POST", path, body=body)

    if refused is None:
        assert code == (204 if batch else 201)
    else:
        assert (code, returned) == (403, f"token: may not write in the namespace {refused!r}")
        assert cloud.bodies("EventsQueue") == []


def test_an_event_that_breaks_a_rule_is_invalid_and_not_forbidden(cloud):
    text = a_token(cloud, namespaces=[NAMESPACE])
    code, returned, _ = send(cloud, text, "POST", "/api/v1/lineage", body={"eventTime": "x"})
    assert code == 422
    assert "run" in returned


def test_a_node_is_in_the_namespace_that_finds_it_not_in_one_that_its_id_might_be_read_as(cloud):
    cloud.load_events({**a_run_event(), "job": {"namespace": "team:secret", "name": "nightly"}})
    path, node_id = "/api/v1/lineage", "job:team:secret:nightly"

    assert send(cloud, a_token(cloud, "read", namespaces=["team"]), path=path, nodeId=node_id)[:2] == (
        404,
        f"Node '{node_id}' not found.",
    )
    assert send(cloud, a_token(cloud, "read"), path=path, nodeId=node_id)[0] == 200


def test_a_field_is_read_from_the_splits_of_its_id_that_the_token_sees(cloud):
    """Another's dataset under a name that reads the same locks nobody out, and is shown to nobody else."""
    cloud.load_events(a_run_event(outputs=[a_dataset("nightly", "team:secret", fields=["age"])]))
    path, node_id = "/api/v1/column-lineage", "datasetField:team:secret:nightly:age"

    assert send(cloud, a_token(cloud, "read", namespaces=["team"]), path=path, nodeId=node_id)[0] == 404
    assert send(cloud, a_token(cloud, "read", namespaces=["team:secret"]), path=path, nodeId=node_id)[0] == 200
    cloud.load_events(a_run_event(outputs=[a_dataset("secret", "team", fields=["age"])]))
    assert send(cloud, a_token(cloud, "read", namespaces=["team:secret"]), path=path, nodeId=node_id)[0] == 200
    assert send(cloud, a_token(cloud, "read", namespaces=["team*"]), path=path, nodeId=node_id)[0] == 200


ENCODED = quote(STORE, safe="")
SEATS = f"datasetField:{STORE}:raw:seats"
FIELDS = "/v3/namespaces/{}/datasets/raw/fields/seats/lineage"
ENDPOINT = "/v3/namespaces/{}/endpoints/raw/fields"
A_DAY = {"start": "now-1d", "end": "now"}
RUN = "01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2c"


@pytest.mark.parametrize(
    ("path", "query", "code"),
    [
        (f"/api/v1/namespaces/{NAMESPACE}/jobs", {}, 200),
        (f"/api/v1/namespaces/{ENCODED}/datasets", {}, 404),
        (f"/api/v1/namespaces/{ENCODED}/datasets", {"nodeId": NODE, "namespace": NAMESPACE}, 404),
        (f"/api/v1/namespaces/{NAMESPACE}", {}, 200),
        ("/api/v1/lineage", {"nodeId": NODE}, 200),
        ("/api/v1/lineage", {"nodeId": f"dataset:{STORE}:raw"}, 404),
        ("/api/v1/lineage", {}, 400),
        (f"/api/v1/jobs/runs/{RUN}", {}, 200),
        ("/api/v1/jobs/runs/00000000-0000-0000-0000-000000000000", {}, 404),
        ("/api/v1/runlineage/upstream", {"runId": RUN}, 200),
        ("/api/v1/search", {"q": "read", "namespace": NAMESPACE}, 200),
        ("/api/v1/search", {"q": "read", "namespace": STORE}, 200),
        ("/api/v1/search", {"q": "read"}, 200),
        ("/api/v1/records/search", {"root": "r", "namespace": NAMESPACE}, 403),
        ("/api/v1/column-lineage", {"nodeId": NODE}, 200),
        ("/api/v1/column-lineage", {"nodeId": f"dataset:{STORE}:raw"}, 404),
        ("/api/v1/column-lineage", {"nodeId": SEATS}, 404),
        ("/api/v1/column-lineage", {"nodeId": SEATS.replace("datasetField", "dataset_field")}, 404),
        ("/api/v1/column-lineage", {"nodeId": f"{SEATS}#{RUN}"}, 404),
        ("/api/v1/column-lineage", {"nodeId": "datasetField:nowhere:raw:seats"}, 404),
        ("/api/v1/column-lineage", {"nodeId": SEATS, "namespace": NAMESPACE}, 404),
        ("/api/v1/column-lineage", {"nodeId": "datasetField:x"}, 400),
        ("/api/v1/column-lineage", {}, 400),
        ("/api/v1/column-lineage/origins", {"nodeId": SEATS}, 404),
        ("/api/v1/reports/usage", {"nodeId": SEATS, **A_DAY}, 404),
        ("/api/v1/reports/provenance", {"nodeId": SEATS, **A_DAY}, 404),
        ("/api/v1/reports/provenance", A_DAY, 400),
        (f"{ENDPOINT.format(ENCODED)}/lineage", A_DAY, 200),
        (f"{ENDPOINT.format(NAMESPACE)}/lineage", A_DAY, 200),
        (f"{ENDPOINT.format(ENCODED)}/seats/lineage", A_DAY, 200),
        (f"{ENDPOINT.format(NAMESPACE)}/seats/lineage", {**A_DAY, "direction": "both"}, 200),
        (FIELDS.format(ENCODED), A_DAY, 200),
        (FIELDS.format(NAMESPACE), A_DAY, 200),
        ("/api/v1/jobs", {}, 200),
        ("/api/v1/jobs", {"namespace": NAMESPACE}, 200),
        ("/api/v1/namespaces", {}, 200),
        ("/api/v1/events/lineage", {}, 200),
        ("/api/v1/records/roots/flights", {}, 403),
        ("/", {}, 200),
    ],
)
def test_a_query_returns_what_is_within_the_tokens_namespaces(cloud, path, query, code):
    """Of all else, as of what is not there: tests/unit/api/test_token_visibility.py compares the answers."""
    cloud.load_events(a_run_event(outputs=[a_dataset("raw", fields=["seats"])]))
    assert status(cloud, a_token(cloud, "read", namespaces=[NAMESPACE]), "GET", path, **query) == code


def test_a_run_of_another_namespace_is_not_there(cloud):
    cloud.load_events(a_run_event())
    text = a_token(cloud, "read", namespaces=["elsewhere"])
    for path, query in ((f"/api/v1/jobs/runs/{RUN}", {}), ("/api/v1/runlineage/upstream", {"runId": RUN})):
        assert send(cloud, text, "GET", path, **query)[:2] == (404, f"Run '{RUN}' not found.")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/api/v1/namespaces/elsewhere", "Namespace 'elsewhere' not found."),
        ("/api/v1/namespaces/elsewhere/jobs/check", "Job 'check' not found."),
        ("/api/v1/namespaces/elsewhere/datasets/raw", "Dataset 'raw' not found."),
    ],
)
def test_what_a_token_does_not_see_it_cannot_delete_whether_it_is_there_or_not(cloud, path, message):
    text = a_token(cloud, "delete", namespaces=[NAMESPACE])
    assert send(cloud, text, "DELETE", path)[:2] == (404, message)
    cloud.load_events(a_run_event(namespace="elsewhere", job="check", outputs=[a_dataset("raw", "elsewhere")]))
    cloud.now_s += 60
    assert send(cloud, text, "DELETE", path)[:2] == (404, message)
    assert cloud.bodies("ChangesQueue") == []
    assert send(cloud, a_token(cloud, "delete"), "DELETE", path)[0] == 200


def test_a_dataset_is_not_deleted_by_another_name_that_it_has_in_a_namespace_of_the_tokens(cloud):
    """The table `db.raw` of `hive` is the dataset `raw` of the store, which is another's to delete."""
    cloud.load_events(a_run_event(outputs=[a_dataset("raw", facets={"symlinks": OTHER_NAME})]))
    cloud.now_s += 60
    path = "/api/v1/namespaces/hive/datasets/db.raw"

    assert send(cloud, a_token(cloud, "delete", namespaces=["hive"]), "DELETE", path)[:2] == (
        403,
        f"token: may not delete in the namespace {STORE!r}",
    )
    assert cloud.bodies("ChangesQueue") == []
    assert send(cloud, a_token(cloud, "delete", namespaces=["hive", STORE]), "DELETE", path)[0] == 200
    (deletion,) = cloud.bodies("ChangesQueue")
    assert (deletion["namespace"], deletion["dataset"]) == (STORE, "raw")


def test_a_deployment_that_is_strict_about_namespaces_shows_neighbours_by_id_alone(cloud, monkeypatch):
    cloud.load_events(a_run_event())
    text = a_token(cloud, "read", namespaces=[NAMESPACE])

    def neighbours():
        event = {"nodeId": NODE}
        return {one["id"] for one in graph(cloud, text, **event) if one["data"] is None}

    assert neighbours() == set()
    monkeypatch.setenv("STRICT_NAMESPACES", "true")
    assert neighbours() == {f"dataset:{STORE}:landing", f"dataset:{STORE}:raw"}


def test_no_token_is_written_to_a_log(cloud, capsys, caplog):
    text = a_token(cloud)
    send(cloud, text)
    send(cloud, text + "x")
    printed = capsys.readouterr()
    assert len(caplog.records) == 2
    logged = [str(vars(record)) for record in caplog.records]
    assert text.rpartition("_")[2] not in "".join([printed.out, printed.err, *logged])
