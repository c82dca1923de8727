"""Releases: templates for CloudFormation alone, and `headwater deploy`, which brings them into an account."""
