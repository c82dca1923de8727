"""Runs, and the versions of jobs and datasets that they read and made."""
