"""Whoever answers questions about columns: the model, and what loaders made of the same statements."""

from __future__ import annotations

import pytest

from lineage.queries.service import FieldQuestions
from tests.fields_model import FieldModel
from tests.unit.queries.every_query import loaded


@pytest.fixture(params=["model", "loaded"])
def ask(request):
    """Questions about statements: of the model, or of what loaders made of them, one by one, the last first."""
    if request.param == "model":
        return FieldModel
    return lambda statements: FieldQuestions(loaded(*([one] for one in statements[::-1])))
