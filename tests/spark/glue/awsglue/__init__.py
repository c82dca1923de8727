"""Stand-in for AWS's package, whose other half is in Glue's JVM: its classes, methods and parameters are AWS's own.

Names and parameters are those of https://github.com/awslabs/aws-glue-libs (Glue 5.1 and 6.0). What Glue's JVM does is
done by `jvm`, with frames whose plans are an RDD, as those of Glue are.
"""

from awsglue.dynamicframe import DynamicFrame

__all__ = ["DynamicFrame"]
