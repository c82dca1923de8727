// @vitest-environment happy-dom
import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";

import { LongTable } from "./table";

test.each([
  [100, "none"],
  [101, "calc(100vh - 240px)"],
])("a table of %i rows without a height is at most %s high", (rows, height) => {
  const columns = [{ name: "Place", by: (place: number) => place }];
  render(<LongTable label="places" columns={columns} rows={[...Array(rows).keys()]} height="none" />);
  expect(screen.getAllByRole("region").at(-1)!.style.maxHeight).toBe(height);
});
