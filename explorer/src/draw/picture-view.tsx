/** A view of a picture: its bar, its notices, the picture with a list and a panel beside it, and its times. */

import { type ReactNode, type RefObject, useCallback, useRef, useState } from "react";
import { useLocation } from "wouter";
import type { Placed } from "../layout/boxes";
import type { NodeChange } from "../model/compare";
import { ChangesPanel, type Steps, stepBy } from "../parts/changes";
import { Button, Chip } from "../parts/controls";
import { AsOf, ChangesBar } from "../parts/frame";
import { type Keys, useKeys } from "../parts/keys";
import { Legend } from "../parts/legend";
import { TimeBar } from "../parts/time";
import { PictureChoice, Tools, useNarrow } from "../parts/tools";
import { datasetOf } from "../url/ids";
import { DEPTH_MAX, type Direction, isStep, type PictureState } from "../url/state";
import { Canvas, type CanvasProps } from "./canvas";
import type { Handled } from "./sight";

/** Whether a view shows its picture, its list, or both: on a phone the list at first. */
type ListChoice = ReturnType<typeof useHandles>["list"];

/** An open picture, shared by its bar, list, panels and keys. */
export interface OpenPicture {
  state: PictureState;
  data: { isLate: boolean; failure: Error | null; retry: () => void };
  actions: { anchor: string; to: (change: Partial<PictureState>) => void };
  list: ListChoice;
  changes: Steps;
  handled: RefObject<Handled | null>;
  layout: RefObject<Placed | null>;
}

/** Return the handles of a picture, and the choice of its list; `setList` writes the choice into the address. */
export function useHandles({ list: isOpen }: PictureState, setList: (list: boolean) => void) {
  const isNarrow = useNarrow();
  const [isPicture, setPicture] = useState(false);
  const list = {
    isNarrow,
    isList: isNarrow ? !isPicture : isOpen,
    showList: (isList: boolean) => (isNarrow ? setPicture(!isList) : setList(isList)),
  };
  return { list, handled: useRef<Handled>(null), layout: useRef<Placed>(null) };
}

/** Return what changes the address of a picture, and the box acted on last: it stays in its place, and in sight. */
export function useMoves<S extends PictureState>(state: S, linkTo: (state: S) => string) {
  const [, navigate] = useLocation();
  const [anchor, setAnchor] = useState(datasetOf(state.sel || state.node));
  const to = useCallback(
    (change: Partial<S>, of?: string) => {
      if (of !== undefined) setAnchor(of);
      navigate(linkTo({ ...state, ...change }), { replace: !isStep(state, change) });
    },
    [navigate, state, linkTo],
  );
  return { anchor, setAnchor, to };
}

interface Props {
  of: "map" | "columns";
  open: OpenPicture;
  /** In the bar: a sign, a title with a hint, and numbers. */
  about: { sign: ReactNode; title: string; hint: string; numbers: ReactNode };
  /** Chips of undrawn nodes. */
  chips?: ReactNode;
  tools: ReactNode;
  notices: ReactNode;
  /** The changes of a comparison; null without one. */
  compared: ReadonlyMap<string, NodeChange> | null;
  /** The text of a comparison without changes. */
  unchanged?: ReactNode;
  canvas: Omit<CanvasProps, "handled" | "layout" | "anchor" | "inSight" | "isLate" | "dir" | "depth">;
  hint: ReactNode;
  listed: ReactNode;
  /** True of a picture with too many boxes: the list is in its place. */
  isTooMuch?: boolean;
  panel: ReactNode;
  /** The depth of the changes in the bar of times, in jobs. */
  ticksDepth: number;
  keys: Keys;
}

export function PictureView({ of, open, about, chips, tools, isTooMuch = false, ...view }: Props) {
  const { state, data, actions, list, changes, handled, layout } = open;
  usePictureKeys(open, view.keys);
  return (
    <>
      <div className="bar">
        <div className="what">
          {about.sign}
          <h1 title={about.hint}>
            <bdi>{about.title}</bdi>
          </h1>
          <span className="muted small" role="status">
            {about.numbers}
            {data.isLate && " · loading"}
          </span>
        </div>
        {chips}
        {list.isNarrow && <PictureChoice isPicture={!list.isList} choose={(isPicture) => list.showList(!isPicture)} />}
        <Tools title="⋯ Tools" of={`tools of the ${of}`}>
          {tools}
        </Tools>
      </div>
      <Notices open={open} {...view} />
      <div className="stage">
        {!isTooMuch && !(list.isList && list.isNarrow) && (
          <div className={state.at ? "canvas is-past" : "canvas"}>
            <Canvas
              {...view.canvas}
              {...{ handled, layout, anchor: actions.anchor, inSight: [actions.anchor] }}
              {...{ isLate: data.isLate, dir: state.dir, depth: state.depth }}
            />
            <Corner of={of} handled={handled} />
            {view.hint && <div className="hint">{view.hint}</div>}
          </div>
        )}
        {(list.isList || isTooMuch) && view.listed}
        {changes.isOpen ? <ChangesPanel steps={changes} /> : view.panel}
      </div>
      {state.node && (
        <TimeBar node={datasetOf(state.node)} depth={view.ticksDepth} at={state.at} vs={state.vs} change={actions.to} />
      )}
    </>
  );
}

