"""The view of a record, over the handlers on moto: its path, the tree of its root, the proof computed in the page."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from moto.server import ThreadedMotoServer

from headwater import settings
from lambdas import api as api_function
from tests.aws.api.conftest import ROOT, Caller
from tests.aws.conftest import cloud, moto_as_on_the_local_stack, template  # noqa: F401 - fixtures
from tests.builders import DAY, HOUR
from tests.explorer.pages import serious_faults
from tests.explorer.served import Served

EAST = f"record?node=east&root={quote(ROOT, safe='')}"


@pytest.fixture
def archive(monkeypatch):
    """The URL of moto's S3, which a browser can read."""
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", f"http://{host}:{port}")
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def sealed(archive, cloud):  # noqa: F811 - the fixture
    """A root with records on the first of two sealed days, and one more record since."""
    caller = Caller(cloud)
    caller.put((ROOT, "read", "READ"), ("read", "east", "SPLIT"), ("read", "west", "SPLIT"), ("east", "clean", "CHECK"))
    cloud.compact(DAY)
    cloud.now_s += 24 * HOUR
    cloud.compact("2025-11-21")
    cloud.stream(cloud.expire())
    caller.put(("read", "late", "SPLIT"))
    served = Served(lambda event, _: api_function.handler(event, cloud.context(29)), also=(archive,))
    yield served
    served.stop()


def flip_a_byte(cloud, prefix):  # noqa: F811 - no fixture here
    """Change one byte of the archive's first object with this prefix."""
    bucket, (key, body) = cloud.outputs["ArchiveBucketName"], next(iter(cloud.objects(prefix).items()))
    middle = len(body) // 2
    changed = body[:middle] + bytes([body[middle] ^ 255]) + body[middle + 1 :]
    cloud.s3.put_object(Bucket=bucket, Key=key, Body=changed, ContentEncoding="gzip")


@pytest.mark.slow
def test_a_root_is_found_by_the_beginning_of_its_id(open_view, sealed, monkeypatch):
    # The day is published nowhere, so the search of records reads no archive.
    monkeypatch.setenv(settings.SEARCH_WORKGROUP, "primary")
    page = open_view(sealed, f"search?q={quote(ROOT[:9], safe='')}&kind=record")
    roots = page.get_by_role("region", name="roots")
    roots.get_by_role("link", name=ROOT).wait_for()
    assert [row.inner_text().split("\t") for row in roots.get_by_role("row").all()[1:]] == [[ROOT, "2025-11-20", "4"]]
    roots.get_by_role("link", name=ROOT).click()
    page.get_by_role("heading", name=ROOT).wait_for()


@pytest.mark.slow
def test_records_have_a_page_of_roots_and_of_actions(open_view, archive, cloud, monkeypatch):  # noqa: F811
    monkeypatch.setenv(settings.SEARCH_WORKGROUP, "primary")
    caller = Caller(cloud)
    rows = [("read", f"row{number}", "SPLIT") for number in range(5)]
    caller.put((ROOT, "read", "READ"), *rows)
    served = Served(lambda event, _: api_function.handler(event, cloud.context(29)), also=(archive,))
    page = open_view(served)
    page.watch.expected = ("status of",)
    page.get_by_role("link", name="Records").click()
    assert serious_faults(page) == []
    page.get_by_role("region", name="roots").get_by_role("link", name=ROOT).click()
    page.get_by_role("link", name="and 2 more").click()
    table = page.get_by_role("region", name="records of SPLIT")
    table.get_by_role("link", name="row4").wait_for()
    page.get_by_label("filter the records").fill("row3")
    page.get_by_role("status").filter(has_text="1 of 5 records").wait_for()
    served.stop()


def test_one_changed_byte_makes_the_proof_of_a_record_fail(open_view, sealed, cloud):  # noqa: F811 - the fixture
    page = open_view(sealed, EAST)
    # The record has left the table.
    page.watch.expected = ("status of 404",)
    proof = page.get_by_role("region", name="proof")
    proof.get_by_text("the record is unchanged since the seal of 2025-11-20").wait_for()
    with page.expect_download() as download:
        proof.get_by_role("button", name="Save the proof").click()
    saved = json.loads(download.value.path().read_text())
    assert (saved["record"]["node_id"], saved["state"], saved["holds"]) == ("east", "sealed", True)
    assert [digest["day"] for digest in saved["digests"]] == ["2025-11-20", "2025-11-21"]
    assert "X-Amz" not in download.value.path().read_text()
    assert proof.get_by_role("img", name="holds").count() == 5
    assert proof.locator(".path li").all_inner_texts()[-1].startswith("SPLIT\nthis record")

    flip_a_byte(cloud, "digests/year=2025/month=11/day=21/")
    page.reload()
    proof.get_by_role("alert").get_by_text("The proof fails").wait_for()
    assert proof.get_by_role("img", name="fails").count() == 2

    flip_a_byte(cloud, "traces/")
    page.reload()
    proof.get_by_text("5 checks of 5 do not hold").wait_for()
    assert serious_faults(page) == []


@pytest.mark.slow
def test_a_root_is_folded_with_what_is_live_and_what_is_archived(open_view, sealed):
    page = open_view(sealed, f"record?root={quote(ROOT, safe='')}")
    page.get_by_text("5 records, live and archived").wait_for()
    page.get_by_role("link", name="late").click()
    page.get_by_text("Not sealed yet").wait_for()
    page.get_by_text("From its root").wait_for()
    page.get_by_text("It is in the table alone").wait_for()
