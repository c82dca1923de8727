/** A fact of a list of facts: its name, and what it is. */

import type { ReactNode } from "react";

export const Fact = ({ of, isMono = false, children }: { of: string; isMono?: boolean; children: ReactNode }) => (
  <>
    <dt>{of}</dt>
    <dd className={isMono ? "mono" : undefined}>{children}</dd>
  </>
);