function Notices({ open, notices, compared, unchanged }: { open: OpenPicture } & Partial<Props>) {
  const { state, data, actions, list, changes } = open;
  return (
    <>
      <AsOf at={state.at} back={actions.to} />
      {notices}
      {compared && (
        <ChangesBar changes={compared} vs={state.vs} end={() => actions.to({ vs: "", panel: "" })}>
          {compared.size > 0 && !changes.isOpen && (
            <Chip press={() => actions.to({ panel: "changes" })}>Step through the changes</Chip>
          )}
          {compared.size > 0 ? <Chip press={() => list.showList(true)}>List the changes</Chip> : unchanged}
        </ChangesBar>
      )}
      {data.failure && (
        <div className="notice warn" role="alert">
          A part of this could not be loaded: {data.failure.message} <Chip press={data.retry}>Try again</Chip>
        </div>
      )}
    </>
  );
}

/** The keys of each picture, and the keys of its view. */
function usePictureKeys({ state, actions, list, changes, handled }: OpenPicture, own: Keys): void {
  const step = (event: KeyboardEvent) => stepBy(changes, event);
  useKeys({
    l: () => list.showList(!list.isList),
    f: () => handled.current?.fit(),
    ".": () => actions.to({ at: "", vs: "" }),
    Escape: () => actions.to(stepBack(state) ?? {}),
    ...own,
    ...(changes.isOpen && { ArrowUp: step, ArrowDown: step }),
  });
}

/** Return the change of Escape: it takes back the selection, then the comparison, then the past. */
export function stepBack({ sel, vs, at }: PictureState): Partial<PictureState> | null {
  if (sel) return { sel: "" };
  if (vs) return { vs: "", panel: "" };
  return at ? { at: "" } : null;
}

/** True if the panel of changes is to be open: by itself where nothing is selected and no list is open. */
export const areChangesOpen = ({ panel, sel }: PictureState, { isList, isNarrow }: ListChoice) =>
  panel === "changes" || (panel === "" && !sel && !isList && !isNarrow);

/** In the corner of a picture: its legend, and the buttons that zoom and fit. */
function Corner({ of, handled }: { of: "map" | "columns"; handled: RefObject<Handled | null> }) {
  return (
    <div className="corner">
      <Legend of={of} />
      <Button aria-label="zoom out" press={() => handled.current?.zoom(0.8)}>
        −
      </Button>
      <Button aria-label="zoom in" press={() => handled.current?.zoom(1.25)}>
        +
      </Button>
      <Button title="f" press={() => handled.current?.fit()}>
        Fit
      </Button>
    </div>
  );
}

interface ReachProps {
  state: PictureState;
  words: Readonly<Record<Direction, string>>;
  change: (change: { dir: Direction } | { depth: number }) => void;
}

/** The choices of a picture's sides, and how far it reaches. */
export function ReachChoice({ state: { dir: chosen, depth }, words, change }: ReachProps) {
  return (
    <>
      <div className="group" role="group" aria-label="direction">
        {(["up", "both", "down"] as const).map((dir) => (
          <Button key={dir} on={chosen === dir} press={() => change({ dir })}>
            {words[dir]}
          </Button>
        ))}
      </div>
      <div className="group" role="group" aria-label="depth">
        <Button aria-label="show less" disabled={depth <= 0} press={() => change({ depth: depth - 1 })}>
          −
        </Button>
        <span className="button" aria-live="polite">
          depth {depth}
        </span>
        <Button aria-label="show more" disabled={depth >= DEPTH_MAX} press={() => change({ depth: depth + 1 })}>
          +
        </Button>
      </div>
    </>
  );
}

/** The switch of the list beside a picture; on a phone another choice has it. */
export const ListButton = ({ open: { list, state } }: { open: OpenPicture }) =>
  !list.isNarrow && (
    <Button on={state.list} press={() => list.showList(!state.list)}>
      List
    </Button>
  );
