/** A run, fetched once for all that show it. */

import { useQuery } from "@tanstack/react-query";

import { run as fetchRun } from "../../api/queries";

/** A run; without an id, nothing is fetched. */
export const useRun = (id: string) => useQuery({ ...fetchRun(id), enabled: id !== "" });
