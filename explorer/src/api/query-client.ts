/** The cache of responses: how often a failed request is sent again, and whose responses are kept. */

import { QueryClient } from "@tanstack/react-query";
import { Failure, tokens } from "./client";

const RETRIES = 2;

export function newQueryClient(): QueryClient {
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
  return client;
}
