"""Pages of jobs, datasets, columns and tags, and the search by words."""
