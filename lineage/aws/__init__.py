"""The AWS services as the domain uses them: every batch answer's failures are read and tried again."""
