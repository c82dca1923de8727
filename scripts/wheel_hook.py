"""Hatch build hook: the wheel holds the explorer if it is built (`make explorer`), within the package `headwater`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ExplorerHook(BuildHookInterface):  # type: ignore[type-arg, misc]  # hatchling's is generic over its own config
    """Hook that adds the files of `explorer/dist` to a wheel; an editable install finds them in the checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files of the build, without its stamp."""
        files = sorted(path for path in (Path(self.root) / "explorer" / "dist").glob("*.*") if path.name[0] != ".")
        if version == "editable":
            return
        if not files:
            self.app.display_warning("the explorer is not built: the wheel has no page; `make explorer` builds it")
        build_data["force_include"].update({str(path): f"headwater/page/{path.name}" for path in files})
