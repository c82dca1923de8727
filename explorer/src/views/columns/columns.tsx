/** Columns: datasets opened to their columns, and the whole path of the selected one. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useRef, useState } from "react";
import { Link, useLocation, useSearch } from "wouter";

import { columnsThen, columns as fetchColumns } from "../../api/queries";
import { Canvas, type DrawnArrow, type Handled } from "../../draw/canvas";
import { type Figure, readInks, toSvg } from "../../draw/svg";
import type { Placed } from "../../layout/boxes";
import {
  type Card,
  type ColumnLines,
  cardArrows,
  cardsOf,
  columnArrows,
  columnPath,
  restrict,
} from "../../model/columns";
import { compareColumns } from "../../model/compare-columns";
import { toCsv } from "../../model/csv";
import { plural } from "../../model/format";
import { type Title, titleOf, titlesOf } from "../../model/titles";
import { Downloads } from "../../parts/export";
import { ChangesBar, Failed, Loaded, Nothing, useTitle } from "../../parts/frame";
import { useKeys } from "../../parts/keys";
import { Legend } from "../../parts/legend";
import { SignOf } from "../../parts/signs";
import { TimeBar } from "../../parts/time";
import { PictureChoice, Tools, useNarrow } from "../../parts/tools";
import { datasetOf, kindOf, nameOf } from "../../url/ids";
import { type ColumnsState, columnsLink, link, mapLink, parseColumns } from "../../url/state";
import { ColumnCard, changeOf } from "./card";
import { ColumnList } from "./list";
import { ColumnPanel } from "./panel";

// Changes of the datasets next to it are ticks of the bar.
const TICKS_DEPTH = 1;
const WIDTH = 240,
  HEAD = 34,
  ROW = 26;

export function ColumnsView() {
  const state = parseColumns(useSearch());
  useTitle(state.node ? `Columns of ${nameOf(state.node).name}` : "Columns");
  const result = useQuery({
    queryKey: ["columns", state.node, state.depth, state.at],
    queryFn: ({ signal }) => fetchColumns(state.node, state.depth, state.at, signal),
    enabled: state.node !== "",
    placeholderData: keepPreviousData,
  });
  const other = useQuery({
    queryKey: ["columns then", state.node, state.depth, state.vs],
    queryFn: ({ signal }) => columnsThen(state.node, state.depth, state.vs, signal),
    enabled: state.node !== "" && state.vs !== "",
    placeholderData: keepPreviousData,
  });
  if (!state.node) return <Nothing title="No dataset or column is chosen">Find one with the box above.</Nothing>;
  return (
    <Loaded of={result} rows={9} keep={`columns ${state.node}`}>
      {(now) => (
        <Drawn
          state={state}
          now={now}
          before={state.vs ? (other.data ?? null) : null}
          isLate={result.isPlaceholderData}
          failure={state.vs ? other.error : null}
        />
      )}
    </Loaded>
  );
}

interface DrawnProps {
  state: ColumnsState;
  now: ColumnLines;
  before: ColumnLines | null;
  isLate: boolean;
  failure: Error | null;
}

function Drawn({ state, now, before, isLate, failure }: DrawnProps) {
  const [, navigate] = useLocation();
  const handled = useRef<Handled>(null);
  const placed = useRef<Placed>(null);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [anchor, setAnchor] = useState(datasetOf(state.sel || state.node));
  const isNarrow = useNarrow();
  const [isPicture, setPicture] = useState(false);
  const [isClosed, setClosed] = useState(isNarrow);
  const isList = isNarrow ? !isPicture : state.list;
  const to = useCallback(
    (change: Partial<ColumnsState>) => navigate(columnsLink({ ...state, ...change }), { replace: true }),
    [navigate, state],
  );

  const comparison = useMemo(() => (before ? compareColumns(before, now) : null), [before, now]);
  const lines = comparison?.lines ?? now;
  const sel = state.sel || (kindOf(state.node) === "field" ? state.node : "");
  const kept = useMemo(
    () =>
      restrict(columnArrows(lines), datasetOf(state.node), kindOf(state.node) === "field" ? state.node : "", state.dir),
    [lines, state.node, state.dir],
  );
  const path = useMemo(() => (sel ? columnPath(kept, sel) : null), [kept, sel]);
  const cards = useMemo(() => {
    const used = new Set(kept.flatMap(({ from, to: end }) => [from, end]));
    const focus = datasetOf(state.node);
    return cardsOf(lines, path ?? new Set(), opened)
      .map((card) => ({ ...card, columns: card.columns.filter(({ id }) => used.has(id) || card.id === focus) }))
      .filter((card) => card.columns.length > 0 || card.id === focus);
  }, [lines, path, opened, kept, state.node]);
  const titles = useMemo(() => titlesOf(cards), [cards]);
  const boxes = useMemo(
    () =>
      cards.map((card) => ({
        id: card.id,
        width: WIDTH,
        height: HEAD + ROW * (card.columns.length + (card.more ? 1 : 0)) + 2,
      })),
    [cards],
  );
  const rows = useMemo(
    () =>
      new Map(
        cards.flatMap((card) =>
          card.columns.map(({ id }, index) => [id, { card: card.id, y: HEAD + ROW * index + ROW / 2 }] as const),
        ),
      ),
    [cards],
  );
  const tables = useMemo(() => cardArrows(kept, datasetOf), [kept]);
  const indirect = useMemo(
    () => indirectArrows(lines, state.indirect ? sel || state.node : "", new Set(cards.map(({ id }) => id))),
    [lines, state.indirect, sel, state.node, cards],
  );
  const arrows = useMemo<DrawnArrow[]>(() => {
    const lineOf = (arrow: (typeof kept)[number]): DrawnArrow[] => {
      const from = rows.get(arrow.from),
        end = rows.get(arrow.to);
      if (!from || !end || from.card === end.card) return [];
      return [
        {
          from: from.card,
          to: end.card,
          fromY: from.y,
          toY: end.y,
          key: `${arrow.from}→${arrow.to}`,
          look: `${arrow.direct ? "" : "is-indirect"} ${arrow.masked ? "is-masked" : ""} ${changeOf(comparison?.arrows.get(`${arrow.from}→${arrow.to}`))}`,
        },
      ];
    };
    // With no column chosen and nothing compared, a line for each pair of datasets says enough.
    const drawn =
      path || comparison
        ? kept.filter(({ from, to: end }) => !path || (path.has(from) && path.has(end))).flatMap(lineOf)
        : tables.map((arrow): DrawnArrow => arrow);
    return [...drawn, ...indirect];
  }, [kept, rows, path, tables, indirect, comparison]);

  const draw = useCallback(
    (id: string) => {
      const card = cards.find((other) => other.id === id);
      if (!card) return null;
      return (
        <ColumnCard
          card={card}
          title={titles.get(id)!}
          focus={id === datasetOf(state.node)}
          sel={sel}
          path={path}
          changes={comparison?.changes}
          choose={(column) => {
            setClosed(false);
            setAnchor(id);
            to({ sel: column === sel && column !== state.node ? "" : column });
          }}
          open={() => {
            setAnchor(id);
            setOpened((now) => new Set([...now, id]));
          }}
        />
      );
    },
    [cards, titles, sel, path, state.node, to, comparison],
  );
  const choose = useCallback(
    (id: string) => {
      setClosed(false);
      setAnchor(datasetOf(id));
      to({ sel: id });
    },
    [to],
  );
  const label = useCallback(
    (id: string) =>
      `dataset ${nameOf(id).name}, ${plural(cards.find((card) => card.id === id)?.columns.length ?? 0, "column")}`,
    [cards],
  );
  useKeys({
    i: () => to({ indirect: !state.indirect }),
    l: () => (isNarrow ? setPicture(isList) : to({ list: !state.list })),
    f: () => handled.current?.fit(),
    ".": () => to({ at: "", vs: "" }),
    c: () =>
      navigate(mapLink({ node: datasetOf(state.node), at: state.at, vs: state.vs, sel: sel ? datasetOf(sel) : "" })),
    Escape: () => to(state.sel ? { sel: "" } : state.vs ? { vs: "" } : state.at ? { at: "" } : {}),
  });
  const svg = () =>
    placed.current
      ? toSvg(
          cards.map((card, index) => figureOf(card, titles.get(card.id)!, boxes[index]!, path)),
          arrows.map(({ look, ...arrow }) => ({
            ...arrow,
            dashed: look?.includes("is-indirect") ?? false,
            ink: path ? ("focus" as const) : ("line" as const),
          })),
          placed.current,
          readInks(),
        )
      : null;
  const csv = () =>
    toCsv(
      ["source", "column", "direct", "masked", "transformations"],
      kept
        .filter(({ from, to: end }) => !path || (path.has(from) && path.has(end)))
        .map(({ from, to: end, direct, masked, steps }) => [
          from,
          end,
          direct,
          masked,
          steps.map((step) => step.description || step.kind).join("; "),
        ]),
    );
  const focusName = nameOf(state.node);
  return (
    <>
      <div className="bar">
        <div className="what">
          <span className="kind-dataset">
            <SignOf of={kindOf(state.node) === "field" ? "field" : "dataset"} />
          </span>
          <h1 title={state.node}>
            {focusName.field === undefined ? titleOf(focusName) : `${titleOf(focusName)} · ${focusName.field}`}
          </h1>
          <span className="muted small" role="status">
            {plural(cards.length, "dataset")}, {plural(kept.length, "line")}
            {isLate && " · loading"}
          </span>
        </div>
        {isNarrow && <PictureChoice isPicture={isPicture} choose={setPicture} />}
        <Tools title="⋯ Tools" of="tools of the columns">
          <div className="group" role="group" aria-label="direction">
            {(["up", "both", "down"] as const).map((dir) => (
              <button key={dir} className="button" aria-pressed={state.dir === dir} onClick={() => to({ dir })}>
                {{ up: "Sources", both: "Both", down: "Uses" }[dir]}
              </button>
            ))}
          </div>
          <div className="group" role="group" aria-label="depth">
            <button
              className="button"
              aria-label="show less"
              disabled={state.depth <= 0}
              onClick={() => to({ depth: state.depth - 1 })}
            >
              −
            </button>
            <span className="button" aria-live="polite">
              depth {state.depth}
            </span>
            <button
              className="button"
              aria-label="show more"
              disabled={state.depth >= 20}
              onClick={() => to({ depth: state.depth + 1 })}
            >
              +
            </button>
          </div>
          <button className="button" aria-pressed={state.indirect} onClick={() => to({ indirect: !state.indirect })}>
            Indirect
          </button>
          {!isNarrow && (
            <button className="button" aria-pressed={state.list} onClick={() => to({ list: !state.list })}>
              List
            </button>
          )}
          {isNarrow && sel && (
            <button className="button" onClick={() => setClosed(false)}>
              About {nameOf(sel).field}
            </button>
          )}
          <button
            className="button"
            onClick={() => navigate(mapLink({ node: datasetOf(state.node), at: state.at, vs: state.vs }))}
          >
            Map
          </button>
          {sel && (
            <Link className="button" href={link("impact", { node: sel })}>
              What breaks
            </Link>
          )}
          {sel && (
            <Link className="button" href={link("usage", { node: sel })}>
              Usage
            </Link>
          )}
          <Downloads name={focusName.field ?? focusName.name} svg={svg} csv={csv} />
        </Tools>
      </div>
      {lines.truncated && (
        <div className="notice warn" role="status">
          These columns are truncated: there are more than a response holds.
        </div>
      )}
      {state.at && (
        <div className="notice" role="status">
          <b>As of {state.at.replace("T", " ").slice(0, 19)} UTC.</b>{" "}
          <button className="chip" onClick={() => to({ at: "", vs: "" })}>
            Now
          </button>
        </div>
      )}
      {failure && <Failed error={failure} retry={() => to({})} />}
      {comparison && <ChangesBar vs={state.vs} changes={comparison.changes} end={() => to({ vs: "" })} />}
      <div className="stage">
        {!(isNarrow && isList) && (
          <div className="canvas">
            {cards.length <= 1 && kept.length === 0 && (
              <div className="empty">
                <h2>No lineage of its columns is reported</h2>
                <p>
                  Jobs report it in the facet <code>columnLineage</code>; on Spark, <code>capture(spark)</code> does.
                </p>
              </div>
            )}
            <Canvas
              boxes={boxes}
              arrows={arrows}
              layoutArrows={tables}
              anchor={anchor}
              focus={datasetOf(state.node)}
              isLate={isLate}
              dir={state.dir}
              inSight={[anchor]}
              path={null}
              isOnPath={(arrow) => path !== null && arrow.key !== undefined && !arrow.look?.includes("is-indirect")}
              neighbours={(id) => new Set([id])}
              draw={draw}
              label={label}
              onChoose={() => undefined}
              onClear={() => (state.sel ? to({ sel: "" }) : undefined)}
              handle={(handle) => {
                handled.current = handle;
              }}
              onPlaced={(layout) => {
                placed.current = layout;
              }}
            />
            <div className="corner">
              <Legend of="columns" />
              <button className="button" aria-label="zoom out" onClick={() => handled.current?.zoom(0.8)}>
                −
              </button>
              <button className="button" aria-label="zoom in" onClick={() => handled.current?.zoom(1.25)}>
                +
              </button>
              <button className="button" onClick={() => handled.current?.fit()}>
                Fit
              </button>
            </div>
            {!sel && (
              <div className="hint">
                <span>Choose a column to see its whole path</span>
              </div>
            )}
          </div>
        )}
        {isList && <ColumnList lines={lines} arrows={kept} path={path} sel={sel} choose={choose} alone={isNarrow} />}
        {sel && !isClosed && (
          <ColumnPanel
            id={sel}
            lines={lines}
            arrows={kept}
            isCentre={sel === state.node}
            close={() => (isNarrow ? setClosed(true) : to({ sel: "" }))}
            canClose={isNarrow || state.sel !== ""}
            choose={choose}
          />
        )}
      </div>
      <TimeBar node={datasetOf(state.node)} depth={TICKS_DEPTH} at={state.at} vs={state.vs} change={to} />
    </>
  );
}

/** What a column depends on besides what it is made of: from dataset to dataset, dashed. */
function indirectArrows(lines: ColumnLines, of: string, there: ReadonlySet<string>): DrawnArrow[] {
  if (!of) return [];
  const target = datasetOf(of);
  const sources = [...(lines.dependencies.get(target) ?? []), ...(lines.own.get(of) ?? [])].map(
    ({ dataset }) => dataset,
  );
  return [...new Set(sources)]
    .filter((from) => from !== target && there.has(from))
    .map((from) => ({ from, to: target, key: `indirect ${from}→${target}`, look: "is-indirect" }));
}

function figureOf(
  card: Card,
  { title }: Title,
  box: { width: number; height: number },
  path: ReadonlySet<string> | null,
): Figure {
  return {
    id: card.id,
    ...box,
    kind: "columns",
    title,
    name: card.name,
    about: "",
    sign: "dataset",
    ink: card.stale ? "warn" : "dataset",
    rows: card.columns.map(({ id, field }) => ({ text: field, lit: path?.has(id) ?? false })),
  };
}
