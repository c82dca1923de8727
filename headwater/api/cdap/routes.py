"""CDAP's routes."""

from __future__ import annotations

from headwater.api.cdap import designs, shipped

ROUTES = (*designs.ROUTES, *shipped.ROUTES)
