/** Keys of a view; none while a reader types or a dialog is open. */

import { useEffect, useEffectEvent } from "react";

export type Keys = Record<string, (event: KeyboardEvent) => void>;

export function useKeys(keys: Keys): void {
  useListener("keydown", (event) => {
    const types = (event.target as HTMLElement | null)?.closest("input, textarea, select, [contenteditable]");
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (!types || event.key === "Escape") keys[event.key]?.(event);
  });
}

/** Listen to events of the whole page. */
export function useListener<K extends keyof DocumentEventMap>(type: K, handle: (event: DocumentEventMap[K]) => void) {
  const onEvent = useEffectEvent(handle);
  useEffect(() => {
    const listen = (event: DocumentEventMap[K]) => onEvent(event);
    document.addEventListener(type, listen);
    return () => document.removeEventListener(type, listen);
  }, [type]);
}
