import { expect, test } from "vitest";

import { storeOf } from "./kinds";

test.each([
  ["s3://lake", "S3"],
  ["s3a://lake", "S3"],
  ["snowflake://nordwind.eu-central-1", "Snowflake"],
  ["kafka://broker.nordwind.example:9092", "Kafka"],
  ["abfss://container@account.dfs.core.windows.net", "Azure storage"],
  ["arn:aws:glue:eu-central-1:123456789012", "Glue catalog"],
  ["arn:aws-cn:redshift:cn-north-1:1", "Redshift"],
  ["sqlserver://host:1433", "SQL Server"],
  ["bigquery", "BigQuery"],
  ["file", "files"],
  ["dashboards", "dashboards"],
  ["my-own-catalog", undefined],
  ["constructor", undefined],
  ["", undefined],
])("the sign of a dataset in %s is that of %s", (namespace, name) => expect(storeOf(namespace)?.name).toBe(name));
