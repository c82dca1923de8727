/** Links to the parts of a page about a node. */

import { Link } from "wouter";

import { link } from "../url/state";

/** Values of `tab` in the page's address, with their titles; the first is empty. */
export type TabTitles = readonly [string, string][];

export const Tabs = ({
  view,
  node,
  tab,
  of,
}: {
  view: "dataset" | "job";
  node: string;
  tab: string;
  of: TabTitles;
}) => (
  <nav className="tabs" aria-label="parts">
    {of.map(([value, title]) => (
      <Link key={value} href={link(view, { node, tab: value })} aria-current={tab === value ? "page" : undefined}>
        {title}
      </Link>
    ))}
  </nav>
);
