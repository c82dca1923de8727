/** A button that opens a menu below. */

import "./menu.css";

import { type ReactNode, useId } from "react";

export function Menu({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <>
      <button className="button" popoverTarget={id}>
        {title}
      </button>
      <div id={id} popover="auto" className="menu at-button">
        {children}
      </div>
    </>
  );
}
