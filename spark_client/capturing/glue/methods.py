"""Methods of `awsglue` and `pyspark.ml` that note frames, from the first capture until the last one ends."""

from __future__ import annotations

from spark_client.capturing.glue.frames import glue_frames
from spark_client.capturing.glue.models import wrap_models


def wrap() -> None:
    """Begin for a capture."""
    glue_frames.open()
    wrap_models()


def unwrap() -> None:
    """End what `wrap` began; models' methods stay wrapped, and note nothing without a capture."""
    glue_frames.close()
