"""Reports for people, on a column, on impact, on all jobs: as JSON, or as a table for a spreadsheet."""
