"""Headwater: the service (records, runs and fields) and its command line (`headwater.cli`)."""
