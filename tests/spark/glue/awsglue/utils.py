from __future__ import annotations

import argparse
from collections.abc import Sequence


def getResolvedOptions(arguments: Sequence[str], names: Sequence[str]) -> dict[str, str]:  # noqa: N802 - Glue's name
    parser = argparse.ArgumentParser()
    for name in names:
        parser.add_argument(f"--{name}", required=True)
    return vars(parser.parse_args(arguments[1:]))
