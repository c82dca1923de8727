import "./style/base.css";
import "./style/font.css";

import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";

import { columnsQuery } from "./api/queries";
import { newQueryClient } from "./api/query-client";
import { App } from "./app";
import { START } from "./features";
import { parseColumns } from "./url/state";

// Titles are cut by their measured widths.
await Promise.all([START(), document.fonts.load("1em Inter")]);

// Every view is one segment below `explore/`, under whatever prefix that is.
const base = location.pathname.replace(/\/[^/]*$/, "");

const client = newQueryClient();
const columns = parseColumns(location.search);
// Columns take longest: the request begins while their view loads.
if (location.pathname.endsWith("/columns") && columns.node) void client.prefetchQuery(columnsQuery(columns));

createRoot(document.getElementById("app")!).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <Router base={base}>
        <App />
      </Router>
    </QueryClientProvider>
  </StrictMode>,
);
