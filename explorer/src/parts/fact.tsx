/** A fact of a list of facts: its name, and what it is; nothing without a value. */

import type { ReactNode } from "react";

interface FactProps {
  of: string;
  isMono?: boolean;
  /** The value; in its place, children of several parts. */
  is?: ReactNode;
  children?: ReactNode;
}

export function Fact({ of, isMono = false, is, children = is }: FactProps) {
  if (children === false || children === null || children === undefined || children === "") return null;
  return (
    <>
      <dt>{of}</dt>
      <dd className={isMono ? "mono" : undefined}>{children}</dd>
    </>
  );
}
