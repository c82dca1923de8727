/** The operations that make a column, back to its sources. */

import { useMemo, useState } from "react";

import type { ColumnLines } from "../../model/columns";
import { plural } from "../../model/format";
import { recipeOf, sentenceOf, textOf } from "../../model/recipe";
import { titleOfId } from "../../model/titles";
import { Button, Chip } from "../../parts/controls";

interface Props {
  id: string;
  lines: ColumnLines;
  choose: (id: string) => void;
}

export function Recipe({ id, lines, choose }: Props) {
  const recipe = useMemo(() => recipeOf(lines, id), [lines, id]);
  const [isCopied, setCopied] = useState(false);
  const copy = () => void navigator.clipboard.writeText(textOf(recipe, titleOfId)).then(() => setCopied(true));
  return (
    <details>
      <summary>
        <b>Recipe</b>{" "}
        <span className="muted">
          {plural(recipe.steps.length, "step")} back to {plural(recipe.origins.length, "source")}
        </span>
      </summary>
      <ol className="recipe" aria-label="recipe">
        {recipe.steps.map((step) => (
          <li key={step.id}>
            <Chip press={() => choose(step.id)}>show</Chip> {sentenceOf(step, titleOfId)}
          </li>
        ))}
      </ol>
      {recipe.origins.length > 0 && <p>It begins in {recipe.origins.map(titleOfId).join(", ")}.</p>}
      {(recipe.truncated || lines.truncated) && <p className="changed">There is more than is loaded.</p>}
      <Button press={copy}>{isCopied ? "copied" : "Copy the recipe"}</Button>
    </details>
  );
}
