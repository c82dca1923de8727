"""A token typed into the page, and what a browser prints of a call without a good one."""

from __future__ import annotations

REFUSALS = ("status of 401", "status of 403")


def give_token(page, text):
    dialog = page.get_by_role("dialog", name="token")
    dialog.get_by_label("Token", exact=True).fill(text)
    dialog.get_by_role("button", name="Use it").click()
