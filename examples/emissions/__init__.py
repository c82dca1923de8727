"""Story of the demo: the fuel that the flights out of New York in 2013 burnt, and the sources of each figure."""
