"""One capture of one Spark session, from `capture(spark)` to the end of the program."""
