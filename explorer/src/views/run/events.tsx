/** The events of a run as they were sent, oldest first, fetched when they are asked for. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { type RawEvent, runEvents } from "../../api/queries";
import { utc } from "../../model/format";
import { Loaded } from "../../parts/frame";

export function Events({ id }: { id: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="card" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <b>As they were sent, oldest first</b>
      </summary>
      {isOpen && <Sent id={id} />}
    </details>
  );
}

function Sent({ id }: { id: string }) {
  const result = useQuery(runEvents(id));
  return (
    <Loaded of={result} rows={3}>
      {({ events, totalCount, truncated }) => (
        <>
          {events.length === 0 && <p className="muted">None is kept any more.</p>}
          {events.map((event, at) => (
            <OneEvent key={at} event={event} />
          ))}
          {(truncated || totalCount > events.length) && (
            <p className="muted">
              There are more: <code>GET /api/v1/events/lineage?runId={id}</code>
            </p>
          )}
        </>
      )}
    </Loaded>
  );
}

/** A member's text; what an event says is shown as text, whatever the event holds. */
const textOf = (event: RawEvent, member: string) =>
  typeof event[member] === "string" ? (event[member] as string) : "";

function OneEvent({ event }: { event: RawEvent }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <b>{textOf(event, "eventType") || "no type"}</b> {utc(textOf(event, "eventTime"))} UTC{" "}
        <span className="muted small">{textOf(event, "producer")}</span>
      </summary>
      {isOpen && <pre>{JSON.stringify(event, null, 2)}</pre>}
    </details>
  );
}
