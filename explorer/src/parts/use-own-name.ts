/** The name by which responses show a dataset, or a column of it, that a link calls by another of its names. */

import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useLocation } from "wouter";

import { shownIdQuery } from "../api/queries";

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
