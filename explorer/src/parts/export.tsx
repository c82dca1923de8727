/** Downloads: a button for CSV, and a menu for pictures. */

import { type Drawing, toPng, toWide } from "../draw/svg";
import { Button } from "./controls";
import { download } from "./frame";
import { Menu } from "./menu";

interface Props {
  name: string;
  svg?: () => Drawing | null;
  csv?: () => string | Promise<string>;
}

const saveCsv = async (name: string, load: () => string | Promise<string>) =>
  download(`${name}.csv`, "text/csv;charset=utf-8", await load());

export const CsvButton = ({ name, load }: { name: string; load: () => Promise<string> }) => (
  <Button press={() => void saveCsv(name, load)}>CSV</Button>
);

export function Downloads(props: Props) {
  return (
    <Menu title="Export">
      {choicesOf(props).map(([title, make]) => (
        <button
          key={title}
          className="icon"
          onClick={({ currentTarget }) => {
            currentTarget.closest<HTMLElement>("[popover]")?.hidePopover();
            void make();
          }}
        >
          {title}
        </button>
      ))}
    </Menu>
  );
}

type Choice = readonly [title: string, make: () => void | Promise<void>];

/** What the menu offers, each with what makes it. */
function choicesOf({ name, svg, csv }: Props): Choice[] {
  const file = name.replace(/[^\w.-]+/g, "_").slice(0, 80) || "lineage";
  const save = (end: "svg" | "png", make: (picture: Drawing) => BlobPart | Promise<BlobPart>) => async () => {
    const picture = svg?.();
    if (picture) download(`${file}.${end}`, end === "svg" ? "image/svg+xml" : "image/png", await make(picture));
  };
  const pictures: Choice[] = [
    ["Picture as SVG", save("svg", ({ text }) => text)],
    ["Picture as PNG", save("png", toPng)],
    ["Slide as PNG, 16:9", save("png", (picture) => toPng(toWide(picture)))],
  ];
  return [
    ...(svg ? pictures : []),
    ...(csv ? [["List as CSV", () => saveCsv(file, csv)] as const] : []),
    ["Copy the link", () => navigator.clipboard.writeText(location.href)],
  ];
}
