"""`emit_records`: a record for each row of a DataFrame."""
