"""Glue's DynamicFrames and models of pyspark.ml: frames whose steps Python notes, for no plan of Spark's has them."""
