"""The estate in short: all jobs with their datasets, for a picture of groups."""
