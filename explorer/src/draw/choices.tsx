/** What a reader chooses in the bar of a picture: its sides, and how far it reaches. */

import { DEPTH_MAX, type Direction } from "../url/state";

interface DirectionProps {
  dir: Direction;
  words: Readonly<Record<Direction, string>>;
  choose: (dir: Direction) => void;
}

export function DirectionChoice({ dir: chosen, words, choose }: DirectionProps) {
  return (
    <div className="group" role="group" aria-label="direction">
      {(["up", "both", "down"] as const).map((dir) => (
        <button key={dir} className="button" aria-pressed={chosen === dir} onClick={() => choose(dir)}>
          {words[dir]}
        </button>
      ))}
    </div>
  );
}

export function DepthChoice({ depth, choose }: { depth: number; choose: (depth: number) => void }) {
  return (
    <div className="group" role="group" aria-label="depth">
      <button className="button" aria-label="show less" disabled={depth <= 0} onClick={() => choose(depth - 1)}>
        −
      </button>
      <span className="button" aria-live="polite">
        depth {depth}
      </span>
      <button className="button" aria-label="show more" disabled={depth >= DEPTH_MAX} onClick={() => choose(depth + 1)}>
        +
      </button>
    </div>
  );
}
