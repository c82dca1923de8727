"""Child processes, their ends and their time."""
