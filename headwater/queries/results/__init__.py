"""Results of queries, by thing: frozen values without a rule in them, which the dialects of the API render."""
