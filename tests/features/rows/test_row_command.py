"""`headwater row` against a service with given responses, over HTTP."""

import json

from headwater.cli.main import main
from tests.features.rows.test_row_route import PATH, a_commit
from tests.unit.api.teams import World


def response_of(*events, strict=False):
    world = World(*events, strict=strict)
    return world.get(world.token("s3*"), PATH.format(0), sequence="2")


def test_the_runs_of_a_row_are_printed(service, capsys):
    body = response_of(a_commit(1, 1, 0, 4, upgrades=True), a_commit(2, 2))
    service.body = json.dumps(body).encode()
    command = ["row", "s3://flights", "checked", "0", "--sequence", "2", "--url", service.url]
    assert main(command) == 0
    creation, change = body["made"]["commit"], body["changed"]["commit"]
    read, columns = f"  read s3://flights raw, version {creation['inputs'][0]['version']}", "  co2 <- raw.distance"
    assert capsys.readouterr().out.splitlines() == [
        "made: at or before run 00000000-0000-4000-8000-000000000001 of emissions write_1"
        " (the table's rows got their ids by this commit, older rows too)",
        f"  version {creation['version']}, sequence 1",
        read,
        columns,
        "  records of the root flights-2013",
        "changed: by run 00000000-0000-4000-8000-000000000002 of emissions write_2",
        f"  version {change['version']}, sequence 2",
        read,
        columns,
        "  records of the root flights-2013",
    ]
    [(path, query, _)] = service.requested
    assert (path, query) == (PATH.format(0), {"sequence": ["2"]})
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == body


def test_unknown_commits_and_hidden_jobs_are_printed_as_such(service, capsys):
    service.body = json.dumps(response_of(a_commit(1, 1, 0, 4, namespace="secret"), strict=True)).encode()
    assert main(["row", "s3://flights", "checked", "0", "--url", service.url]) == 0
    creation, _, change = capsys.readouterr().out.splitlines()
    assert creation == "made: by a run of a hidden job"
    assert change == "changed: unknown (no captured run reported the commit with this sequence number)"
