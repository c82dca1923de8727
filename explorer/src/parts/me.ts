/** The reader: what the token opens. Until that is known, and where it cannot be, everything is offered. */

import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useLocation } from "wouter";
import { Failure, type Feature } from "../api/client";
import { ME, shownIdQuery } from "../api/queries";

/** The one name that a list of names allows; none where it allows beginnings, or several. */
const only = (names: readonly string[]) =>
  names.length === 1 && names[0] && !names[0].endsWith("*") ? names[0] : undefined;

const covers = (pattern: string, name: string) =>
  pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

export type Reader = ReturnType<typeof useReader>;

export function useReader() {
  const { data, error } = useQuery({ ...ME, staleTime: Infinity });
  return {
    me: data,
    /** False while it is not known, and while a token is missing. */
    isKnown: data !== undefined || (error !== null && !(error instanceof Failure && error.status === 401)),
    can: (feature: Feature) => !data || data.features.includes(feature),
    /** True if the reader is known to have all of these, in a namespace. */
    mayWrite: (features: readonly Feature[], namespace: string) =>
      data?.scopes.includes("write") === true &&
      features.every((feature) => data.features.includes(feature)) &&
      data.writes.some((name) => covers(name, namespace)),
    /** The one namespace, and the one root, that the token covers: queries over all name them. */
    namespace: data && only(data.namespaces),
    root: data && only(data.roots),
  };
}

/** Go on to the id that responses show, if a view does not show the node that it was opened for; versions stay. */
export function useOwnName(node: string, isShown: boolean, linkTo: (node: string) => string) {
  const [, navigate] = useLocation();
  const isRequested = !isShown && node.startsWith("dataset") && !node.includes("#");
  const { data } = useQuery({ ...shownIdQuery(node), enabled: isRequested });
  const id = data?.nodeId;
  const other = isRequested && id && id !== node ? linkTo(id) : "";
  useEffect(() => {
    if (other) navigate(other, { replace: true });
  }, [other, navigate]);
}
