"""OpenLineage events -> runs -> job and dataset versions -> the current graph.

    door/       what is sent: read, named, queued
    log/        every event as it was sent, and the graph made anew from them
    facts/      what events say, as facts that only grow; the rows they lie in; the current graph worked out from them
    answers/    walks, versions and lists, found in the facts

`event` is what comes in, `apply` what is made of it (`load` of a queue's messages), `questions` all that may be asked,
`found` what is answered.
"""
