"""`headwater names`: rules that join the names of datasets."""
