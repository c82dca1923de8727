/** Parts shared by views: waiting, empty, failures, names, times. */

import { type QueryKey, type UseQueryOptions, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Link, useLocation, useSearch } from "wouter";
import { Failure, OFFLINE, tokens } from "../api/client";
import { NAMESPACES } from "../api/queries";
import type { NodeChange } from "../model/compare";
import { agoOn, local, utc } from "../model/format";
import { jobId, kindOf, nameOf } from "../url/ids";
import { columnsLink, link, mapLink, type View } from "../url/state";
import { Button, Chip, LinkButton, Select } from "./controls";
import { Pin } from "./pin";
import { KindOf, Name } from "./signs";

export function Skeleton({ rows = 6 }: { rows?: number }) {
  return (
    <div role="status" aria-busy="true" aria-label="loading">
      {Array.from({ length: rows }, (_, row) => (
        <div className="bone" key={row} style={{ width: `${92 - ((row * 17) % 40)}%` }} />
      ))}
    </div>
  );
}

export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

const UNREADABLE = "It has another form than this page knows. After an update of the service, load the page again.";

/** A failed call: its name, the reason, and the time to try again. */
export function ErrorState({ error, retry }: { error: unknown; retry: () => void }) {
  const failure = error instanceof Failure ? error : new Failure(String(error), 0, UNREADABLE);
  const [left, setLeft] = useState(failure.retryAfterS ?? 0);
  useEffect(() => {
    if (left <= 0) return;
    const timer = setTimeout(() => {
      if (left <= 1) retry();
      setLeft(left - 1);
    }, 1000);
    return () => clearTimeout(timer);
  }, [left, retry]);
  const [isRefused, isMissing] = [failure.status === 401, failure.status === 404];
  return (
    <div className="failure" role="alert">
      <h2>{TITLES[failure.status] ?? titleOf(failure, error)}</h2>
      <p>
        {isRefused ? `The API gives ${failure.call.replace(/\?.*/, "")} to readers that it knows.` : failure.message}
      </p>
      {!isRefused && <p className="mono small muted">{failure.call}</p>}
      <div className="actions">
        {isRefused ? (
          <Button main press={tokens.ask}>
            Sign in
          </Button>
        ) : (
          <Button press={retry}>Try again{left > 0 ? ` (in ${left} s)` : ""}</Button>
        )}
        {isMissing && <LinkButton to={link("search", {})}>Search</LinkButton>}
      </div>
    </div>
  );
}

const TITLES: Readonly<Record<number, string>> = { 401: "This page needs a token", 404: "Not found" };

function titleOf({ status }: Failure, error: unknown): string {
  if (status) return `The API responded with ${status}`;
  return error instanceof Failure ? "No response" : "The response could not be read";
}

interface LoadedProps<T> {
  of: UseQueryResult<T>;
  rows?: number;
  /** The last result beside a failure: its name and its address are kept. */
  keep?: string;
  children: (value: T) => ReactNode;
}

/** A query's result. The last result stays while the next loads; with `keep`, also where the next fails. */
export function Loaded<T>({ of, rows = 6, keep, children }: LoadedProps<T>) {
  const [, navigate] = useLocation();
  const last = useRef<{ of: string; value: T; href: string }>(undefined);
  const href = useHref();
  useEffect(() => {
    if (keep && of.data !== undefined && !of.isPlaceholderData) last.current = { of: keep, value: of.data, href };
  });
  const kept = keep && last.current?.of === keep ? last.current : null;
  const value = of.data ?? (of.error && kept ? kept.value : undefined);
  if (value !== undefined) {
    const isKept = of.data === undefined;
    return (
      <>
        {isKept && kept && of.error && (
          <div className="notice warn" role="alert">
            {noticeOf(of.error)} What is drawn is from before.
            <Chip press={() => void of.refetch()}>Try again</Chip>
            <Chip press={() => navigate(kept.href, { replace: true })}>Back</Chip>
          </div>
        )}
        <div key="drawn" className={isKept ? "drawn kept" : "drawn"}>
          {children(value)}
        </div>
      </>
    );
  }
  if (of.error) return <ErrorState error={of.error} retry={() => void of.refetch()} />;
  return <Skeleton rows={rows} />;
}

type AskedProps<F, T, K extends QueryKey> = Omit<LoadedProps<T>, "of"> & { query: UseQueryOptions<F, Error, T, K> };

/** The result of a query of its own. */
export const Asked = <F, T, K extends QueryKey>({ query, ...rest }: AskedProps<F, T, K>) => (
  <Loaded of={useQuery(query)} {...rest} />
);

/** What is made once it is opened. */
export function Opened({ title, look, children }: { title: ReactNode; look?: string; children: () => ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={look} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children()}
    </details>
  );
}

/** Address of the view, as links write it. */
function useHref(): string {
  const [path] = useLocation();
  const query = useSearch();
  return query ? `${path}?${query}` : path;
}

/** The reason for a view without data, in a sentence. */
function noticeOf(error: Error): string {
  if (error.message === OFFLINE) return `${OFFLINE}: this did not load.`;
  if (!(error instanceof Failure)) return `This did not load: ${UNREADABLE}`;
  return `This did not load: ${error.status ? `the API responded with ${error.status}, ` : ""}${error.message}.`;
}

export function When({ time }: { time: string | null }) {
  return time ? (
    <time dateTime={time} title={`${utc(time)} UTC\n${local(time)}`}>
      {agoOn(time, Date.now())}
    </time>
  ) : (
    <>–</>
  );
}

const WORDS = { dataset: "Dataset", job: "Job", field: "Column" } as const;

