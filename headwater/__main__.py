"""The command line as a module: `python -m headwater`."""

from __future__ import annotations

import sys

from headwater.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
