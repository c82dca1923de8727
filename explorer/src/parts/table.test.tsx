// @vitest-environment happy-dom
import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";

import { LongTable } from "./table";

test("a table of more than a hundred rows has a height, so its rows are virtual", () => {
  const columns = [{ name: "Place", by: (place: number) => place }];
  render(<LongTable label="places" columns={columns} rows={[...Array(101).keys()]} height="none" />);
  expect(screen.getByRole("region").style.maxHeight).toBe("calc(100vh - 240px)");
});
