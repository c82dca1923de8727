"""The route of a record's proof: links to the objects that a page hashes, to prove a record as it was sealed."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import Links, respond
from headwater.api.records import types
from headwater.api.records.parameters import AFTER_DAY, PROVEN, ROOT_ID
from headwater.api.records.traces import check_time
from headwater.api.route import Services, Within, record_route
from headwater.records.proof import Proof
from headwater_model.errors import NotFound, print_value


def get_proof(services: Services, request: HttpRequest) -> Response[str]:
    """Find the proof that an archived record is as it was sealed.

    Nothing is proved here: the caller reads the object and the digests, and compares their hashes. A changed archive is
    therefore no error.

    Returns:
        The record's object, its SHA-256, and the digests from its day to the last, with links to each.
    """
    root_id, node_id, after = ROOT_ID.read(request), PROVEN.read(request), AFTER_DAY.read(request)
    check = check_time(request)
    proof = services.proofs.find(root_id, node_id, after=after, now_s=services.now_s(), check=check)
    if proof is None:
        raise NotFound(f"node: the root {print_value(root_id)} has no record {print_value(node_id)}")
    body: types.RecordProof = {
        "root_id": root_id,
        "node_id": node_id,
        "state": proof.state,
        "object": _render_object(proof, services.links),
        "digests": [
            {
                "day": digest.day,
                "key": digest.key,
                "size_bytes": digest.size_bytes,
                "location": services.links.to_stored_bytes(digest.key),
            }
            for digest in proof.digests
        ],
        "end": {"day": proof.end.day, "key": proof.end.key, "sha256": proof.end.sha256} if proof.end else None,
        "next": proof.digests[-1].day if proof.truncated else None,
        "fault": proof.fault,
    }
    return respond(body)


def _render_object(proof: Proof, links: Links) -> types.ProvenObject | None:
    archive_object = proof.object
    if archive_object is None:
        return None
    return {
        "day": archive_object.day,
        "key": archive_object.key,
        "sha256": archive_object.sha256,
        "size_bytes": archive_object.size_bytes,
        "records": archive_object.records,
        "lines": archive_object.lines,
        "listed": proof.listed,
        "location": links.to_stored_bytes(archive_object.key),
    }


ROUTES = (
    record_route(
        "GET",
        "/api/v1/records/roots/<root_id>/proof",
        get_proof,
        within=Within.ROOT,
        parameters=(ROOT_ID, PROVEN, AFTER_DAY),
        returns=types.RecordProof,
        errors=(400, 404, 413, 503),
    ),
)
