"""Nodes of the emissions pipeline by their ids, and a box of a picture by its name."""

from __future__ import annotations

from tests.explorer.stories import ATTACK, LAKE

CHECKED, ESTIMATED = f"dataset:{LAKE}:checked", f"dataset:{LAKE}:estimated"
REJECTED = f"dataset:{LAKE}:rejected"
CO2 = f"datasetField:{LAKE}:estimated:co2_kg"
REPORT = "job:marts:marts.airline_report"
HOSTILE = f"job:ns {ATTACK}:=cmd {ATTACK}"
NODES = ".react-flow__node"


def node(page, name):
    """Locate a box by its text, or a job on a line by its label."""
    return page.locator(NODES, has_text=name).or_(page.locator(f'{NODES}[aria-label^="job {name},"]'))
