"""A record for each row of a DataFrame: `emit_records`."""
