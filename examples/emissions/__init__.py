"""The story of the demo: what the flights out of New York in 2013 burnt, and where each figure comes from."""
