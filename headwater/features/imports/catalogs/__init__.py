"""Lineage of other catalogs as OpenLineage events, for `headwater import`: DataHub's proposals, Spline's plans."""
