"""Lists of datasets and jobs: narrowed, sorted and saved."""

from __future__ import annotations

import re

from tests.explorer.stories import LAKE


def test_a_list_is_narrowed_sorted_and_saved_as_it_is_shown(open_view, pipeline):
    page = open_view(pipeline, "datasets")
    page.get_by_role("combobox", name="namespace").select_option(LAKE)
    page.get_by_role("combobox", name="owner").select_option("team:emissions")
    page.get_by_role("status").filter(has_text="1 of 8 datasets").wait_for()
    page.get_by_role("combobox", name="tag").select_option("tier:gold")
    assert page.url.endswith("&owner=team%3Aemissions&tag=tier%3Agold")

    page.get_by_role("link", name="Jobs", exact=True).click()
    table = page.get_by_role("region", name="jobs")
    page.get_by_role("button", name="Against usual").click()
    table.get_by_role("columnheader", name="Usually").wait_for()
    growths = table.get_by_text(re.compile(r"^[+−]\d+ %$")).all_inner_texts()
    assert growths == sorted(growths, key=lambda text: -int(text.replace("−", "-")[:-2])) != []
    table.get_by_role("button", name="Job").click()
    page.get_by_role("button", name="emissions 4").click()
    page.get_by_role("status").filter(has_text="4 of 9 jobs").wait_for()
    names = ["emissions.check", "emissions.estimate", "emissions.land", "emissions.planes"]
    assert [text.split()[0] for text in table.locator("tbody tr[data-index]").all_inner_texts()] == names
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="List as CSV").click()
    header, *rows, end = download.value.path().read_bytes().decode().split("\r\n")
    assert header.startswith('"namespace","name","state","updated"')
    assert sorted(row.split(",")[1] for row in rows) == [f'"{name}"' for name in names]
    assert end == ""
