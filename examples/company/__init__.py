"""The lineage of an invented company: 300 jobs and 500 datasets over thirty nights, for demos and tests.

Nordwind sells things. Topics of its systems become bronze and silver in a lake, then staging, gold and marts in a
warehouse, then boards. All of it is a function of a seed and a time:

    estate = build_estate()
    for event in history_of(estate, end=datetime(2026, 11, 26, tzinfo=timezone.utc), days=30, seed=1):
        ...
"""
