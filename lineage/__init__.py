"""What the service knows and keeps: records, runs and fields. Imports no folder above it."""
