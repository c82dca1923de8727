"""The api function behind an HTTP server: `python -m comparisons.api_server PORT`.

The server is the local stack's, with API Gateway's form of requests; the handler runs in its process. The environment
has the function's variables.
"""

from __future__ import annotations

import sys
import threading
from typing import cast

from headwater.settings import AUTH_STAGE_VARIABLE, IAM_AUTH
from lambdas.api import handler
from local_stack.compute.functions import Functions, InvocationResult
from local_stack.compute.http_api import RestApi, Route
from local_stack.compute.worker import Context
from local_stack.processes.clock import Clock
from local_stack.web.server import Server

_TIMEOUT_S = 120.0


class InProcess:
    """The api function in this process: `Functions` for a route to one function."""

    def invoke(self, name: str, event: object) -> InvocationResult:
        """Run the handler."""
        context = Context(name, f"arn:aws:lambda:us-east-1:123456789012:function:{name}", "1024", "r", float("inf"))
        return InvocationResult(handler(event, context))


def main(port: int) -> None:
    """Respond until the process ends."""
    variables = {AUTH_STAGE_VARIABLE: IAM_AUTH}
    route = Route("api", "v1", "api", _TIMEOUT_S, binary=True, compress_from=None, variables=variables)
    api = RestApi(route, functions=cast("Functions", InProcess()), clock=Clock())
    Server(port, api.reply_to).open()
    threading.Event().wait()


if __name__ == "__main__":
    main(int(sys.argv[1]))
