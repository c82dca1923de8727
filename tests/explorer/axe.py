"""axe-core in a page that was opened with `bypass_csp`."""

from __future__ import annotations

import pytest

from tests.explorer.conftest import ROOT

AXE = ROOT / "explorer" / "node_modules" / "axe-core" / "axe.min.js"


def serious_faults(page):
    """Return what axe finds serious or critical, light and dark: (theme, rule, elements)."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed: `make explorer`")
    page.wait_for_load_state("networkidle")
    page.locator("[aria-busy]").first.wait_for(state="detached")
    page.add_script_tag(content=AXE.read_text(encoding="utf-8"))
    faults = []
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        # In another theme nothing but colours is another.
        rules = "{}" if theme == "light" else "{runOnly: ['color-contrast']}"
        report = page.evaluate(f"() => axe.run({rules})")
        faults += [
            (theme, violation["id"], [part["html"] for part in violation["nodes"][:3]])
            for violation in report["violations"]
            if violation["impact"] in ("serious", "critical")
        ]
    return faults
