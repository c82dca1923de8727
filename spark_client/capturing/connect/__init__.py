"""Capture on Spark Connect, where there is no JVM beside the job."""
