"""Events of Spark before the listener of a capture is compiled."""

from __future__ import annotations

from typing import Any

_INTERFACE = "org.apache.spark.scheduler.SparkListenerInterface"
_EVENT_HANDLER = "java.beans.EventHandler"
# Events that may wait; tasks have events, too.
_EVENTS_MAX = 20_000


class EarlyEvents:
    """Listener made of Java's own classes, without compilation: it keeps the events of Spark's bus in a queue.

    A small Java may lack the classes (the module java.desktop); the listener is not open then.
    """

    def __init__(self, jvm: Any, context: Any) -> None:
        self._context = context
        self.queue = jvm.java.util.concurrent.LinkedBlockingQueue(_EVENTS_MAX)
        self.is_open = False
        loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
        interface = jvm.java.lang.Class.forName(_INTERFACE, False, loader)
        try:
            # Each call offers its argument to the queue: `onJobStart(event)` is `queue.offer(event)`.
            self._listener = getattr(jvm, _EVENT_HANDLER).create(interface, self.queue, "offer", "")
        except Exception:  # noqa: BLE001 - py4j raises the platform's own errors
            return
        context.addSparkListener(self._listener)
        self.is_open = True

    def close(self) -> None:
        """Keep no more events."""
        if self.is_open:
            self._context.removeSparkListener(self._listener)
