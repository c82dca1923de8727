"""Query plans of Spark, and the columns of their operators and expressions."""
