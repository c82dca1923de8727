"""The run that made a row, and the run that changed it last, by the row's own id."""
