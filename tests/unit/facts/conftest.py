"""Catalogues whose parts are of a few values: a short history has them, too."""

import pytest

from headwater.facts import catalogue


@pytest.fixture(autouse=True, scope="module")
def _small_parts():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogue, "YOUNG_MAX", 2)
        patch.setattr(catalogue, "PART_MAX", 20)
        yield
