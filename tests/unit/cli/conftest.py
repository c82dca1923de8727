import pytest

from tests.servers import serving
from tests.unit.cli.responding import Service


@pytest.fixture
def service():
    service = Service()
    with serving(service.server):
        yield service
