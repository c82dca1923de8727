"""The stack as production deploys it, and the stacks of other context values: see tests/stack/assemblies.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stack.assemblies import NAMED, TURNED, make_assemblies, read_template
from tests.templates import Template

# MiniStack's own Python runs it.
collect_ignore = ["recorded_decisions.py"]


@pytest.fixture(scope="session")
def template(synthesized) -> Template:
    """The stack as production deploys it, without the layer."""
    return Template(synthesized())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave what needs a second stack out of `make test-fast`."""
    for item in items:
        parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
        if isinstance(item, pytest.Function) and "turned" in (*item.fixturenames, *parameters):
            item.add_marker(pytest.mark.large)


@pytest.fixture(scope="session")
def assemblies(made_once) -> Path:
    """The folder of all assemblies of other context values."""
    return made_once("assemblies", make_assemblies)


@pytest.fixture(scope="session")
def turned(assemblies) -> Template:
    """The stack with its context values changed, and with a layer and libraries."""
    return Template(read_template(assemblies, TURNED))


@pytest.fixture(scope="session")
def named(assemblies) -> dict[str, Template]:
    """The stacks that have a name."""
    return {name: Template(read_template(assemblies, name)) for name in NAMED}
