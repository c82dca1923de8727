"""Verification of an archive, in the manner of CloudTrail's log files: the digests, then their objects.

    read = read_digests(store, days, known)       the sealed days, and findings on the digests (`archive`)
    read.check(jobs).outcomes()                   each object: as it was sealed, or a finding (`objects`)

Parquet tables are made of the objects and are not covered; nor is anything else in the bucket.
"""
