/** The page in a test: a view by its address, in happy-dom, over responses by their paths. */

import { QueryClientProvider } from "@tanstack/react-query";
import { cleanup, configure, render } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, vi } from "vitest";
import { Router } from "wouter";
import type { Schema } from "./api/client";
import { newQueryClient } from "./api/query-client";
import { App } from "./app";

/** A request's path, and its response: JSON, a status with a message, or a function of the address and the body. */
export type Responses = Record<string, unknown>;
type Respond = (address: URL, sent?: unknown) => unknown;

export const refused = (status: number, message = "no") => new Response(JSON.stringify({ message }), { status });

export const ME: Schema<"Me"> = {
  caller: "user/ann",
  scopes: ["read", "write", "records"],
  namespaces: ["*"],
  writes: ["*"],
  references: [],
  strictNamespaces: false,
  roots: ["*"],
  features: [
    ...["search", "listAllJobs", "getLineage", "getDataset", "getJob", "getRun", "searchRecords", "listFeed"],
    ...["reportCoverage", "reportUsage", "reportDurations", "reportImpact", "listFailingTests"],
    ...["tagDataset", "addDatasetOwner", "describeDataset"],
  ],
  expiresAt: null,
  stage: "",
};

// A busy machine may be late.
configure({ asyncUtilTimeout: 20_000 });
// A download leaves the page where it is.
HTMLAnchorElement.prototype.click = () => undefined;

let client = newQueryClient();

afterEach(() => {
  cleanup();
  client.clear();
  localStorage.clear();
  vi.unstubAllGlobals();
});

/** Open a view; `calls` are the addresses of its requests, in their order. */
export function openPage(address: string, responses: Responses = {}) {
  const calls: string[] = [];
  const respond = async (url: URL, { body }: RequestInit = {}) => {
    calls.push(url.pathname + url.search);
    const known: Responses = { "/api/v1/me": ME, ...responses };
    const response = known[decodeURIComponent(url.pathname)] ?? refused(404);
    const given =
      typeof response === "function" ? await (response as Respond)(url, JSON.parse(String(body ?? "null"))) : response;
    return given instanceof Response ? given.clone() : new Response(JSON.stringify(given));
  };
  vi.stubGlobal("fetch", vi.fn(respond));
  history.replaceState(null, "", `/explore/${address}`);
  client = newQueryClient();
  const user = userEvent.setup({ delay: null });
  render(
    <QueryClientProvider client={client}>
      <Router base="/explore">
        <App />
      </Router>
    </QueryClientProvider>,
  );
  return { user, calls };
}
