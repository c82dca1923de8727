"""Examples of the OpenAPI document, by the names of its schemas: a JSON file for each dialect and feature.

Tests send the events to the API and compare its responses with the examples (`tests/unit/api/test_examples.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from headwater.features import FEATURES

_OF_FEATURES = (Path(__file__).parents[3] / "features" / feature.name / "examples.json" for feature in FEATURES)
_FILES = [*sorted(Path(__file__).parent.glob("*.json")), *filter(Path.exists, _OF_FEATURES)]
EXAMPLES: Mapping[str, Sequence[Any]] = {
    name: examples for file in _FILES for name, examples in orjson.loads(file.read_bytes()).items()
}
