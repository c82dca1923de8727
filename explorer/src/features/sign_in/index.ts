/** Sign-in at the issuer of a company; its code loads where the API has it. */

import { type Door, tokens } from "../../api/client";
import { type Settings, takePending } from "./pending";

/** Find the door at the first refusal of the API; none where the API has no sign-in for people. */
async function findDoor(): Promise<Door | null> {
  const response = await fetch(new URL("sign-in.json", document.baseURI)).catch(() => null);
  const isFound = response?.ok && response.headers.get("Content-Type")?.startsWith("application/json");
  const settings = isFound ? ((await response.json()) as Settings) : null;
  return settings?.client ? (await import("./door")).open(settings) : null;
}

/** Take up a return from the issuer, before the page is drawn. */
export async function start(): Promise<void> {
  tokens.findDoor = findDoor;
  const pending = takePending(location.search);
  if (pending) await (await import("./door")).comeBack(pending);
}
