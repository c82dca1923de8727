from __future__ import annotations

import argparse
import json
import traceback
from collections.abc import Sequence
from typing import Any


def getResolvedOptions(args: Sequence[str], options: Sequence[str]) -> dict[str, str]:  # noqa: N802 - Glue's name
    parser = argparse.ArgumentParser()
    for name in options:
        parser.add_argument(f"--{name}", required=True)
    return vars(parser.parse_known_args(args[1:])[0])


def makeOptions(sc: object, py_obj: Any) -> dict[str, Any]:  # noqa: N802 - Glue's name
    return json.loads(json.dumps(py_obj))


def callsite() -> str:
    return "".join(traceback.format_list(traceback.extract_stack()[:-2]))
