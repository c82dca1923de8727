"""Hatch build hook: the files of the wheel of `headwater` besides its sources, within the package `headwater`.

They are the explorer if it is built (`make explorer`); the stack, its functions and jobs, and their local runtime, put
on the path by `headwater.cli.main`; and the templates of the release and of the local stack, by `scripts/dist.py`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_PROJECT = ("cdk.json", "examples", "infra", "jobs", "lambdas", "local_stack")


class ExplorerHook(BuildHookInterface):  # type: ignore[type-arg, misc]  # hatchling's is generic over its own config
    """A hook that adds files to a wheel; an editable install finds them in the checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files of the explorer's build, without its stamp, the project's other folders, and the template."""
        files = sorted(path for path in (Path(self.root) / "explorer" / "dist").glob("*.*") if path.name[0] != ".")
        if version == "editable":
            return
        if not files:
            self.app.display_warning("the explorer is not built: the wheel has no page; `make explorer` builds it")
        build_data["force_include"].update({str(path): f"headwater/page/{path.name}" for path in files})
        for name in _PROJECT:
            build_data["force_include"][str(Path(self.root) / name)] = f"headwater/project/{name}"
        places = {"TEMPLATE": "release/template.zip", "LOCAL_TEMPLATE": "project/local.template.json"}
        for name, place in places.items():
            if template := os.environ.get(f"HEADWATER_{name}"):
                build_data["force_include"][template] = f"headwater/{place}"
