"""Reports on a field over a time range, for people: as JSON, or as a table for a spreadsheet."""
