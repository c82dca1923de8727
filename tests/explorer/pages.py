"""Parts of the page in a test: nodes of the emissions pipeline, a box of a picture, a token, what axe finds."""

from __future__ import annotations

import pytest

from tests.explorer.conftest import ROOT
from tests.explorer.stories import ATTACK, LAKE

CHECKED, ESTIMATED = f"dataset:{LAKE}:checked", f"dataset:{LAKE}:estimated"
REJECTED = f"dataset:{LAKE}:rejected"
CO2 = f"datasetField:{LAKE}:estimated:co2_kg"
REPORT = "job:marts:marts.airline_report"
HOSTILE = f"job:ns {ATTACK}:=cmd {ATTACK}"
NODES = ".react-flow__node"
# What a browser prints of a call without a good token.
REFUSALS = ("status of 401", "status of 403")

AXE = ROOT / "explorer" / "node_modules" / "axe-core" / "axe.min.js"
# The whole report takes the browser longer to hand over than to make.
_SERIOUS = """async (rules) => (await axe.run(rules)).violations
  .filter(({ impact }) => ["serious", "critical"].includes(impact))
  .map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html)])"""


def node(page, name):
    """Locate a box by its text, or a job on a line by its label."""
    return page.locator(NODES, has_text=name).or_(page.locator(f'{NODES}[aria-label^="job {name},"]'))


def give_token(page, text):
    dialog = page.get_by_role("dialog", name="token")
    dialog.get_by_label("Token", exact=True).fill(text)
    dialog.get_by_role("button", name="Use it").click()


def serious_faults(page):
    """Return what axe finds serious or critical, light and dark: (theme, rule, elements)."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed: `make explorer`")
    page.wait_for_load_state("networkidle")
    page.locator("[aria-busy]").first.wait_for(state="detached")
    # As a developer's console does: the page's policy does not hold for it.
    page.evaluate(AXE.read_text(encoding="utf-8"))
    faults = []
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        # In another theme nothing but colours is another.
        rules = {} if theme == "light" else {"runOnly": ["color-contrast"]}
        faults += [(theme, *fault) for fault in page.evaluate(_SERIOUS, rules)]
    return faults
