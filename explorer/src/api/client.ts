/** Requests to the API, and their queries: addresses relative to the page, the reader's token, errors by call. */

import { queryOptions } from "@tanstack/react-query";
import { cutsOf, datasetOf, isAmbiguous, learnName } from "../url/ids";
import type { components, operations, paths } from "./schema";

/** A type of the API, by its name in the OpenAPI document. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

/** The id of an operation: what a reader may be allowed to do. */
export type Feature = keyof operations;

/** A route of the API. */
type Path = keyof paths;

type Json<T> = T extends { content: { "application/json": infer Body } } ? Body : never;
/** Body of a route's 200 response, by its path. */
export type ResponseOf<P extends Path> = paths[P] extends { get: { responses: { 200: infer Good } } }
  ? Json<Good>
  : never;

type Query = Record<string, string | number | boolean | readonly string[] | undefined>;

export class Failure extends Error {
  constructor(
    readonly call: string,
    readonly status: number,
    message: string,
    readonly retryAfterS: number | null = null,
  ) {
    super(message);
  }

  /** True where the same call may go well in a moment; offline, it is not tried again before the reader is back. */
  get isPassing(): boolean {
    if (this.message === OFFLINE) return false;
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

export const OFFLINE = "You are offline";

const STORED = "headwater.token";

/** The states of the dialog for the token. It opens at the first refusal, and after *Not now* on demand alone. */
type TokenState = "none needed" | "asked for" | "declined";

/** A way in at the issuer of a company, where the API has it. */
export interface Door {
  /** The issuer's host. */
  readonly issuer: string;
  /** True if the reader signed in earlier in this tab: a reload leads to the issuer and back by itself. */
  readonly isKnown: boolean;
  /** The reason why the last sign-in failed; empty if it did not. */
  readonly failure: string;
  signIn(): Promise<void>;
  signOut(): Promise<void>;
  /** A new token; null if the issuer gives none. */
  renew(): Promise<string | null>;
}

/** The reader's token: in memory, or for this tab where the reader chose so; never in a URL. */
class TokenStore {
  private token = sessionStorage.getItem(STORED) ?? "";
  private state: TokenState = "none needed";
  private renewal: Promise<string | null> | null = null;
  private search: Promise<Door | null> | null = null;
  /** The door of a signed-in reader, or of an API that refused; and the search for the door, by a feature. */
  door: Door | null = null;
  findDoor: () => Promise<Door | null> = async () => null;
  /** Counts readers: a renewed token is the same reader's. */
  reader = 0;
  private readonly listeners = new Set<() => void>();

  get = () => this.token;
  getState = () => this.state;
  subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  set(token: string, keep: boolean): void {
    this.token = token;
    this.reader += 1;
    if (keep && token) sessionStorage.setItem(STORED, token);
    else sessionStorage.removeItem(STORED);
    this.enter("none needed");
  }

  /** The API has refused a request for want of a valid token. */
  async need(): Promise<void> {
    if (this.state !== "none needed") return;
    const first = this.door === null;
    this.search ??= this.findDoor();
    this.door ??= await this.search;
    if (this.state !== "none needed") return;
    if (first && this.door?.isKnown && !this.token) {
      this.state = "declined";
      await this.door.signIn();
    } else this.enter("asked for");
  }

  /** True if the reader has a newer token than the refused token. */
  async renew(refused: string): Promise<boolean> {
    if (this.token !== refused) return this.token !== "";
    if (!refused || !this.door) return false;
    this.renewal ??= this.door.renew().finally(() => {
      this.renewal = null;
    });
    const token = await this.renewal;
    if (token) this.token = token;
    return token !== null;
  }

  /** The reader opens the dialog, or closes it without a token. */
  ask = () => this.enter("asked for");
  decline = () => this.enter("declined");

  private enter(state: TokenState): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}

export const tokens = new TokenStore();

export function addressOf(path: string, parts: Record<string, string>, query: Query): URL {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parts[name] ?? ""));
  // Every view is one segment below `explore/`.
  const url = new URL(`..${filled}`, document.baseURI);
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === "" || value === false) continue;
    for (const item of Array.isArray(value) ? (value as readonly string[]) : [value])
      url.searchParams.append(name, String(item));
  }
  return url;
}

interface Call {
  parts?: Record<string, string>;
  query?: Query;
  signal?: AbortSignal;
  method?: string;
  body?: unknown;
}

export const get = async <P extends Path>(path: P, call: Call = {}): Promise<ResponseOf<P>> =>
  (await send(path, call)).json() as Promise<ResponseOf<P>>;

/** Send a change to the API, and return the response's JSON. */
export const change = async (path: string, call: Call): Promise<unknown> => (await send(path, call)).json();

/** Return a response as text: CSV, or JSON lines. */
export const getText = async (path: Path, call: Call = {}) => (await send(path, call, "*/*")).text();

