"""Questions about fields, answered from the facts: the graph of columns, time ranges, reports."""
