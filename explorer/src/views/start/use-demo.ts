/** The demo's run on the stack of this machine, watched while it runs; at its end the page goes to what it made. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useLocation } from "wouter";

import { demo, startDemo } from "../../api/local";
import { useReader } from "../../parts/me";

const POLL_MS = 1_000;
const KEY = ["demo"];

/** Return the run, which is not known unless `isEmpty`, and a function that starts one. */
export function useDemo(isEmpty: boolean) {
  const { me } = useReader();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  // API Gateway names the caller, or a token does: no such stack is on this machine.
  const isLocal = me?.caller === null;
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => demo(signal),
    retry: false,
    gcTime: 0,
    enabled: ({ state }) => (isEmpty && isLocal) || state.data?.state === "RUNNING",
    refetchInterval: ({ state }) => (state.data?.state === "RUNNING" ? POLL_MS : false),
  });
  const before = useRef(data?.state);
  useEffect(() => {
    if (before.current === "RUNNING" && data?.state === "COMPLETED" && data.link) navigate(`/${data.link}`);
    before.current = data?.state;
  }, [data, navigate]);
  const load = async () => {
    client.setQueryData(KEY, await startDemo());
  };
  return { demo: data, load };
}
