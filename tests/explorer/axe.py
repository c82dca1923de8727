"""axe-core in a page."""

from __future__ import annotations

import pytest

from tests.explorer.conftest import ROOT

AXE = ROOT / "explorer" / "node_modules" / "axe-core" / "axe.min.js"
# The whole report takes the browser longer to hand over than to make.
_SERIOUS = """async (rules) => (await axe.run(rules)).violations
  .filter(({ impact }) => ["serious", "critical"].includes(impact))
  .map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html)])"""


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
