"""The command line as a module: `python -m headwater`."""

import sys

from headwater.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
