/** Facts of a thing: its tags, owners and tests, how old its data is, its errors, its version. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { ResponseOf } from "../api/client";
import { OLD_DATA } from "../api/list-queries";
import { lastRuns, type TestResult } from "../api/queries";
import { type FieldChange, writeChange } from "../model/compare";
import { errorOf, shortError } from "../model/facets";
import { lasting, local, plural, usualDurationMs, utc } from "../model/format";
import { type Freshness, troubleOf } from "../model/freshness";
import type { Item } from "../model/graph";
import { link } from "../url/state";
import { Fact, MonoLink } from "./controls";
import { Head, When } from "./frame";
import { useReader } from "./reader";
import { SignOf, Stale, StateOf, Tinted } from "./signs";
import { type ColumnOf, NONE } from "./table";

export const TagHead = ({ tag, children }: { tag: string; children?: ReactNode }) => (
  <Head sign={<Tinted look="muted" of="tag" />} word="Tag" title={tag}>
    {children}
  </Head>
);

/** Tags, each a link to its datasets, jobs and columns. */
export function Tags({ names }: { names: readonly string[] }) {
  return (
    <span className="tags">
      {names.map((name) => (
        <Link key={name} className="tag" href={link("search", { tag: name })} title={`all that is tagged ${name}`}>
          <SignOf of="tag" />
          {name}
        </Link>
      ))}
    </span>
  );
}

/** A column of tags. */
export const tags = <T,>(of: (row: T) => readonly string[]): ColumnOf<T> => ({
  name: "Tags",
  by: (row) => of(row).join(),
  cell: (row) => (of(row).length ? <Tags names={of(row)} /> : NONE),
});

export function Owners({ owners }: { owners: readonly { name: string; type: string | null }[] }) {
  return (
    <>
      {owners.map(({ name, type }) => (
        <div key={`${name} ${type}`}>
          {name}
          {type && <span className="muted"> {type.toLowerCase()}</span>}
        </div>
      ))}
    </>
  );
}

/** The number of failing tests, with a sign; nothing where all pass. */
export function FailingTests({ tests }: Pick<Item, "tests">) {
  if (!tests || tests.failed + tests.warned === 0) return null;
  if (tests.failed > 0)
    return (
      <span className="state removed">
        <SignOf of="failed" />
        {plural(tests.failed, "test fails", "tests fail")}
      </span>
    );
  return <Stale>{plural(tests.warned, "test warns", "tests warn")}</Stale>;
}

/** The failing tests, or a pass of all. */
export function TestsOf({ tests }: Pick<Item, "tests">) {
  if (!tests) return null;
  const bad = tests.warned + tests.failed;
  return (
    <Fact of="Tests">
      {bad > 0 ? <FailingTests tests={tests} /> : <StateOf state="COMPLETED">pass</StateOf>}{" "}
      <span className="muted">of {tests.passed + bad}</span>
    </Fact>
  );
}

/** The subject of a test: its name, or its type and column. */
export const nameOfTest = ({ name, type, column }: TestResult) => name ?? [type, column].filter(Boolean).join(" of ");

export function Outcome({ result }: { result: TestResult }) {
  if (result.outcome === "PASSED") return <StateOf state="COMPLETED">passed</StateOf>;
  if (result.outcome === "WARNED") return <Stale>warned</Stale>;
  return <StateOf state="FAILED" />;
}

/** Each result in a line. */
export function TestList({ results }: { results: readonly TestResult[] }) {
  return (
    <ul className="plain">
      {results.map((result, index) => (
        <li key={index}>
          <Outcome result={result} /> <span className="mono">{nameOfTest(result)}</span>{" "}
          {result.actual !== null && (
            <span>
              {result.actual}
              {result.expected !== null && `, expected ${result.expected}`}{" "}
            </span>
          )}
          <span className="muted">
            <When time={result.at} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Marks by node id; null: not known; undefined: not there yet. */
export type Marks = ReadonlyMap<string, Freshness> | null | undefined;

/** Return the marks by node id; null of a service without the report on old data. */
export function useOldData(enabled = true): Marks {
  const { data, isPending } = useQuery({ ...OLD_DATA, select: toMarks, staleTime: 60_000, enabled });
  return enabled && isPending ? undefined : (enabled && data) || null;
}

const toMarks = ({ datasets }: ResponseOf<"/api/v1/reports/old-data">) =>
  new Map(
    datasets.map(({ nodeId, lateSince, onOldDataSince, writtenAt: written }) => [
      nodeId,
      { late: lateSince !== null, isOnOldData: onOldDataSince !== null, written },
    ]),
  );

/** When a dataset was written; amber with a word, if it is late or on old data. */
export function Written({ time, freshness }: { time: string | null; freshness: Freshness | undefined }) {
  const trouble = troubleOf(freshness);
  return (
    <span className={trouble ? "changed" : undefined}>
      {(time || !trouble) && <When time={time} />}
      {time && trouble && ", "}
      {trouble}
    </span>
  );
}

// Twice as long as usual may be a busy day; so many times is worth a look.
const LONG = 3;

/** The state of a running run; `job` is the node id of its job. */
export function Running({ job, startedAt }: { job: string; startedAt: string | null }) {
  const { data } = useQuery({ ...lastRuns(job), enabled: startedAt !== null });
  if (startedAt === null) return <StateOf state="RUNNING" />;
  const forMs = Math.max(0, Date.now() - Date.parse(startedAt));
  const usualMs = usualDurationMs(data?.runs ?? []);
  return (
    <>
      <StateOf state="RUNNING">
        running for{" "}
        <time dateTime={startedAt} title={`since ${utc(startedAt)} UTC\n${local(startedAt)}`}>
          {lasting(forMs)}
        </time>
      </StateOf>
      {usualMs !== null && (
        <span className={forMs > LONG * usualMs ? "changed" : "muted"}> (usually {lasting(usualMs)})</span>
      )}
    </>
  );
}

/** The error of a run, by its facets; nothing without an error. */
export function RunError({ facets }: { facets: Record<string, unknown> }) {
  const error = errorOf(facets);
  return error === null ? null : (
    <>
      <h2 className="removed">✕ Error</h2>
      <ErrorText text={error} />
    </>
  );
}

export function ErrorText({ text }: { text: string }) {
  const short = shortError(text);
  return (
    <>
      <pre>{short}</pre>
      {short !== text.trimEnd() && (
        <details>
          <summary className="small muted">The whole error</summary>
          <pre>{text}</pre>
        </details>
      )}
    </>
  );
}

export const SchemaChanges = ({ changes }: { changes: readonly FieldChange[] }) => (
  <span className="mono">
    {changes.map((change) => (
      <span key={change.name} className={change.change}>
        {writeChange(change)}{" "}
      </span>
    ))}
  </span>
);

type Origin = ResponseOf<"/api/v1/column-lineage/origins">["versions"][number];

export function OriginLines({ version: { version, run, roots } }: { version: Origin }) {
  const { can } = useReader();
  return (
    <>
      <span className="mono">{version.slice(0, 8)}</span>{" "}
      {run && (
        <>
          <StateOf state={run.state} /> <Link href={link("run", { id: run.id })}>{run.job.name}</Link>{" "}
          <span className="muted">
            <When time={run.endedAt} />
          </span>
        </>
      )}
      {can("searchRecords") &&
        roots.slice(0, 5).map((root) => (
          <div key={root.rootId}>
            <MonoLink to={link("record", { root: root.rootId })}>{root.rootId}</MonoLink>
          </div>
        ))}
    </>
  );
}
