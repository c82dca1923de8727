"""An archive verified, as CloudTrail validates its log files: first the digests, then the objects that they list.

    read = read_digests(store, days, known)       the sealed days, and findings on the digests (`archive`)
    read.check(jobs).outcomes(after)              each object: as it was sealed, or a finding (`objects`)

Parquet tables are made of the objects and are not covered; nor is anything else in the bucket.
"""
