"""Every query of runs, jobs, datasets and columns; `service` is the only door for the API."""
