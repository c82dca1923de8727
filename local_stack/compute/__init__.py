"""Lambda, its pollers and schedules, state machines and Spark jobs."""
