import "./style/base.css";

import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";

import { newQueryClient } from "./api/query-client";
import { App } from "./app";
import { START } from "./features";

await START();

// Every view is one segment below `explore/`, under whatever prefix that is.
const base = location.pathname.replace(/\/[^/]*$/, "");

createRoot(document.getElementById("app")!).render(
  <StrictMode>
    <QueryClientProvider client={newQueryClient()}>
      <Router base={base}>
        <App />
      </Router>
    </QueryClientProvider>
  </StrictMode>,
);
