"""The fixtures of the handlers on moto, with the graph's tables in the catalog."""

import pytest

from headwater.features.graph_tables import tables
from tests.aws.conftest import *  # noqa: F403 - pytest looks for fixtures in a folder
from tests.aws.conftest import make_tables


@pytest.fixture
def tables_in_catalog(catalog):
    make_tables(tables.TABLES)
