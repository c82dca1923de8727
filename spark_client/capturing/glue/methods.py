"""Methods of `awsglue` and `pyspark.ml` that note frames, from the first capture to the end of the last."""

from __future__ import annotations

from spark_client.capturing.glue.frames import glue_frames
from spark_client.capturing.glue.models import wrap_models


def wrap() -> None:
    """Begin for a capture."""
    glue_frames.open()
    wrap_models()


def unwrap() -> None:
    """End a capture; models' methods stay wrapped, and report nothing without a capture."""
    glue_frames.close()
