/** Tags and owners. */

import type { ReactNode } from "react";
import { Link } from "wouter";

import { link } from "../url/state";
import { Head } from "./frame";
import { SignOf, Tinted } from "./signs";
import { type ColumnOf, NONE } from "./table";

export const TagHead = ({ tag, children }: { tag: string; children?: ReactNode }) => (
  <Head sign={<Tinted look="muted" of="tag" />} word="Tag" title={tag}>
    {children}
  </Head>
);

/** Tags, each a link to what has it. */
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
