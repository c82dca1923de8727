/** A menu of downloads. */

import { useId, useRef } from "react";

import { toPng } from "../draw/svg";
import { download } from "./frame";

export function Downloads({
  name,
  svg,
  csv,
}: {
  name: string;
  svg?: () => { text: string; width: number; height: number } | null;
  csv?: () => string | Promise<string>;
}) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const file = name.replace(/[^\w.-]+/g, "_").slice(0, 80) || "lineage";
  const done = (make: () => void | Promise<void>) => async () => {
    menu.current?.hidePopover();
    await make();
  };
  return (
    <>
      <button
        className="button"
        popoverTarget={id}
        style={{ anchorName: `--${id.replace(/[^\w]/g, "")}` } as React.CSSProperties}
      >
        Export
      </button>
      <div id={id} ref={menu} popover="auto" className="menu">
        {svg && (
          <button
            className="icon"
            onClick={() =>
              void done(() => {
                const picture = svg();
                if (picture) download(`${file}.svg`, "image/svg+xml", picture.text);
              })()
            }
          >
            Picture as SVG
          </button>
        )}
        {svg && (
          <button
            className="icon"
            onClick={() =>
              void done(async () => {
                const picture = svg();
                if (picture) download(`${file}.png`, "image/png", await toPng(picture));
              })()
            }
          >
            Picture as PNG
          </button>
        )}
        {csv && (
          <button
            className="icon"
            onClick={() => void done(async () => download(`${file}.csv`, "text/csv;charset=utf-8", await csv()))()}
          >
            List as CSV
          </button>
        )}
        <button className="icon" onClick={() => void done(() => navigator.clipboard.writeText(location.href))()}>
          Copy the link
        </button>
      </div>
    </>
  );
}
