/** A menu of downloads. */

import { type Drawing, toPng, toWide } from "../draw/svg";
import { download } from "./frame";
import { Menu } from "./menu";

interface Props {
  name: string;
  svg?: () => Drawing | null;
  csv?: () => string | Promise<string>;
}

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
  const asSvg = () => {
    const picture = svg?.();
    if (picture) download(`${file}.svg`, "image/svg+xml", picture.text);
  };
  const asPng = async () => {
    const picture = svg?.();
    if (picture) download(`${file}.png`, "image/png", await toPng(picture));
  };
  const asSlide = async () => {
    const picture = svg?.();
    if (picture) download(`${file}.png`, "image/png", await toPng(toWide(picture)));
  };
  const asCsv = async () => {
    if (csv) download(`${file}.csv`, "text/csv;charset=utf-8", await csv());
  };
  const pictures: Choice[] = [
    ["Picture as SVG", asSvg],
    ["Picture as PNG", asPng],
    ["Slide as PNG, 16:9", asSlide],
  ];
  return [
    ...(svg ? pictures : []),
    ...(csv ? [["List as CSV", asCsv] as const] : []),
    ["Copy the link", () => navigator.clipboard.writeText(location.href)],
  ];
}