interface HeadProps {
  sign: ReactNode;
  word: ReactNode;
  title: ReactNode;
  isMono?: boolean;
  children?: ReactNode;
}

/** The heading of a page: a sign, the kind of thing, its name. */
export const Head = ({ sign, word, title, isMono, children }: HeadProps) => (
  <header className="head">
    {sign}
    <div>
      <div className="kind-word">{word}</div>
      <h1 className={isMono ? "mono" : undefined}>{title}</h1>
      {children}
    </div>
  </header>
);

interface Named {
  id: string;
  name?: string;
  where?: string | null;
}

/** The heading of a page about a node. */
export function NodeHead({ id, name, where, children }: Named & { children?: ReactNode }) {
  const kind = kindOf(id) ?? "dataset";
  const guessed = nameOf(id);
  const place = where ?? guessed.namespace;
  const word = (
    <>
      {WORDS[kind]} in {place} <Pin id={id} names={name && where ? { namespace: where, name } : undefined} />
    </>
  );
  return (
    <Head
      sign={<KindOf of={kind} namespace={place} />}
      word={word}
      title={<Name text={name ?? [guessed.name, guessed.field].filter(Boolean).join(" · ")} />}
    >
      {children}
    </Head>
  );
}

export function pageOf(id: string): string {
  const kind = kindOf(id);
  if (kind === "field") return columnsLink({ node: id, dir: "up" });
  return link(kind === "job" ? "job" : "dataset", { node: id });
}

/** Return the map of a node; of a column, the way from its sources. */
export const mapOf = (id: string, at = "") =>
  kindOf(id) === "field" ? columnsLink({ node: id, at, dir: "up" }) : mapLink({ node: id, at });

/** A link to a node, with its sign and where it is. */
export function NodeLink({ id, name, where, href }: Named & { href?: string }) {
  const guessed = nameOf(id);
  const place = where ?? guessed.namespace;
  return (
    <span className="named">
      <KindOf of={kindOf(id) ?? "dataset"} namespace={place} />
      <span>
        <Link href={href ?? mapOf(id)}>
          <Name text={name ?? [guessed.name, guessed.field].filter(Boolean).join(".")} />
        </Link>
        {where !== null && <span className="where"> {place}</span>}
      </span>
    </span>
  );
}

export const JobLink = ({ job }: { job: { namespace: string; name: string } }) => (
  <NodeLink id={jobId(job)} name={job.name} where={job.namespace} />
);

export function download(name: string, type: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const anchor = Object.assign(document.createElement("a"), { href: url, download: name });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Return the named values of the view's address; an empty text without one. */
export function useAddress<N extends string>(...names: readonly N[]): Record<N, string> {
  const query = new URLSearchParams(useSearch());
  return Object.fromEntries(names.map((name) => [name, query.get(name) ?? ""])) as Record<N, string>;
}

export function NamespaceChoice({ value, choose }: { value: string; choose: (namespace: string) => void }) {
  const names = useQuery(NAMESPACES).data?.namespaces.map(({ name }) => name) ?? [];
  return <Select label="namespace" none="all namespaces" value={value} among={names} choose={choose} />;
}

/** The title of a page, with the namespace that it is narrowed to. */
export const TitleOf = ({ title, namespace }: { title: string; namespace: string }) => (
  <h1>
    {title}
    {namespace && " of "}
    {namespace && <span className="mono">{namespace}</span>}
  </h1>
);

/** The way from a namespace back to all; nothing without one. */
export const AllNamespaces = ({ view, namespace }: { view: View; namespace: string }) =>
  namespace && (
    <>
      {" "}
      <Link href={link(view)}>All namespaces</Link>
    </>
  );

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title ? `${title} · Headwater` : "Headwater";
  }, [title]);
}

interface AsOfProps {
  at: string;
  back: (now: { at: string; vs: string }) => void;
  children?: ReactNode;
}

/** The past time on show, and the way back. */
export const AsOf = ({ at, back, children }: AsOfProps) =>
  at && (
    <div className="notice" role="status">
      <b>As of {utc(at)} UTC.</b> {children} <Chip press={() => back({ at: "", vs: "" })}>Now</Chip>
    </div>
  );

interface ChangesProps {
  changes: ReadonlyMap<string, NodeChange>;
  vs: string;
  end: () => void;
  /** The links to the changes; without changes, a text instead. */
  children?: ReactNode;
}

/** Counts of a comparison, and the way out of it. */
export function ChangesBar({ changes, vs, end, children }: ChangesProps) {
  const count = (kind: NodeChange) => [...changes.values()].filter((change) => change === kind).length;
  return (
    <div className="notice" role="status">
      <b>Since {utc(vs)} UTC:</b>
      {changes.size === 0 ? (
        <span>nothing that is drawn here came, went or changed.</span>
      ) : (
        <>
          <span className="added">+ {count("added")} added</span>
          <span className="removed">− {count("removed")} removed</span>
          <span className="changed">~ {count("changed")} changed</span>
          {count("joined") > 0 && <span className="joined">+ {count("joined")} new here, existed before</span>}
        </>
      )}
      {children}
      <Chip press={end}>End comparison</Chip>
    </div>
  );
}

/** Facets as they were sent: text, never markup. */
export function Facets({ facets }: { facets: Record<string, unknown> }) {
  const names = Object.keys(facets).sort();
  if (!names.length) return <p className="muted">No facets were sent.</p>;
  return (
    <>
      {names.map((name) => (
        <details key={name} className="card">
          <summary>
            <b className="mono">{name}</b>
          </summary>
          <pre>{JSON.stringify(facets[name], null, 2)}</pre>
        </details>
      ))}
    </>
  );
}
