/** A list of the start. Where nothing responds, one failure says so: that of the broken jobs. */

import type { ComponentProps } from "react";

import { Bones, Loaded } from "../../parts/frame";
import { useMine } from "../../parts/mine";
import { useBroken } from "./jobs";

/** As `Loaded`; a failure is not drawn before the broken jobs have loaded. */
export function StartList<T>({ of, rows, children }: ComponentProps<typeof Loaded<T>>) {
  const { owner } = useMine();
  const broken = useBroken(owner, true);
  if (of.error && !broken.data) return broken.error ? null : <Bones rows={rows} />;
  return (
    <Loaded of={of} rows={rows}>
      {children}
    </Loaded>
  );
}
