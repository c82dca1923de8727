"""Examples of the OpenAPI document, by the names of its schemas. Tests send the events and compare the responses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headwater.api.document.examples import cdap, columns, operations, records, reports, runs

EXAMPLES: Mapping[str, Sequence[Any]] = {
    **records.EXAMPLES,
    **runs.EXAMPLES,
    **operations.EXAMPLES,
    **cdap.EXAMPLES,
    **columns.EXAMPLES,
    **reports.EXAMPLES,
}
