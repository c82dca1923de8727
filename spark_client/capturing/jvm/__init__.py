"""Executions read out of the JVM."""
