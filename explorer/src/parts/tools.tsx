/** Tools that stand in a row where there is room, and behind a button where there is none. */

import "./tools.css";

import { type ReactNode, useState, useSyncExternalStore } from "react";
import { Button } from "./controls";

/** True on a phone, or in a window as narrow. */
export function useNarrow(): boolean {
  const media = matchMedia("(max-width: 700px)");
  return useSyncExternalStore(
    (changed) => {
      media.addEventListener("change", changed);
      return () => media.removeEventListener("change", changed);
    },
    () => media.matches,
  );
}

export function Tools({ title, of, children }: { title: ReactNode; of: string; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={isOpen ? "tools is-open" : "tools"}>
      <button className="button tools-open" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {title}
      </button>
      <div className="tools-all" role="group" aria-label={of}>
        {children}
      </div>
    </div>
  );
}

/** What is drawn on a phone: the list at first, the picture on request. */
export function PictureChoice({ isPicture, choose }: { isPicture: boolean; choose: (isPicture: boolean) => void }) {
  return (
    <div className="group" role="group" aria-label="list or picture">
      <Button on={!isPicture} press={() => choose(false)}>
        List
      </Button>
      <Button on={isPicture} press={() => choose(true)}>
        Picture
      </Button>
    </div>
  );
}
