"""OpenLineage events -> runs -> job and dataset versions -> the current graph.

Way in: `wire` and `parse` (an event), `intake` (onto the queue), `load` (facts into the graph table).
Way out: `questions` asks what `found` shapes; `graph` walks. In between: `facts` grow, `rows` index them.
"""
