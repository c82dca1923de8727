/** The words and filters of a search, as the API parses them; `state:` becomes a parameter of the request. */

export interface Terms {
  words: string;
  tag: string;
  owner: string;
  /** Words of the namespace. */
  within: string;
  state: TestState;
}

/** A state of tests that a search narrows to: one fails, or one warns. */
export type TestState = "" | "failing" | "warning";

const STATES: readonly string[] = ["failing", "warning"];

export const toTestState = (text: string | null): TestState =>
  text !== null && STATES.includes(text) ? (text as TestState) : "";

const STATE = /(^|\s)state:\s*(failing|warning)(?=\s|$)/i;
const FILTER = /(^|\s)(tag|owner|ns):\s*(?:"([^"]*)"|(\S+))/gi;
const FIELDS = { tag: "tag", owner: "owner", ns: "within" } as const;

export function termsOf(text: string): Terms {
  const terms: Terms = { words: "", tag: "", owner: "", within: "", state: "" };
  const { text: stateless, state } = withoutState(text);
  const rest = stateless.replace(
    FILTER,
    (_, before: string, name: string, quoted: string | undefined, word: string | undefined) => {
      terms[FIELDS[name.toLowerCase() as keyof typeof FIELDS]] = quoted ?? word ?? "";
      return before;
    },
  );
  return { ...terms, state, words: rest.split(/\s+/).filter(Boolean).join(" ") };
}

/** A text without its `state:`, which the API takes beside the words, and the state. */
export function withoutState(text: string): { text: string; state: TestState } {
  const given = STATE.exec(text);
  return { text: text.replace(STATE, "$1").trim(), state: toTestState(given?.[2]?.toLowerCase() ?? null) };
}
