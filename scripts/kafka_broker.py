"""A Kafka broker on this machine, of jars alone, which makes topics by itself, for tests."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from local_stack.toolchain import with_java

_START_S = 120.0
_STOP_S = 30.0
# KRaft: broker and controller are one process, with a single copy of everything.
_SETTINGS = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
log.dirs={folder}/logs
num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
"""


@contextmanager
def running_broker(jars: Sequence[Path], folder: str) -> Iterator[str]:
    """Yield the address of a broker with its topics in `folder`, until the end of the block.

    Raises:
        subprocess.CalledProcessError: The folder could not be made ready; `output` has Kafka's reason.
        RuntimeError: The broker did not start; the message ends with its log.
    """
    port, controller = _free_ports()
    settings = Path(folder, "server.properties")
    settings.write_text(_SETTINGS.format(port=port, controller=controller, folder=folder), "utf-8")
    java = [f"{with_java(os.environ)['JAVA_HOME']}/bin/java", "-Xmx512m", "-cp", os.pathsep.join(map(str, jars))]
    format_ = ("kafka.tools.StorageTool", "format", "--cluster-id", "headwater-tests-000000", "--config", str(settings))
    subprocess.run([*java, *format_], check=True, capture_output=True, text=True, timeout=_START_S)  # noqa: S603 - our own
    log = Path(folder, "broker.log")
    with log.open("w") as output:
        broker = subprocess.Popen([*java, "kafka.Kafka", str(settings)], stdout=output, stderr=output)  # noqa: S603 - our own
        try:
            _wait(broker, port, log)
            yield f"127.0.0.1:{port}"
        finally:
            broker.terminate()
            with suppress(subprocess.TimeoutExpired):
                broker.wait(_STOP_S)
            broker.kill()
            broker.wait()


def _free_ports() -> tuple[int, int]:
    with socket.socket() as first, socket.socket() as second:
        first.bind(("127.0.0.1", 0))
        second.bind(("127.0.0.1", 0))
        return first.getsockname()[1], second.getsockname()[1]


def _wait(broker: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Wait until the broker listens."""
    until = time.monotonic() + _START_S
    while broker.poll() is None and time.monotonic() < until:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.2)
    raise RuntimeError(f"no Kafka on port {port}:\n{log.read_text('utf-8')[-2000:]}")
