/** The words and filters of a search, as the API parses them: `tag:`, `owner:` and `ns:`. */

export interface Terms {
  words: string;
  tag: string;
  owner: string;
  /** Words of the namespace. */
  within: string;
}

const FILTER = /(^|\s)(tag|owner|ns):\s*(?:"([^"]*)"|(\S+))/gi;
const FIELDS = { tag: "tag", owner: "owner", ns: "within" } as const;

export function termsOf(text: string): Terms {
  const terms: Terms = { words: "", tag: "", owner: "", within: "" };
  const rest = text.replace(
    FILTER,
    (_, before: string, name: string, quoted: string | undefined, word: string | undefined) => {
      terms[FIELDS[name.toLowerCase() as keyof typeof FIELDS]] = quoted ?? word ?? "";
      return before;
    },
  );
  return { ...terms, words: rest.split(/\s+/).filter(Boolean).join(" ") };
}
