"""CDAP's routes."""

from __future__ import annotations

from lineage.api.cdap import designs, shipped

ROUTES = (*designs.ROUTES, *shipped.ROUTES)
