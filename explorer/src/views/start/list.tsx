/** The lists of the start. Where nothing responds, one failure says so: that of the broken jobs. */

import type { ComponentProps } from "react";

import { Bones, Loaded } from "../../parts/frame";
import { useBroken } from "./jobs";

type ListProps<T> = ComponentProps<typeof Loaded<T>>;

/** A list under its title; nothing where neither the list nor the broken jobs have loaded. */
export function StartCard<T>({ title, label, ...list }: ListProps<T> & { title: string; label?: string }) {
  const broken = useBroken();
  if (list.of.isLoadingError && broken.isLoadingError) return null;
  return (
    <section className="card" aria-label={label}>
      <h2>{title}</h2>
      <StartList {...list} />
    </section>
  );
}

/** As `Loaded`; a failure is drawn only once the broken jobs have loaded. */
export function StartList<T>(list: ListProps<T>) {
  const broken = useBroken();
  if (list.of.isLoadingError && !broken.data) return broken.isLoadingError ? null : <Bones rows={list.rows} />;
  return <Loaded {...list} />;
}
