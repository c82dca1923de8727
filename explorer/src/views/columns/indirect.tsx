/** A dataset that is drawn only because the column depends on it indirectly. */

import { BoxTitle } from "../../draw/box-title";
import type { IndirectSource } from "../../model/indirect";
import type { Title } from "../../model/titles";
import { KindOf } from "../../parts/signs";

export const INDIRECT = { width: 240, height: 54 };
const TITLE_PX = 190;
const ABOUT_CHARS_MAX = 32;

/** Return "join, filter · customer_id, status": what its columns are used for, and which ones. */
export function usedFor({ roles, fields }: IndirectSource): string {
  return [roles.join(", "), fields.join(", ")].filter(Boolean).join(" · ");
}

export function IndirectBox({ source, title }: { source: IndirectSource; title: Title }) {
  const about = usedFor(source);
  return (
    <div
      className="box of-dataset of-indirect"
      title={`${source.name}\n${source.namespace}\nwhat it decides is which rows there are: ${about}`}
    >
      <div className="name">
        <KindOf of="dataset" namespace={source.namespace} />
        <BoxTitle of={title} width={TITLE_PX} lines={1} />
      </div>
      <div className="about">{about.length > ABOUT_CHARS_MAX ? `${about.slice(0, ABOUT_CHARS_MAX - 1)}…` : about}</div>
    </div>
  );
}
