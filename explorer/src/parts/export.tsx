/** What a reader takes along: CSV, pictures, and texts to copy. */

import { type RefObject, useEffect, useRef, useState } from "react";
import { type Caption, type Drawing, type Figure, readInks, toPng, toSvg, toWide } from "../draw/svg";
import type { Placed } from "../layout/boxes";
import { utc } from "../model/format";
import { Button, Menu } from "./controls";
import { download } from "./frame";

interface Props {
  name: string;
  picture?: Picture;
  csv?: () => string | Promise<string>;
}

/** A picture to save: its layout, its time (empty for now), its legend, and what draws its boxes and lines. */
interface Picture extends Pick<Caption, "legend"> {
  layout: RefObject<Placed | null>;
  at: string;
  draw: () => readonly [Figure[], Parameters<typeof toSvg>[1]];
}

function svgOf(name: string, { layout, at, legend, draw }: Picture): Drawing | null {
  if (!layout.current) return null;
  const time = `as of ${utc(at || new Date().toISOString())} UTC`;
  return toSvg(...draw(), layout.current, readInks(), { title: name, time, legend });
}

const saveCsv = async (name: string, load: () => string | Promise<string>) =>
  download(`${name}.csv`, "text/csv;charset=utf-8", await load());

export const CsvButton = ({ name, load }: { name: string; load: () => Promise<string> }) => (
  <Button press={() => void saveCsv(name, load)}>CSV</Button>
);

export function Downloads({ name, picture: of, csv }: Props) {
  const file = name.replace(/[^\w.-]+/g, "_").slice(0, 80) || "lineage";
  const save = (end: "svg" | "png", make: (picture: Drawing) => BlobPart | Promise<BlobPart>) => async () => {
    const picture = of && svgOf(name, of);
    if (picture) download(`${file}.${end}`, end === "svg" ? "image/svg+xml" : "image/png", await make(picture));
  };
  const pictures = [
    ["Picture as SVG", save("svg", ({ text }) => text)],
    ["Picture as PNG", save("png", toPng)],
    ["Slide as PNG, 16:9", save("png", (picture) => toPng(toWide(picture)))],
  ] as const;
  const list = csv && (["List as CSV", () => saveCsv(file, csv)] as const);
  const address = ["Copy the link", () => navigator.clipboard.writeText(location.href)] as const;
  return <Menu title="Export" choices={[...(of ? pictures : []), ...(list ? [list] : []), address]} />;
}

const SHOWN_MS = 3_000;

export function Copyable({ name, text }: { name: string; text: string }) {
  const shown = useRef<HTMLPreElement>(null);
  const [note, setNote] = useState("");
  useEffect(() => {
    if (!note) return;
    const timer = setTimeout(() => setNote(""), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [note]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setNote("Copied");
    } catch {
      // Without HTTPS, or by the reader's choice, a page may not write there.
      getSelection()?.selectAllChildren(shown.current!);
      setNote("Selected: copy it by the keyboard");
    }
  };
  return (
    <div className="copyable">
      <pre ref={shown} role="group" aria-label={name} tabIndex={0}>
        {text}
      </pre>
      <div className="actions">
        <Button aria-label={`Copy: ${name}`} press={() => void copy()}>
          Copy
        </Button>
        <span role="status" className="small muted">
          {note}
        </span>
      </div>
    </div>
  );
}
