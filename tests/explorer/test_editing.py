"""Tags, owners and descriptions that are written in the page, by keyboard too, where the reader may write."""

from __future__ import annotations

import pytest

from tests.explorer.pages import serious_faults
from tests.explorer.served import ServedGraph
from tests.explorer.stories import JOBS, LAKE, emissions

CHECKED, JOB = f"dataset:{LAKE}:checked", f"job:{JOBS}:emissions.check"


@pytest.fixture
def edited():
    """The emissions pipeline, for one test alone, whose reader is ann."""
    served = ServedGraph()
    served.load(*emissions())
    served.user = "arn:aws:iam::123456789012:user/ann"
    yield served
    served.stop()


def dialog_of(page, name):
    page.get_by_role("button", name=f"edit {name}", exact=True).click()
    dialog = page.get_by_role("dialog", name=f"edit {name}")
    dialog.get_by_role("heading", name="Description").wait_for()
    return dialog


def test_what_is_written_on_a_phone_of_a_dataset_and_its_column_is_kept_by_the_service(open_view, edited):
    page = open_view(edited, f"dataset?node={CHECKED}", size=(390, 844))
    dialog = dialog_of(page, "checked")
    assert serious_faults(page) == []
    box = dialog.bounding_box()
    assert 0 <= box["x"] <= 390 - box["width"]
    dialog.get_by_role("textbox", name="new owner").fill("team:forecast")
    page.keyboard.press("Enter")
    dialog.get_by_role("region", name="owners").get_by_text("team:forecast").wait_for()
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    column = page.locator("tbody td.mono a").first.inner_text()
    dialog = dialog_of(page, column)
    dialog.get_by_role("textbox", name="description").fill("By day.")
    dialog.get_by_role("button", name="Save the description").click()
    dialog.get_by_text("set by user/ann").wait_for()

    page.reload()
    page.get_by_role("cell", name="By day.").wait_for()
    page.locator("dd", has_text="owner team:forecast").wait_for()