/** Return the bytes behind a signed link of a response, as they are stored; the link itself is the secret. */
export async function getBytes(location: string, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  const url = new URL(location);
  const call = `GET ${url.origin}${url.pathname}`;
  if (!/^https?:$/.test(url.protocol)) throw new Failure(call, 0, "this is no link of the web");
  const stored = { signal: signal ?? null, credentials: "omit", cache: "no-store" } as const;
  const response = await fetchAs(call, url, stored, () => "the archive did not respond");
  if (!response.ok) throw new Failure(call, response.status, `the archive responded with ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Fetch; without a response, fail with the name of the call and the reason. */
export async function fetchAs(call: string, url: URL, init: RequestInit, reason: () => string): Promise<Response> {
  try {
    return await fetch(url, { ...init, referrerPolicy: "no-referrer" });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Failure(call, 0, reason());
  }
}

const noResponse = () =>
  navigator.onLine ? "the API did not respond, or its response is where the browser may not read it" : OFFLINE;

async function send(path: string, given: Call, accept = "application/json"): Promise<Response> {
  const { parts = {}, query = {}, signal = null, method = "GET", body } = given;
  // A browser takes such a segment of an address away, however it is encoded.
  const dots = Object.values(parts).find((part) => part === "." || part === "..");
  if (dots) throw new Failure(path, 400, `a browser cannot ask for the name “${dots}”; its map can be drawn`);
  const url = addressOf(path, parts, query);
  const call = `${method} ${url.pathname}${url.search}`;
  const token = tokens.get();
  const headers = {
    Accept: accept,
    ...(body !== undefined && { "Content-Type": "application/json" }),
    ...(token && { Authorization: `Bearer ${token}` }),
  };
  const sent = { method, headers, signal, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const response = await fetchAs(call, url, sent, noResponse);
  if (response.ok) return response;
  if (response.status === 401 && (await tokens.renew(token))) return send(path, given, accept);
  if (response.status === 401) void tokens.need();
  throw new Failure(call, response.status, await messageOf(response), secondsOf(response.headers.get("Retry-After")));
}

async function messageOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    if (typeof message === "string") return message;
  } catch {
    // Not the API's own: API Gateway's, or a proxy's.
  }
  // The text of a page means: a gateway responded, not the API.
  const isPage = text.trimStart().startsWith("<");
  return isPage ? "a gateway or proxy responded, not the API" : text.slice(0, 300) || response.statusText;
}

function secondsOf(text: string | null): number | null {
  const seconds = Number(text);
  return text && Number.isFinite(seconds) && seconds >= 0 ? seconds : null;
}

type Parts = Record<string, string>;

/** Return the query of a route: the call is its key. */
export const call = <P extends Path, T = ResponseOf<P>>(path: P, query: Query = {}, parts: Parts = {}) =>
  queryOptions({
    queryKey: [path, query, parts],
    queryFn: ({ signal }) => get(path, { parts, query, signal }) as Promise<T>,
  });

/** Return the query of a route about a dataset or a job, or about a part of it: `{row_id: "183"}`. */
export const callOf = <P extends Path, T = ResponseOf<P>>(
  path: P,
  node: string,
  query: Query = {},
  parts: Parts = {},
) =>
  queryOptions({
    queryKey: [path, node, query, parts],
    queryFn: ({ signal }) => getOf(path, node, query, signal, parts) as Promise<T>,
  });

/** Try the cuts of a node's id, likeliest first, until the API knows the node. */
export async function getOf<P extends Path>(
  path: P,
  node: string,
  query: Query,
  signal?: AbortSignal,
  parts: Parts = {},
) {
  await learnCut(node);
  let failure: unknown;
  for (const { namespace, name } of cutsOf(node)) {
    try {
      return await get(path, { parts: { ...parts, namespace, dataset: name, job: name }, query, signal });
    } catch (error) {
      if (!(error instanceof Failure) || error.status !== 404) throw error;
      failure ??= error;
    }
  }
  const rule = `node: must be dataset:<namespace>:<name> or job:<namespace>:<name>, got ${node}`;
  throw failure ?? new Failure("the address", 400, rule);
}

const asked = new Map<string, Promise<void>>();

/** Learn how an id is cut, where that is not clear: the graph has both parts, so that no route is tried in vain. */
async function learnCut(id: string): Promise<void> {
  if (!isAmbiguous(id)) return;
  const node = datasetOf(id);
  const request = asked.get(node) ?? askCut(node).catch(() => void asked.delete(node));
  asked.set(node, request);
  await request;
}

async function askCut(nodeId: string): Promise<void> {
  const query = { nodeId, depth: 0, direction: "up" as const, fold: 1, form: "summary" as const };
  const { graph } = await get("/api/v1/lineage", { query });
  for (const { id, data } of graph) if (id === nodeId && data) learnName(id, data);
}
