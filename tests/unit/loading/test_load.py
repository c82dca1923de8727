"""Work on an event from the request to the graph table: it is checked and hashed once by each function."""

from types import SimpleNamespace

from headwater.aws.queues import QueuedMessage
from headwater.events.canonical import canonical
from headwater.events.ingest import EventQueue, accept_events
from headwater.events.name_rules import read_rules
from headwater.events.naming import NamingRules
from headwater.loading.event_log import EventLog
from headwater.loading.load import EventStores, load_events
from headwater.namespaces import Rights
from headwater_model.events import check_fields
from tests.builders_events import a_run_event
from tests.fakes.memory_table import MemoryS3, MemoryTable
from tests.work import calls_of

RULES = NamingRules(names=read_rules({"rules": [{"namespace": "s3a://*", "as": {"namespace": "s3://*"}}]}))


def test_an_event_is_checked_and_hashed_once_by_the_api_and_once_by_the_loader():
    table, s3, sent = MemoryTable(), MemoryS3().client(), []
    sqs = SimpleNamespace(send_message_batch=lambda Entries, **_: sent.extend(Entries) or {})  # noqa: N803
    queue = EventQueue(sqs, s3, "queue", "intake", rules=lambda: RULES)
    stores = EventStores(EventLog(table, s3, "archive"), table, s3, "intake", RULES)
    # The API names the datasets by the rules, too, for a sender who may not write everywhere.
    rights = Rights(writes=("emissions", "s3://*"))

    def accept():
        accepted = accept_events([a_run_event()], queue, now="2025-11-20T12:00:00.000000Z", rights=rights)
        assert accepted.failed == ()

    def load():
        assert load_events([QueuedMessage("1", sent[0]["MessageBody"])], stores, now_s=1_763_640_000).failed == {}

    assert [calls_of(work, of) for work in (accept, load) for of in (check_fields, canonical)] == [1, 1, 1, 1]
