/** The routes of a stack on this machine, which no API Gateway has. */

import { addressOf, Failure, fetchAs } from "./client";

export interface Demo {
  state: "NONE" | "RUNNING" | "COMPLETED" | "FAILED";
  stage: string;
  /** A view with its query, of a completed run. */
  link: string;
  error: string;
}

/** Return the run of the demo's pipeline; null where no local stack serves the page. */
export async function demo(signal?: AbortSignal): Promise<Demo | null> {
  const response = await send("GET", signal);
  // A response that is not read keeps its connection.
  const text = await response.text();
  return response.status === 200 ? demoIn(text) : null;
}

/** Start a run, or return the one that is under way. */
export async function startDemo(): Promise<Demo> {
  const response = await send("POST");
  const text = await response.text();
  const demo = demoIn(text);
  if (!demo) throw new Failure("POST /local/demo", response.status, text.slice(0, 300));
  return demo;
}

const send = (method: "GET" | "POST", signal?: AbortSignal) =>
  fetchAs(
    `${method} /local/demo`,
    addressOf("/local/demo", {}, {}),
    { method, signal: signal ?? null },
    () => "the stack on this machine did not respond",
  );

/** Return what is no page of some proxy, but a run. */
function demoIn(text: string): Demo | null {
  try {
    const demo = JSON.parse(text) as Partial<Demo> | null;
    return demo?.state ? { stage: "", link: "", error: "", ...demo, state: demo.state } : null;
  } catch {
    return null;
  }
}
