"""Query plans of Spark, and the columns that their operators and expressions make."""
