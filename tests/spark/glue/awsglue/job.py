from __future__ import annotations

from collections.abc import Mapping

from awsglue.context import GlueContext


class Job:
    def __init__(self, context: GlueContext) -> None:
        self.context = context

    def init(self, name: str, arguments: Mapping[str, str]) -> None:
        assert arguments["JOB_NAME"] == name

    def commit(self) -> None:
        pass
