"""The domain of the service: records, runs and fields. Imports no folder above it."""
