"""The client's version, in events as a part of `producer`, and in requests as the user agent.

It stands here, and not in a distribution's metadata alone: a zip on `--py-files` has none.
"""

from __future__ import annotations

VERSION = "0.1.0"
USER_AGENT = f"headwater-client/{VERSION}"
PRODUCER = f"urn:headwater:spark_client:{VERSION}"
