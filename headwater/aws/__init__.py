"""The AWS services as the domain uses them: every batch response's failures are read and tried again."""
