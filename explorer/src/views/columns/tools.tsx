/** The tools of the columns. */

import { ListButton, ReachChoice } from "../../draw/picture-view";
import { Button, LinkButton } from "../../parts/controls";
import { datasetOf, nameOf } from "../../url/ids";
import { link, mapLink } from "../../url/state";
import { ExportMenu } from "./export";
import type { OpenColumns } from "./open-columns";

const WORDS = { up: "Sources", both: "Both", down: "Uses" };

export function ColumnsTools({ columns }: { columns: OpenColumns }) {
  const { state, picture, actions, list } = columns;
  const { node, indirect, at, vs } = state;
  const { sel } = picture;
  return (
    <>
      <ReachChoice state={state} words={WORDS} change={actions.to} />
      <Button on={indirect} press={() => actions.to({ indirect: !indirect })}>
        Indirect
      </Button>
      <ListButton open={columns} />
      {list.isNarrow && sel && <Button press={() => actions.closePanel(false)}>About {nameOf(sel).field}</Button>}
      <LinkButton to={mapLink({ node: datasetOf(node), at, vs })}>Map</LinkButton>
      {sel && <LinkButton to={link("impact", { node: sel })}>What breaks</LinkButton>}
      {sel && <LinkButton to={link("usage", { node: sel })}>Usage</LinkButton>}
      <ExportMenu columns={columns} />
    </>
  );
}
