/** The bar of the columns: what they are of, and the tools. */

import { DepthChoice, DirectionChoice } from "../../draw/choices";
import { plural } from "../../model/format";
import { titleOf } from "../../model/titles";
import { Button, LinkButton } from "../../parts/controls";
import { KindOf } from "../../parts/signs";
import { PictureChoice, Tools } from "../../parts/tools";
import { datasetOf, nameOf } from "../../url/ids";
import { link, mapLink } from "../../url/state";
import { ExportMenu } from "./export";
import type { OpenColumns } from "./open-columns";
import type { ColumnsPicture } from "./picture";

const WORDS = { up: "Sources", both: "Both", down: "Uses" };

export function ColumnsBar({ columns }: { columns: OpenColumns }) {
  const { list } = columns;
  return (
    <div className="bar">
      <About columns={columns} />
      {list.isNarrow && <PictureChoice isPicture={list.isPicture} choose={list.choosePicture} />}
      <Tools title="⋯ Tools" of="tools of the columns">
        <ColumnsTools columns={columns} />
      </Tools>
    </div>
  );
}

function About({ columns: { state, data, picture } }: { columns: OpenColumns }) {
  const name = nameOf(state.node);
  return (
    <div className="what">
      <KindOf of={name.kind} namespace={name.namespace} />
      <h1 title={state.node}>
        <bdi>{name.field === undefined ? titleOf(name) : `${titleOf(name)} · ${name.field}`}</bdi>
      </h1>
      <span className="muted small" role="status">
        {plural(picture.cards.length, "dataset")}, {plural(picture.kept.length, "line")}
        {state.indirect && `, ${indirectOf(picture)}`}
        {data.now.isPlaceholderData && " · loading"}
      </span>
    </div>
  );
}

function indirectOf({ indirect, boxes }: ColumnsPicture): string {
  const drawn = new Set(boxes.map(({ id }) => id));
  const left = indirect.filter(({ id }) => !drawn.has(id)).length;
  return `${indirect.length || "none"} indirect${left ? `, ${left} of them not drawn` : ""}`;
}

function ColumnsTools({ columns: { state, picture, actions, list, layout } }: { columns: OpenColumns }) {
  const { node, dir, depth, indirect, at, vs } = state;
  const { sel } = picture;
  const name = nameOf(node);
  return (
    <>
      <DirectionChoice dir={dir} words={WORDS} choose={(dir) => actions.to({ dir })} />
      <DepthChoice depth={depth} choose={(depth) => actions.to({ depth })} />
      <button className="button" aria-pressed={indirect} onClick={() => actions.to({ indirect: !indirect })}>
        Indirect
      </button>
      {!list.isNarrow && (
        <button className="button" aria-pressed={state.list} onClick={() => list.showList(!state.list)}>
          List
        </button>
      )}
      {list.isNarrow && sel && <Button press={() => actions.closePanel(false)}>About {nameOf(sel).field}</Button>}
      <LinkButton to={mapLink({ node: datasetOf(node), at, vs })}>Map</LinkButton>
      {sel && <LinkButton to={link("impact", { node: sel })}>What breaks</LinkButton>}
      {sel && <LinkButton to={link("usage", { node: sel })}>Usage</LinkButton>}
      <ExportMenu
        at={state.at}
        focus={datasetOf(state.node)}
        picture={picture}
        layout={layout}
        name={name.field ?? name.name}
      />
    </>
  );
}
