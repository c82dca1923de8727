/** Keys of a view; none while a reader types or a dialog is open. */

import { useEffect, useRef } from "react";

export type Keys = Record<string, (event: KeyboardEvent) => void>;

export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement | null;
      const types = target?.closest("input, textarea, select, [contenteditable]");
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
      if (types && event.key !== "Escape") return;
      const handle = latest.current[event.key];
      if (handle) handle(event);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}
