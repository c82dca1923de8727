/** The title of a box: as much of its end as its lines hold at the scale of the picture. */

import { useStore } from "@xyflow/react";
import { useMemo } from "react";

import { cutToLines, type Title } from "../model/titles";
import { Name } from "../parts/name";
import { zoomLevel } from "./sight";
import { widthIn } from "./svg";

// Sizes of the text, as the styles have them.
const SIZES_PX: Readonly<Record<string, number>> = { "zoom-large": 15, "zoom-name": 20 };
const SIZE_PX = 13;

const GAP_PX = 13;

interface Props {
  of: Title;
  width: number;
  lines?: number;
  /** The age at the end of the first line, with its hint. */
  age?: { text: string; hint: string } | undefined;
}

export function BoxTitle({ of: { title, alike }, width, lines = 2, age }: Props) {
  const level = useStore(zoomLevel);
  const cut = useMemo(() => {
    const widthOf = widthIn(SIZES_PX[level] ?? SIZE_PX);
    const taken = age?.text ? widthOf(age.text) + GAP_PX : 0;
    return cutToLines(title, { lines, width, widthOf, taken }, alike);
  }, [title, alike, lines, width, level, age?.text]);
  return (
    <span className="title">
      <span>
        {age?.text && (
          <span className="age" title={age.hint}>
            {age.text}
          </span>
        )}
        <bdi>
          <Name text={cut} />
        </bdi>
      </span>
    </span>
  );
}
