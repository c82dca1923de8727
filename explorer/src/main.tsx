import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";

import { Failure, tokens } from "./api/client";
import { App } from "./app";
import { START } from "./features";
import "./style/base.css";

const RETRIES = 2;

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      // Offline a request fails and says so, instead of waiting without a word; back online it is sent again.
      networkMode: "always",
      refetchOnReconnect: true,
      // What took too long once takes as long again.
      retry: (tries, error) => tries < RETRIES && error instanceof Failure && error.isPassing && error.status !== 504,
      retryDelay: (tries, error) =>
        error instanceof Failure && error.retryAfterS !== null
          ? Math.min(error.retryAfterS, 30) * 1000
          : 400 * 2 ** tries,
    },
  },
});

// Another token is another reader: earlier results may not be theirs to see.
let reader = tokens.reader;
tokens.subscribe(() => {
  if (tokens.reader !== reader) void client.resetQueries();
  reader = tokens.reader;
});

await START();

// Every view is one segment below `explore/`, under whatever prefix that is.
const base = location.pathname.replace(/\/[^/]*$/, "");

createRoot(document.getElementById("app")!).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <Router base={base}>
        <App />
      </Router>
    </QueryClientProvider>
  </StrictMode>,
);
