"""Pages of jobs, datasets, columns, tags and news, and the search by words."""
